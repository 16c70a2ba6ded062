package hook

import (
	"encoding/json"
	"time"
)

// Result is what a hook says, and what a chain comes to. It is a JSON value, so that a step of a run may hold it.
type Result struct {
	Decision Decision        `json:"decision,omitempty"`
	Message  string          `json:"message,omitempty"`
	Value    string          `json:"value,omitempty"`   // of Replace; a value that is no text is its JSON
	Input    json.RawMessage `json:"input,omitempty"`   // of a call, instead of the one it has
	Output   *string         `json:"output,omitempty"`  // of a call that was made, instead of its result, whatever else is decided
	Context  []string        `json:"context,omitempty"` // for the agent
	Notices  []string        `json:"notices,omitempty"` // for the person
	Env      []string        `json:"env,omitempty"`     // NAME=value, for commands of the session
	Hook     string          `json:"hook,omitempty"`    // of a chain: whose decision it is
	Lenient  bool            `json:"lenient,omitempty"` // of a chain: that hook is of a Claude location

	// What follows is of a single hook: how it went.
	Failed   string        `json:"failed,omitempty"` // why it has no answer: timeout, spawn, signal, exit, bad_json, http, model, panic, …
	Exit     *int          `json:"exit,omitempty"`
	Stdin    []byte        `json:"-"`
	Stdout   string        `json:"-"`
	Stderr   string        `json:"-"`
	Duration time.Duration `json:"duration,omitempty"`
}

// Word is the decision as events name it.
func (r *Result) Word() string {
	switch {
	case r.Failed != "":
		return "failed"
	case r.Decision == End:
		return "halt"
	case r.Decision != Continue && r.Decision != Allow:
	case len(r.Input) > 0:
		return "input"
	case r.Output != nil:
		return string(Replace)
	default:
		return "continue"
	}
	return string(r.Decision)
}

// Failure is the error of a hook that has no answer.
type Failure struct {
	Reason string // as in Result
	Text   string
}

// Error is the text.
func (f *Failure) Error() string { return f.Text }
