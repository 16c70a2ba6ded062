package ci

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/internal/jsontext"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// evidence is what the events of a run say.
type evidence struct {
	began    time.Time
	now      func() time.Time
	events   []event.Event
	entries  []Entry
	calls    []call
	turn     map[string]int // of runs
	replayed int            // model calls that a tape answered
	asked    int            // model calls that a model answered
}

// call is one call of a tool, or of another agent.
type call struct {
	entry   int // of the transcript
	agent   string
	turn    int
	tool    string
	id, run string
	input   json.RawMessage
	result  string
	isError bool
	blocked string
	ended   bool
}

// hear takes an event in. Calls come one at a time.
func (t *attempt) hear(e event.Event) {
	h := e.Head()
	h.Job, h.Case = t.u.job.Name, t.u.result.Name
	t.s.say(e)
	switch e := e.(type) {
	case *event.ContentChunk, *event.ThinkingChunk:
		return
	case *event.UserPrompt:
		t.note(e, Entry{Text: e.Prompt, Tool: e.Source})
	case *event.AgentStep:
		if t.turn == nil {
			t.turn = map[string]int{}
		}
		t.turn[e.Run] = e.Turn
		u := e.Usage
		t.note(e, Entry{Text: e.Content, Turn: e.Turn, Model: e.Model, Usage: &u})
	case *event.ToolCall:
		t.begin(e, e.ToolCallID, e.Tool, e.Arguments)
	case *event.Delegation:
		raw, _ := jsontext.Marshal(map[string]string{"message": e.Message}) // texts are JSON
		t.begin(e, e.ToolCallID, e.DelegateTo, raw)
	case *event.ToolResult:
		t.end(e, e.ToolCallID, Entry{Tool: e.Tool, Text: e.Result, Error: e.IsError, DurationMS: e.DurationMS}, e.Blocked)
	case *event.DelegationResult:
		t.end(e, e.ToolCallID, Entry{Tool: e.DelegateFrom, Text: e.Result, Error: e.IsError, DurationMS: e.DurationMS}, "")
	case *event.HookExecuted:
		if e.Decision != "continue" {
			t.note(e, Entry{Tool: e.Hook, Text: strings.TrimSpace(e.Decision + ": " + e.Message + " " + e.Reason), Error: e.Decision == "halt" || e.Decision == "failed"})
		}
	case *event.PermissionDenied:
		t.note(e, Entry{Tool: e.Tool, Text: e.Why, Error: true, Call: e.ToolCallID})
	case *event.Warning:
		t.note(e, Entry{Text: e.Message})
	case *event.OutputRepair:
		t.note(e, Entry{Text: strings.Join(e.Errors, "\n"), Error: true})
	case *event.RunStop:
		if e.Depth == 0 && e.Result != nil && !e.Result.OK {
			t.note(e, Entry{Text: e.Result.Kind + ": " + e.Result.Message, Error: true})
		}
	case *event.Lower:
		t.lower(e)
	}
	t.events = append(t.events, e)
}

// lower takes in what a lower package told.
func (t *attempt) lower(e *event.Lower) {
	switch n := e.Note.(type) {
	case providers.CallEnd:
		if n.Replayed {
			t.replayed++
		} else {
			t.asked++
		}
		return
	}
	switch e.Type() {
	case "finding":
		var f Finding
		raw, err := jsontext.Marshal(e.Note)
		if err != nil || json.Unmarshal(raw, &f) != nil {
			return
		}
		f.Agent, f.File = e.Agent, t.relative(f.File)
		t.out.Findings = append(t.out.Findings, f)
		t.note(e, Entry{Text: string(f.Severity) + ": " + f.Message, Tool: f.File})
	case "provider.attempt_failed":
		raw, _ := jsontext.Marshal(e.Note) // it is written to streams as well
		t.note(e, Entry{Text: string(raw), Error: true})
	}
}

// relative is a path of a finding, from the root of the case where it lies inside.
func (t *attempt) relative(file string) string {
	if rel, err := filepath.Rel(t.place.dir, file); filepath.IsAbs(file) && err == nil && !strings.HasPrefix(rel, "..") {
		file = rel
	}
	if file == "" {
		return ""
	}
	return path.Clean(filepath.ToSlash(file))
}

func (t *attempt) note(e event.Event, n Entry) {
	h := e.Head()
	n.AtMS, n.Event, n.Agent, n.Depth = t.now().Sub(t.began).Milliseconds(), e.Type(), h.Agent, h.Depth
	var cut int
	n.Text, cut = cutText(t.text(n.Text), keptText)
	n.Cut += cut
	if len(n.Input) > keptText {
		text, cut := cutText(string(n.Input), keptText)
		n.Input, _ = jsontext.Marshal(text) // a text is JSON
		n.Cut += cut
	}
	t.entries = append(t.entries, n)
}

func (t *attempt) begin(e event.Event, id, tool string, input json.RawMessage) {
	h := e.Head()
	t.calls = append(t.calls, call{entry: len(t.entries), agent: h.Agent, turn: t.turn[h.Run], tool: tool, id: id, run: h.Run, input: input})
	if !json.Valid(input) {
		input, _ = jsontext.Marshal(string(input)) // a text is JSON
	}
	t.note(e, Entry{Tool: tool, Call: id, Input: json.RawMessage(t.text(string(input))), Turn: t.turn[h.Run]})
}

func (t *attempt) end(e event.Event, id string, n Entry, blocked string) {
	n.Call = id
	for i := len(t.calls) - 1; i >= 0; i-- {
		c := &t.calls[i]
		if c.id == id && c.run == e.Head().Run && !c.ended {
			c.result, c.isError, c.blocked, c.ended = n.Text, n.Error, blocked, true
			n.Turn = c.turn
			break
		}
	}
	t.note(e, n)
}

// at is the place of a call in the transcript.
func (c *call) at() *Place { return &Place{Entry: c.entry, Agent: c.agent, Turn: c.turn, Tool: c.tool} }

// answer is the place of the last answer.
func (t *attempt) answer() *Place {
	for i := len(t.entries) - 1; i >= 0; i-- {
		if e := t.entries[i]; e.Event == "agent_step" && e.Depth == 0 {
			return &Place{Entry: i, Agent: e.Agent, Turn: e.Turn}
		}
	}
	return nil
}
