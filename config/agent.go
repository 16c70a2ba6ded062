package config

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// Agent is an agent file, native or of a Claude Code location.
type Agent struct {
	Definition
	Prompt string     // the body
	Body   diag.Range // where the body begins
	Named  bool       // the file says how the agent is called, at At; else it is called like its file

	Summary  Value[string] // description
	Model    Value[[]Ref]  // a chain, flattened; names, provider/model, inherit
	Tools    Value[[]Ref]  // rules; not Set = the default set; empty = none; "*" = all
	MaxTurns Value[int]
	Retry    *Retry
	Inactive []Ref // fields that are understood and that this version does not act on: V is the key

	*AgentExtras
}

// AgentExtras are what few agents say. All that say none of it share one that is empty, since a workspace may have thousands:
// who changes any of it calls Change before.
type AgentExtras struct {
	DisallowedTools Value[[]Ref]
	Permissions     Permissions
	PermissionMode  Value[string] // in native words
	Delegates       Value[[]Delegate]
	Opening         Value[string] // initial_prompt
	Instructions    Value[bool]
	Directory       Value[string]
	Directories     Value[[]Ref]
	Output          Value[json.RawMessage] // a JSON Schema that compiles
	Parameters      Value[Parameters]
	Thinking        Value[Thinking]
	Headers         Value[map[string]string]
	Timeout         Value[time.Duration]
	Budget          Value[Budget]
	MaxConcurrent   Value[int] // max_concurrent_tools
	QueueMode       Value[string]
	Context         Value[*Context]
	Streaming       Value[bool]
	Template        Value[bool]
	Vars            Value[map[string]string]
	Skills          Value[[]Ref]
	MCP             Value[[]MCPRef]
	Hooks           Value[[]HookGroup]
}

// noExtras are those of agents that say none. Nobody writes to them.
var noExtras = lazy.Value[*AgentExtras]{New: func() *AgentExtras { return new(AgentExtras) }}

// newAgent is an agent whose extras are its own.
func newAgent() Agent { return Agent{AgentExtras: new(AgentExtras)} }

// Change gives the agent extras of its own, to be written to.
func (a *Agent) Change() *AgentExtras {
	own := *a.AgentExtras
	a.AgentExtras = &own
	return &own
}

// Empty tells whether none of it is said.
func (e *AgentExtras) Empty() bool { return reflect.ValueOf(e).Elem().IsZero() }

// share gives up extras that are empty.
func (a *Agent) share() {
	if a.AgentExtras.Empty() {
		a.AgentExtras = noExtras.Get()
	}
}

// Permissions are rules by answer.
type Permissions struct {
	Allow, Ask, Deny []Ref
	At               diag.Range // of the key; zero = nobody wrote it
}

// Delegate is one entry of delegates_to.
type Delegate struct {
	Agent Ref
	As    Ref
	When  Value[string]
	Keep  bool // context: keep

	Inactive []Ref // as of the agent
}

// Parameters are the request settings of an agent or a model.
type Parameters struct {
	Temperature *float64
	TopP        *float64
	MaxTokens   int
	Stop        []string
	Extra       map[string]json.RawMessage // into the request body as they are
}

// Thinking asks for reasoning.
type Thinking struct {
	Effort string
	Budget int
}

// Context is how a long conversation is kept within the model's window.
type Context struct {
	Window     Value[int]     // tokens
	CompactAt  Value[float64] // part of the window, above 0 and at most 1
	KeepRecent Value[int]     // messages
	Strategy   Value[string]  // summarise, prune, truncate-tools
}

// Budget limits a run: US dollars, and tokens of input and output together. Zero is no limit.
type Budget struct {
	Cost   float64
	Tokens int
}
