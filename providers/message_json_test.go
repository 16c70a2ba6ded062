package providers_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/internal/jsontext"
	"github.com/swarmrun/swarmrun/providers"
)

// FuzzMessageJSON stores a message of every part and reads it back.
func FuzzMessageJSON(f *testing.F) {
	f.Add("text", "id", `{"a": [1, "<b>"]}`, true)
	f.Add("line\nbreak \u2028 \x00 \xff", "", "{\n}", false)
	f.Fuzz(func(t *testing.T, text, id, args string, failed bool) {
		valid := json.Valid([]byte(args))
		blob := providers.Blob{MediaType: "image/png", Data: []byte(text)}
		m := providers.Message{Role: providers.Assistant, Parts: []providers.Part{
			providers.Text{Text: text}, providers.Reasoning{Text: text, Provider: id}, providers.ToolCall{ID: id, Name: text, Args: json.RawMessage(args)},
			providers.ToolResult{CallID: id, Name: text, Content: args, IsError: failed}, providers.ToolResult{CallID: id, Blobs: []providers.Blob{blob}}, blob,
			providers.ToolCall{}, providers.Opaque{Provider: id, Raw: json.RawMessage(`{"signed":"<b>&"}`)},
		}}
		raw, err := jsontext.Marshal(m)
		if valid != (err == nil) {
			t.Fatalf("arguments %q: valid %t, %v", args, valid, err)
		}
		if err != nil {
			return
		}
		own, err := m.AppendJSON([]byte("before "))
		if err != nil || bytes.ContainsAny(own, "\n\r") {
			t.Fatalf("%q, %v", own, err)
		}
		var back, again providers.Message
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(bytes.TrimPrefix(own, []byte("before ")), &again); err != nil {
			t.Fatal(err)
		}
		if got := back.Parts[7].(providers.Opaque).Raw; string(got) != `{"signed":"<b>&"}` {
			t.Fatalf("a block that is sent back byte for byte came back as %s", got)
		}
		if diff := cmp.Diff(back, again); diff != "" {
			t.Fatal(diff)
		}
		if got := back.Parts[0].(providers.Text).Text; got != string(bytes.ToValidUTF8([]byte(text), []byte("\ufffd"))) && len(got) < len(text) {
			t.Fatalf("text %q came back as %q", text, got)
		}
	})
}
