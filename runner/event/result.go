package event

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// Result is how a run ended. A failure that a user meets is in Kind and Message, so that a result can be stored and read
// back; OK is true exactly when Kind is empty.
type Result struct {
	OK       bool
	Kind     string // "" on success, else one of Kinds
	Message  string
	Agent    string          // who answered last
	Session  string          // "" when the run had none
	Output   json.RawMessage // the text as a JSON string, or the value where a schema was set; nil on failure
	Turns    int
	Usage    Usage
	PerAgent map[string]AgentUsage
	Duration time.Duration // rounded down to milliseconds on the wire
	Attempts int           // sends of all model calls; a replayed or scripted call counts 0
	ExitCode int

	// FinishedBy is the hook that ended the whole run with the output; "" = none did.
	FinishedBy string
}

// AgentUsage is an agent's part in a run; instances count under their agent.
type AgentUsage struct {
	Turns    int              `json:"turns"`
	Attempts int              `json:"attempts"`
	Usage    Usage            `json:"usage"`
	Models   map[string]Usage `json:"models"` // by the candidate that answered
}

// Add sums two parts. Neither is changed.
func (a AgentUsage) Add(b AgentUsage) AgentUsage {
	models := maps.Clone(a.Models)
	if models == nil {
		models = make(map[string]Usage, len(b.Models))
	}
	for name, u := range b.Models {
		models[name] = models[name].Add(u)
	}
	return AgentUsage{Turns: a.Turns + b.Turns, Attempts: a.Attempts + b.Attempts, Usage: a.Usage.Add(b.Usage), Models: models}
}

// Text is the output as a person reads it: the text itself, or the JSON of a value; "" on failure.
func (r *Result) Text() string {
	var s string
	if json.Unmarshal(r.Output, &s) == nil {
		return s
	}
	return string(r.Output)
}

// resultJSON has all fields always, null where there is nothing to say.
type resultJSON struct {
	OK         bool                  `json:"ok"`
	Kind       *string               `json:"kind"`
	Message    *string               `json:"message"`
	Agent      string                `json:"agent"`
	Session    *string               `json:"session"`
	Output     json.RawMessage       `json:"output"`
	Turns      int                   `json:"turns"`
	Usage      Usage                 `json:"usage"`
	PerAgent   map[string]AgentUsage `json:"per_agent"`
	DurationMS int64                 `json:"duration_ms"`
	Attempts   int                   `json:"attempts"`
	ExitCode   int                   `json:"exit_code"`
	FinishedBy string                `json:"finished_by,omitempty" doc:"the hook that ended the run with the output"`
}

// MarshalJSON writes every field.
func (r Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{
		OK: r.OK, Agent: r.Agent, Turns: r.Turns, Usage: r.Usage, PerAgent: r.PerAgent,
		DurationMS: r.Duration.Milliseconds(), Attempts: r.Attempts, ExitCode: r.ExitCode, FinishedBy: r.FinishedBy,
	}
	if out.PerAgent == nil {
		out.PerAgent = map[string]AgentUsage{}
	}
	if r.Session != "" {
		out.Session = &r.Session
	}
	if r.OK {
		out.Output = r.Output
	} else {
		out.Kind, out.Message = &r.Kind, &r.Message
	}
	return jsontext.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Result) UnmarshalJSON(b []byte) error {
	var in resultJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*r = Result{
		OK: in.OK, Agent: in.Agent, Turns: in.Turns, Usage: in.Usage, PerAgent: in.PerAgent,
		Duration: time.Duration(in.DurationMS) * time.Millisecond, Attempts: in.Attempts, ExitCode: in.ExitCode,
		FinishedBy: in.FinishedBy,
	}
	if in.Kind != nil {
		r.Kind = *in.Kind
	}
	if in.Message != nil {
		r.Message = *in.Message
	}
	if in.Session != nil {
		r.Session = *in.Session
	}
	if in.OK {
		r.Output = in.Output
	}
	return nil
}
