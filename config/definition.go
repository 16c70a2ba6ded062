package config

import (
	"slices"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/wildcard"
)

// Kind is what a file defines.
type Kind string

// The kinds of definition.
const (
	KindAgent    Kind = "agent"
	KindSkill    Kind = "skill"
	KindCommand  Kind = "command"
	KindHook     Kind = "hook"
	KindMCP      Kind = "mcp"
	KindTool     Kind = "tool"
	KindWorkflow Kind = "workflow"
	KindJob      Kind = "job"
	KindModel    Kind = "model"
	KindRule     Kind = "rule"
)

// Status is what became of a file.
type Status string

// The statuses. Skipped is for files that are no definition (a README) or whose name is taken. Of a Broken one its reader gives
// what could be read, if anything: never to be run, but what it refers to is checked like that of any other, so that all of its
// faults are told at once.
const (
	Loaded   Status = "loaded"
	Repaired Status = "repaired"
	Skipped  Status = "skipped"
	Broken   Status = "broken"
)

// Usable tells whether a definition is used as it is: the file is one, and has no error.
func (s Status) Usable() bool { return s == Loaded || s == Repaired }

// Origin is where a definition was found.
type Origin string

// The origins; foreign trees carry the name they have in include.
const (
	Workspace    Origin = "workspace"
	User         Origin = "user"
	Builtin      Origin = "builtin"
	FromClaude   Origin = "claude"
	FromCopilot  Origin = "copilot"
	FromGemini   Origin = "gemini"
	FromOpencode Origin = "opencode"
)

// Foreign tells whether files of the origin belong to another program, so that what is unknown here is no fault of them.
func (o Origin) Foreign() bool {
	switch o {
	case FromClaude, FromCopilot, FromGemini, FromOpencode:
		return true
	}
	return false
}

// Definition is what list and validate show of a file. Every file that is looked at has one, whatever became of it.
type Definition struct {
	Kind        Kind
	Name        string
	Description string
	File        string // as in diag.Range
	Origin      Origin
	Status      Status
	At          diag.Range // of the name, else of the opening fence
}

// Value is a setting as written: what it says and where. The zero Value is a setting that nobody wrote.
type Value[T any] struct {
	V   T
	At  diag.Range // of the value
	Key diag.Span  // of the key, in the same file
}

// KeyAt is where the key is.
func (v Value[T]) KeyAt() diag.Range { return v.Key.In(v.At.File) }

// Set tells whether there is a value that can be used.
func (v Value[T]) Set() bool { return !v.At.IsZero() }

// Lost tells whether somebody wrote the setting and an error, which was told, keeps it from being used: it is not Set, and
// nobody is to be told that it is missing.
func (v Value[T]) Lost() bool { return !v.Set() && v.Key != diag.Span{} }

// Written tells whether somebody wrote the setting, be it that it can be used or that it is Lost.
func (v Value[T]) Written() bool { return v.Set() || v.Lost() }

// Or is the value, or the default where nobody wrote one.
func (v Value[T]) Or(def T) T {
	if v.Set() {
		return v.V
	}
	return def
}

// Ref is a name that stands for something else: a tool rule, a model, an agent.
type Ref = Value[string]

// Folder is a place in a tree where definitions of one kind lie: a slash-separated path from the tree's root, of a folder
// or of a single file.
type Folder struct {
	Kind   Kind
	Path   string
	Ending string // of the names of its files; "" = as files of the kind end
	Plugin Plugin // that brings it
}

// Plugin is a set of definitions that came together; the zero Plugin is none. What it defines is called name:definition.
type Plugin struct {
	Name string
	Root string // its folder: in a Folder like Path, in what was found absolute
	Data string // where it keeps what outlives it, absolute; "" = in a Folder, or nobody knows
}

// TreeSettings is what the settings files of a foreign tree say: whom it denies or asks something is every agent, the rest
// is for the agents of the tree.
type TreeSettings struct {
	Tree        Origin // whose they are
	Managed     bool   // of the machine, by its administrator
	Permissions Permissions
	Only        Value[[]Ref]  // rules: agents of the tree have no other calls; not Set = no limit
	Refused     diag.List     // errors: why no agent of the tree can be started
	Mode        Value[string] // permission mode, in native words, of agents that name none
	NoBypass    bool          // no agent may have the mode bypass
	Directories []Ref         // more places that the agents may reach

	Model         Value[[]Ref]             // of agents that name none, where the workspace has no default
	Agent         Value[string]            // the default target, where the workspace names none
	Env           Value[map[string]string] // variables of children
	Excludes      []Ref                    // patterns of instruction files that are not read
	NoSkillShell  Value[bool]              // commands in skills and slash commands are not run
	Hooks         []HookGroup
	NoHooks       Value[bool]  // no hook of the trees runs
	HTTPHooks     Value[[]Ref] // URLs that hooks may send to; not Set = any
	AllMCP        Value[bool]  // every server of the project's file may start
	MCPOn, MCPOff []Ref        // servers of the project's file that may start, and that may not
	MCPOnly       Value[[]Ref] // the only servers of the tree that may start; not Set = any

	Plugins        map[string]bool     // switched on or off, by their names
	NoNetwork      Value[bool]         // children reach no network, where the workspace says nothing else
	AllowedServers Value[[]ServerRule] // the only servers of the workspace that may start; not Set = any
	DeniedServers  []ServerRule
	ManagedOnly    ManagedOnly
}

// ManagedOnly are the things that only managed settings may bring.
type ManagedOnly struct {
	Hooks bool // of foreign trees
	Rules bool // that allow something
}

// ServerRule says which MCP servers it is about: by name, by the whole command, or by a pattern of the address. Fields that are
// empty say nothing.
type ServerRule struct {
	Name    string
	Command []string
	URL     string
	At      diag.Range
}

// About tells whether the rule is about a server.
func (r *ServerRule) About(name string, m *MCP) bool {
	switch {
	case r.Name != "":
		return r.Name == name
	case len(r.Command) > 0:
		return slices.Equal(r.Command, append([]string{m.Command.V}, texts(m.Args.V)...))
	}
	return r.URL != "" && m.URL.V != "" && wildcard.Match(r.URL, m.URL.V)
}
