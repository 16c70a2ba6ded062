package runner

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// Request is what to run. It is data only, so that it can be stored and begun again; who watches and answers is in
// RunOptions.
type Request struct {
	ID          string            `json:"id,omitempty"`          // "" = a new one; a delegate's is its caller's and its place there
	Target      string            `json:"target,omitempty"`      // an agent; "" = the default one
	Input       string            `json:"input"`                 // the prompt, or the arguments of Command
	Command     string            `json:"command,omitempty"`     // a skill or slash command whose text is the prompt
	Fork        bool              `json:"fork,omitempty"`        // Command is worked on in a conversation of its own
	Attachments []providers.Blob  `json:"attachments,omitempty"` // go with the prompt
	Vars        map[string]string `json:"vars,omitempty"`        // of agents with a template
	Session     string            `json:"session,omitempty"`     // the one to go on with; "" = a new one
	Model       string            `json:"model,omitempty"`       // instead of the target's
	Roots       tools.Roots       `json:"roots"`                 // Workspace "" = the graph's root; Dir "" = the workspace
	Output      json.RawMessage   `json:"output,omitempty"`      // JSON Schema of the answer, instead of the target's
	Mode        tools.Mode        `json:"mode,omitempty"`        // permission mode, instead of every agent's
	MaxTurns    int               `json:"max_turns,omitempty"`   // instead of the target's; 0 = that one's
	Timeout     time.Duration     `json:"timeout,omitempty"`     // nanoseconds, instead of the target's; 0 = that one's
	Deadline    time.Time         `json:"deadline,omitzero"`     // besides Timeout, whichever is first
	Budget      agents.Budget     `json:"budget,omitzero"`       // of the run with all its children, besides the graph's and the target's
	Parent      *Parent           `json:"parent,omitempty"`
}

// asked is the prompt as whoever asked for the run wrote it.
func (r *Request) asked() string {
	if r.Command == "" {
		return r.Input
	}
	return strings.TrimSpace("/" + r.Command + " " + r.Input)
}

// Parent says who asked for a run, when it was an agent.
type Parent struct {
	Run   string   `json:"run"`
	Agent string   `json:"agent"`           // target@delegator when that is a delegate itself
	Path  []string `json:"path"`            // agents at work above, the first run's target first
	Keep  bool     `json:"keep,omitempty"`  // the conversation goes on where the last call left it
	Reset bool     `json:"reset,omitempty"` // but this time it begins anew
}

// RunOptions is the living part of a run. Nil means alone, direct and deaf.
type RunOptions struct {
	Source  Source            // nil = the runner's
	Ask     tools.Asker       // the person; nil = ask means deny
	Session *session.Handle   // one that is open already, as a chat's; it is not closed. nil = as the Request says
	Opens   string            // of a Session that begins: why, in Claude Code's words, such as clear; "" = startup
	Queue   *Queue            // of messages to the agent while it works; nil = none can be sent
	Steps   Steps             // nil = direct
	Sink    func(event.Event) // hears of everything, in order, one event at a time; what it blocks, the run waits for

	also func(event.Event) // Run's own listener
	link *link             // to the run above
}

// Result is how a run ended.
type Result = event.Result
