package hook

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/swarmrun/swarmrun/internal/hookevent"
	"github.com/swarmrun/swarmrun/tools"
)

// Example is an occurrence of an event by one of its names, to try a hook with: raw is the fields that matter, in the names
// that hooks read them by, and what it leaves out is made up. False: there is no such event, or it never happens here.
func Example(name string, raw []byte) (*Input, bool, error) {
	n, ok := hookevent.Lookup(name)
	if !ok || len(n.On) == 0 {
		return nil, false, nil
	}
	in := &Input{
		Event: Event(n.On[0]), Agent: "example", Run: "example", Session: "example", Prompt: "an example", Source: "user", Response: "an example",
		Opens: "startup", Closes: true, OK: true, Turn: 1, Trigger: "threshold", Threshold: 80, Usage: map[string]int{}, Asks: n.Text == "PermissionRequest",
		IsError: n.Text == "tool_error" || n.Text == "PostToolUseFailure",
	}
	switch n.Text {
	case "SubagentStart", "SubagentStop":
		in.Depth = 1
	case "UserPromptExpansion":
		in.Command = "example"
	case "PostToolBatch":
		in.ToolCalls = []Called{{ID: "call_1", Name: "Read", Arguments: json.RawMessage(`{}`)}}
	case "before_delegation", "after_delegation", "pre_delegation", "post_delegation":
		in.Target, in.Message = "example", "an example"
	}
	if n.Subject == hookevent.Tool {
		in.Call = &tools.Call{ID: "call_1", Tool: "Bash", Input: json.RawMessage(`{"command":"true"}`)}
	}
	return in, true, in.take(raw)
}

// take reads the fields of an event.
func (in *Input) take(raw []byte) error {
	if len(raw) == 0 {
		return nil
	}
	var f struct {
		Agent, Run, Session, Prompt, Source, Response, Trigger, Target, Message string
		Tool                                                                    string          `json:"tool"`
		ToolName                                                                string          `json:"tool_name"`
		ID                                                                      string          `json:"tool_call_id"`
		Input                                                                   json.RawMessage `json:"tool_input"`
		Parameters                                                              json.RawMessage `json:"parameters"`
		Result                                                                  json.RawMessage `json:"tool_result"`
		Answer                                                                  json.RawMessage `json:"tool_response"`
		Last                                                                    string          `json:"last_assistant_message"`
		IsError                                                                 *bool           `json:"is_error"`
		Depth, Turn, Threshold                                                  *int
		Active                                                                  bool   `json:"stop_hook_active"`
		Command                                                                 string `json:"command_name"`
		OK                                                                      *bool  `json:"ok"`
		Kind                                                                    string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("the input is no JSON object of fields of an event: %w", err)
	}
	for _, x := range []struct {
		to   *string
		from string
	}{
		{&in.Agent, f.Agent}, {&in.Run, f.Run}, {&in.Session, f.Session}, {&in.Prompt, f.Prompt}, {&in.Source, f.Source}, {&in.Response, cmp.Or(f.Response, f.Last)},
		{&in.Trigger, f.Trigger}, {&in.Target, f.Target}, {&in.Message, f.Message}, {&in.Result, cmp.Or(plainText(f.Result), plainText(f.Answer))},
		{&in.Command, f.Command}, {&in.Kind, f.Kind},
	} {
		*x.to = cmp.Or(x.from, *x.to)
	}
	in.Depth, in.Turn, in.Threshold = written(f.Depth, in.Depth), written(f.Turn, in.Turn), written(f.Threshold, in.Threshold)
	in.IsError, in.OK, in.StopActive = written(f.IsError, in.IsError), written(f.OK, in.OK), f.Active
	if c := in.Call; c != nil {
		c.Tool, c.ID = cmp.Or(f.ToolName, f.Tool, c.Tool), cmp.Or(f.ID, c.ID)
		for _, input := range []json.RawMessage{f.Parameters, f.Input} {
			if len(given(input)) > 0 {
				c.Input = input
			}
		}
	}
	return nil
}

// written is a value that is there, else the one that holds.
func written[T any](v *T, holds T) T {
	if v == nil {
		return holds
	}
	return *v
}
