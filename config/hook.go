package config

import (
	"encoding/json"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Hook is a hook file: hooks/<any>.md. Exactly one of Run, HTTP, Prompt and Go is set.
type Hook struct {
	Definition
	Notes       string // the body without its script: documentation
	NameRef     Ref
	Summary     Value[string]
	Events      Value[[]Ref] // names that exist; native ones, or those of SwarmSDK and Claude Code
	Match       Value[string]
	If          Ref // a permission rule
	Run         Value[string]
	Interpreter string // as in Tool
	HTTP        Value[string]
	Headers     Value[map[string]string]
	AllowedEnv  Value[[]Ref] // variables that headers may hold
	Prompt      Value[string]
	Model       Ref // of Prompt
	Go          Ref // a hook that the program brings
	Timeout     Value[time.Duration]
	OnError     Value[string] // deny, allow
	Scope       Value[string] // workspace, listed
	Env         Value[map[string]string]
}

// HookGroup is one matcher with its handlers, as Claude Code writes them, or the name of a hook file alone.
type HookGroup struct {
	Name     Ref // of a hook file; then nothing else is set
	Event    Ref // a name that exists, in the spelling of the table; of agents, Stop already turned into SubagentStop
	Matcher  Ref
	Handlers []HookHandler
	Open     bool // a handler that fails lets the action go ahead
}

// HookHandler is one thing that a HookGroup runs.
type HookHandler struct {
	Type       string // command, http, mcp_tool, prompt, agent
	If         Ref    // a permission rule
	Timeout    time.Duration
	Command    string
	Args       []string // not nil: Command is a program and no shell line
	Shell      string   // bash, powershell; "" = sh
	Dir        string
	Env        map[string]string
	URL        string
	Headers    map[string]string
	AllowedEnv []Ref
	Server     string
	Tool       string
	Input      json.RawMessage
	Prompt     string
	Model      Ref
	Once       bool
	Async      Value[bool] // it is not waited for
	Rewake     Value[bool] // so it is, and what it objects to keeps an agent that would stop at work
	Broken     bool        // it, or its group, has an error: it is there to be checked, and never runs
	At         diag.Range
	CommandAt  diag.Range

	bash, powershell, windows, linux, osx string
}
