package session

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// TestRecordForm holds what is written by hand against what encoding/json makes of the struct.
func TestRecordForm(t *testing.T) {
	at := event.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.FixedZone("", 3600))}
	message := providers.Message{Role: providers.Assistant, Parts: []providers.Part{
		providers.Text{Text: "a <b> & \"c\"\n\u2028"}, providers.ToolCall{ID: "1", Name: "Read", Args: json.RawMessage(`{"p": "x"}`)},
	}}
	blobs := []providers.Blob{{MediaType: "image/png", Data: []byte{1, 2}}}
	for _, r := range []Record{
		{Type: Message, Time: at, Run: "r", Agent: "a", Message: &message, Incomplete: true},
		{Type: Started, Time: at, Run: "r", Agent: "a@b", ToolCallID: "1", Tool: "Read"},
		{Type: ToolResult, Time: at, Run: "r", Agent: "a", ToolCallID: "1", Tool: "Read", Content: "<x>\n", IsError: true, Blobs: blobs, File: "/f"},
		{Type: RunStop, Time: at, Run: "r", Agent: "a", Result: &event.Result{OK: true, Output: json.RawMessage(`"x"`)}},
		{Type: Compacted, Time: at, Run: "r", Agent: "a", Replaces: 3, Messages: []providers.Message{message, providers.UserText("<u>")}},
		{Type: Cleared, Time: at, Run: "r", Agent: "a", Apart: true},
		{},
	} {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		got, err := appendRecord([]byte("before\n"), &r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("before\n"+want.String(), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.Type, diff)
		}
	}
	broken := providers.Message{Parts: []providers.Part{providers.ToolCall{Args: json.RawMessage("{")}}}
	if _, err := appendRecord(nil, &Record{Type: Message, Message: &broken}); err == nil {
		t.Error("arguments that are no JSON are written")
	}
}
