package script

import (
	"encoding/json"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

// Rule answers a request when one of its conditions holds. The first such rule of a model answers.
type Rule struct {
	Name  string // Response.Rule; "rule N" by position when empty
	When  []When // one of them must hold; empty = always
	Times int    // answers at most so often in a run (Request.Caller.Run); 0 = any number
	Reply Reply
}

// When is a set of conditions that must all hold; zero fields are no condition. "Since the last answer" means after the
// last assistant message of the history. Patterns are RE2; their named groups are .Match in the templates of the rule.
type When struct {
	Agent      string // Request.Caller.Agent
	Model      string // the model's name, with or without "script/"
	Turn       string // Request.Caller.Turn: a number, ">3", ">=3", "<3", "<=3" or "2..4"
	Prompt     string // matches the last user message
	System     string // matches the system text
	ToolResult string // matches any tool result since the last answer
	Tool       string // this tool has a result since the last answer
	ToolError  *bool  // whether any result since the last answer is an error
	Offered    string // this tool is offered by the request
	Not        *When  // must not hold
}

// Reply is what a rule answers. Text, Thinking and every string inside a call's Input are Go templates over the
// conversation (.Prompt .System .Agent .Turn .Match .Results .AllResults .Messages) with the functions join, lines,
// grep, first, last, trim, replace, json, quote and raw.
type Reply struct {
	Text      string
	Thinking  string
	ToolCalls []Call
	// Finish is stop, tool_calls, length or content_filter; empty: tool_calls when there are any, else stop. The last
	// two fail as a provider's answer with that finish reason fails.
	Finish     string
	Usage      *providers.Usage // nil = estimated from the texts
	Delay      time.Duration    // before the first word
	ChunkDelay time.Duration    // between the words of a streamed answer
	Error      *Failure         // instead of an answer
}

// Call is one tool call of a reply.
type Call struct {
	Name  string
	ID    string          // when empty call_<answer>_<n>: both count from 1, so that ids differ within a history
	Input json.RawMessage // a JSON object; nil = {}
}

// Failure is an error that a reply plays.
type Failure struct {
	Kind       providers.Kind
	Status     int
	Code       string
	RetryAfter time.Duration
	After      int // characters of Text that a streamed answer sends first; the failure is then past the commit point
}
