package agents

import (
	"encoding/json"
	"text/template"
	"time"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// Agent is who works: a prompt, a model, and what it may do. It is immutable and shared by all runs; the runner turns its
// fields into offered tools when an exchange begins.
type Agent struct {
	Name, Description string
	Prompt            string             // the body; with Template set, its source
	Template          *template.Template // of .Vars, .Env, .Date, .Directory; nil = Prompt as it is
	Vars              map[string]string  // defaults of Template's .Vars
	Opening           string             // in front of the first prompt of a conversation that no agent began
	Notes             string             // added to the prompt as it is: what the agent's MCP servers say about their use

	Model      providers.Model // a chain behind Fallback; nil = the caller's
	Alone      providers.Model // stands in for a nil Model where a run begins with this agent; nil = the run must bring one
	Request    RequestDefaults
	Tools      []tools.Toolset
	Skills     *skills.Set // those that it sees; nil = none
	Rules      tools.Rules
	Hooks      hook.Chain // in order: those of the workspace, then the agent's own
	Delegates  []Delegate
	Team       []string        // whom the one tool Agent{subagent_type, prompt, description} may start; empty = no such tool
	Directory  string          // relative to the run's workspace root, or absolute; "" = the root
	Dirs       []string        // more places it may reach, like Directory
	Output     json.RawMessage // JSON Schema of the final answer; nil = free text
	Limits     Limits
	Context    Context
	Summariser providers.Model // writes the summaries of Context; nil = the model the agent works with
	Queue      QueueMode       // "" = OneAtATime
	Streaming  bool
	Instructed bool // AGENTS.md and CLAUDE.md of the working directory are added
	Guides     []Guide
	Excluded   func(path string) bool // instruction files that are left out, by absolute path; nil = none

	// Refused says why starting the agent is refused although it was loaded: no tool that exists, a guard that would not
	// be enforced. Unpriced does so only while the agent runs on its own model: a cost budget over an unknown price.
	Refused, Unpriced diag.List
	Origin            diag.Range
}

// RequestDefaults are the settings that go into every model call of an agent.
type RequestDefaults struct {
	MaxOutput   int
	Temperature *float64
	TopP        *float64
	Stop        []string
	Thinking    *providers.Thinking
	Parameters  map[string]json.RawMessage
	Headers     map[string]string
}

// Limits of one run of an agent; zero means none, but for MaxTurns (50) and MaxConcurrentTools (8).
type Limits struct {
	MaxTurns           int
	Timeout            time.Duration
	Budget             Budget // of this agent with all its children
	MaxConcurrentTools int
}

// Context is how a conversation is kept within the model's window; the zero value is the default of each.
type Context struct {
	Window     int      // tokens that the model takes; 0 = as the model says
	CompactAt  float64  // part of a known window, up to 1, from which on the conversation is made smaller before the next call; 0 = 0.8
	KeepRecent int      // messages at the end that stay as they are; 0 = 10, negative = none but the last and what belongs to it
	Strategy   Strategy // of making it smaller; "" = Summarise
}

// Strategy is what becomes of messages older than the recent ones when a conversation is made smaller. No strategy takes a
// call from its result, and the last prompt stays as it is.
type Strategy string

// The strategies.
const (
	Summarise     Strategy = "summarise"      // a model writes a summary that stands in their place
	Prune         Strategy = "prune"          // they go
	TruncateTools Strategy = "truncate-tools" // they stay, with long tool results cut, the older the shorter
)

// QueueMode is how many of the messages that wait for an agent at work it is given at once, between two turns.
type QueueMode string

// The modes.
const (
	OneAtATime QueueMode = "one_at_a_time" // the oldest
	All        QueueMode = "all"           // every one, in order, each a message of its own
)

// Budget is money in US dollars and tokens (input and output together); zero means no limit.
type Budget struct {
	Cost   float64 `json:"cost,omitempty"`
	Tokens int     `json:"tokens,omitempty"`
}

// Delegate is an edge of the graph: a tool by which one agent asks another and gets its answer back.
type Delegate struct {
	Agent string // whom
	As    string // name of the tool; WorkWith + the name in PascalCase when empty
	When  string // added to the tool's description
	Keep  bool   // the conversation goes on between calls
}
