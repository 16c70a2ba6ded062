package config

import (
	"encoding/json"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Agent is an agent file, native or of a Claude Code location.
type Agent struct {
	Definition
	Prompt string     // the body
	Body   diag.Range // where the body begins
	Named  bool       // the file says how the agent is called, at At; else it is called like its file

	Summary         Value[string] // description
	Model           Value[[]Ref]  // a chain, flattened; names, provider/model, inherit
	Tools           Value[[]Ref]  // rules; not Set = the default set; empty = none; "*" = all
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
	MaxTurns        Value[int]
	Timeout         Value[time.Duration]
	Budget          Value[Budget]
	MaxConcurrent   Value[int] // max_concurrent_tools
	QueueMode       Value[string]
	Context         Value[*Context]
	Streaming       Value[bool]
	Template        Value[bool]
	Vars            Value[map[string]string]
	Retry           *Retry
	Skills          Value[[]Ref]
	MCP             Value[[]MCPRef]
	Hooks           Value[[]HookGroup]
	Inactive        []Ref // fields that are understood and that this version does not act on: V is the key
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
