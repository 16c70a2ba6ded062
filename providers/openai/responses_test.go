package openai_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

func TestResponsesAnswers(t *testing.T) {
	const (
		created = `{"type":"response.created","response":{"status":"in_progress"}}`
		textA   = `{"type":"response.output_text.delta","delta":"A"}`
		think   = `{"type":"response.reasoning_summary_text.delta","delta":"hm"}`
		usage   = `"usage":{"input_tokens":10,"output_tokens":5,"input_tokens_details":{"cached_tokens":4},"output_tokens_details":{"reasoning_tokens":3}}`
		done    = `{"type":"response.completed","response":{"status":"completed","model":"m1-x",` + usage + `}}`
		reason  = `{"type":"reasoning","id":"r1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"E+/="}`
		message = `{"type":"message","content":[{"type":"output_text","text":"A"}]}`
		callA   = `{"type":"function_call","call_id":"c1","name":"a","arguments":"{\"x\":1}"}`
		search  = `{"type":"web_search_call","id":"w1"}`
	)
	item := func(s string) string { return `{"type":"response.output_item.done","item":` + s + `}` }
	reasoning := providers.Reasoning{Text: "hm", Provider: "openai", Raw: json.RawMessage(reason)}
	spent := providers.Usage{Input: 10, CachedInput: 4, Output: 5, Reasoning: 3}
	partial := spent
	partial.Partial = true
	textOnly := []providers.Part{providers.Text{Text: "A"}}
	tests := []struct {
		name   string
		unary  bool
		answer func(http.ResponseWriter, *http.Request)
		parts  []providers.Part
		finish providers.Finish
		usage  providers.Usage
		kind   providers.Kind
	}{
		{name: "text", answer: events(created, think, item(reason), textA, item(message), done), parts: []providers.Part{reasoning, textOnly[0]}, finish: providers.FinishStop, usage: spent},
		{name: "calls and the unknown", answer: events(created, item(search), item(callA), done), parts: []providers.Part{providers.Opaque{Provider: "openai", Raw: json.RawMessage(search)}, call("c1", "a", `{"x":1}`)}, finish: providers.FinishToolCalls, usage: spent},
		{name: "unary", unary: true, answer: body(`{"status":"completed","output":[` + reason + `,` + message + `,` + callA + `],` + usage + `}`), parts: []providers.Part{reasoning, textOnly[0], call("c1", "a", `{"x":1}`)}, finish: providers.FinishToolCalls, usage: spent},
		{name: "cut", answer: events(created, think, textA), parts: []providers.Part{providers.Reasoning{Text: "hm", Provider: "openai"}, textOnly[0]}, kind: providers.KindTruncated},
		{name: "cut after a call", answer: events(created, item(callA)), kind: providers.KindTruncated},
		{name: "incomplete", answer: events(created, textA, item(message), `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},`+usage+`}}`), parts: textOnly, kind: providers.KindTruncated, usage: partial},
		{name: "filtered", answer: events(created, textA, item(message), `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`), parts: textOnly, kind: providers.KindContentFilter},
		{name: "refusal", answer: events(created, item(`{"type":"message","content":[{"type":"refusal","refusal":"no"}]}`), done), kind: providers.KindContentFilter, usage: partial},
		{name: "error event first", answer: events(`{"type":"error","code":"rate_limit_exceeded","message":"x"}`), kind: providers.KindRateLimit},
		{name: "failed", answer: events(created, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_is_overloaded","message":"x"}}}`), kind: providers.KindOverloaded},
		{name: "arguments are wrong", answer: events(created, item(`{"type":"function_call","call_id":"c1","name":"a","arguments":"{\"x\""}`), done), kind: providers.KindContract, usage: partial},
		{name: "one id twice", answer: events(created, item(callA), item(callA), done), kind: providers.KindContract, usage: partial},
		{name: "nothing", answer: events(), kind: providers.KindServer},
		{name: "malformed", answer: events(created, `{"type":`), kind: providers.KindContract},
		{name: "unary error", unary: true, answer: body(`{"error":{"code":"insufficient_quota"}}`), kind: providers.KindQuota},
		{name: "unary failed", unary: true, answer: body(`{"status":"failed","error":{"code":"server_error"}}`), kind: providers.KindServer},
		{name: "unary of something else", unary: true, answer: body(`{"choices":[]}`), kind: providers.KindServer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := serve(t, "openai", "v1/responses", tt.answer)
			emit := func(providers.Delta) error { return nil }
			if tt.unary {
				emit = nil
			}
			resp, err := m.Generate(t.Context(), &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, emit)
			if got := providers.KindOf(err); got != tt.kind {
				t.Fatalf("kind %q (%v), want %q", got, err, tt.kind)
			}
			if resp == nil {
				return
			}
			if diff := cmp.Diff(tt.parts, resp.Message.Parts); diff != "" && len(tt.parts)+len(resp.Message.Parts) > 0 {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			if resp.Finish != tt.finish || resp.Usage != tt.usage {
				t.Errorf("finish %q usage %+v", resp.Finish, resp.Usage)
			}
		})
	}
}
