package session_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/session"
)

const unknown = "Result unknown: the program ended while this call was running. Side effects are possible; check before you repeat it."

func said(agent, run string, role providers.Role, parts ...providers.Part) session.Record {
	return session.Record{Type: session.Message, Agent: agent, Run: run, Message: &providers.Message{Role: role, Parts: parts}}
}

func asked(text string) session.Record {
	return said("a", "r1", providers.User, providers.Text{Text: text})
}

func toolCall(id string) providers.ToolCall {
	return providers.ToolCall{ID: id, Name: "tool-" + id, Args: json.RawMessage(`{}`)}
}

func begun(id string) session.Record {
	return session.Record{Type: session.Started, Agent: "a", Run: "r1", ToolCallID: id, Tool: "tool-" + id}
}

func result(id, content string) session.Record {
	return session.Record{Type: session.ToolResult, Agent: "a", Run: "r1", ToolCallID: id, Tool: "tool-" + id, Content: content}
}

func toolMessage(results ...providers.Part) providers.Message {
	return providers.Message{Role: providers.Tool, Parts: results}
}

func answered(id, content string, isError bool) providers.ToolResult {
	return providers.ToolResult{CallID: id, Name: "tool-" + id, Content: content, IsError: isError}
}

func TestReplay(t *testing.T) {
	twoCalls := said("a", "r1", providers.Assistant, providers.Text{Text: "I look."}, toolCall("1"), toolCall("2"))
	onlyCalls := said("a", "r1", providers.Assistant, providers.Reasoning{Text: "hm"}, toolCall("1"), toolCall("2"))
	for _, tc := range []struct {
		name    string
		records []session.Record
		want    []providers.Message
		open    []session.OpenCall
	}{
		{
			name:    "results in the order of the calls",
			records: []session.Record{asked("go"), twoCalls, begun("1"), begun("2"), result("2", "two"), result("1", "one")},
			want:    []providers.Message{*asked("go").Message, *twoCalls.Message, toolMessage(answered("1", "one", false), answered("2", "two", false))},
		},
		{
			name:    "begun without result, and never begun",
			records: []session.Record{asked("go"), twoCalls, begun("1")},
			want: []providers.Message{
				*asked("go").Message,
				{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: "I look."}, toolCall("1")}},
				toolMessage(answered("1", unknown, true)),
			},
			open: []session.OpenCall{{Agent: "a", Tool: "tool-1", Begun: true}, {Agent: "a", Tool: "tool-2"}},
		},
		{
			name:    "nothing begun leaves nothing to say",
			records: []session.Record{asked("go"), onlyCalls},
			want:    []providers.Message{*asked("go").Message},
			open:    []session.OpenCall{{Agent: "a", Tool: "tool-1"}, {Agent: "a", Tool: "tool-2"}},
		},
		{
			name:    "told of once: the conversation went on",
			records: []session.Record{asked("go"), onlyCalls, begun("1"), asked("again")},
			want: []providers.Message{
				*asked("go").Message,
				{Role: providers.Assistant, Parts: []providers.Part{providers.Reasoning{Text: "hm"}, toolCall("1")}},
				toolMessage(answered("1", unknown, true)), *asked("again").Message,
			},
		},
		{
			name: "a run apart",
			records: []session.Record{
				asked("go"),
				{Type: session.Cleared, Agent: "a", Run: "r2", Apart: true},
				said("a", "r2", providers.User, providers.Text{Text: "elsewhere"}),
				said("a", "r1", providers.Assistant, providers.Text{Text: "here"}),
			},
			want: []providers.Message{*asked("go").Message, {Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: "here"}}}},
		},
		{
			name:    "cleared",
			records: []session.Record{asked("go"), {Type: session.Cleared, Agent: "a", Run: "r2"}, asked("anew")},
			want:    []providers.Message{*asked("anew").Message},
		},
		{
			name: "compacted",
			records: []session.Record{
				asked("one"), asked("two"), asked("three"),
				{Type: session.Compacted, Agent: "a", Run: "r1", Replaces: 2, Messages: []providers.Message{providers.UserText("one and two")}},
			},
			want: []providers.Message{providers.UserText("one and two"), *asked("three").Message},
		},
		{
			name:    "results and marks of nothing",
			records: []session.Record{begun("9"), result("9", "x"), {Type: session.Message, Agent: "a"}, {Type: "mood", Agent: "a"}, asked("go")},
			want:    []providers.Message{*asked("go").Message},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, err := json.Marshal(tc.records)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // replaying changes no record
				got := session.Replay(tc.records)
				if diff := cmp.Diff(tc.want, got.Conversations["a"], cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("messages (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tc.open, got.Open); diff != "" {
					t.Errorf("open calls (-want +got):\n%s", diff)
				}
			}
			if after, _ := json.Marshal(tc.records); string(after) != string(before) {
				t.Errorf("the records were changed:\n%s\n%s", before, after)
			}
		})
	}
}

func TestHandle(t *testing.T) {
	h, err := session.New(nil, session.Head{ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	first := h.Take("a", false)
	first.Messages = append(first.Messages, providers.UserText("go"))
	if second := h.Take("a", false); !second.Apart || len(second.Messages) != 0 || second.State == first.State {
		t.Error("a conversation that is taken was given out again")
	}
	if fresh := h.Take("b", true); !fresh.Apart {
		t.Error("a conversation apart is the agent's own")
	}
	h.Release(first)
	again := h.Take("a", false)
	if again != first || again.Apart {
		t.Error("the conversation does not go on")
	}
	again.Clear()
	if len(again.Messages) != 0 {
		t.Error("a cleared conversation has messages")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("{\"type\":\"session\",\"version\":1,\"id\":\"s\"}\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]}}\n"))
	f.Add([]byte("{\"type\":\"session\",\"version\":1}\n{\"type\":\"compacted\",\"replaces\":-1}\n{\"type\":\"tool_result\"}\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := session.Decode(text)
		if err != nil {
			return
		}
		for _, messages := range session.Replay(s.Records).Conversations {
			open := map[string]bool{}
			for _, m := range messages {
				if len(open) > 0 && m.Role != providers.Tool {
					t.Fatal("a call has no result")
				}
				clear(open)
				for _, c := range m.ToolCalls() {
					open[c.ID] = true
				}
			}
			if len(open) > 0 {
				t.Fatal("the last call has no result")
			}
		}
	})
}
