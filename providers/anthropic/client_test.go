package anthropic_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/anthropic"
)

const maxOutput = 1000

// serve answers every request with what answer writes; the second result is the last request's body and header.
func serve(t *testing.T, model string, answer func(http.ResponseWriter)) (providers.Model, func() (map[string]any, http.Header)) {
	t.Helper()
	var body []byte
	var head http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages" {
			t.Errorf("path %s", r.URL.Path)
		}
		body, _ = io.ReadAll(r.Body)
		head = r.Header
		answer(w)
	}))
	t.Cleanup(srv.Close)
	m, err := anthropic.New(providers.Candidate{
		Provider: "anthropic", Model: model, BaseURL: srv.URL + "/v1/", Key: func() (string, error) { return "sk-ant-CANARY", nil },
		Headers: map[string]string{"anthropic-beta": "x"}, Limits: providers.Capabilities{MaxOutput: maxOutput},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, func() (map[string]any, http.Header) {
		var out map[string]any
		if err := json.Unmarshal(body, &out); err != nil {
			t.Fatalf("request body %q: %v", body, err)
		}
		return out, head
	}
}

func stream(events ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			io.WriteString(w, "event: x\ndata:"+e+"\n\n")
		}
	}
}

func unary(s string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, s)
	}
}

const (
	start = `{"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":100,"output_tokens":1,"cache_creation_input_tokens":11,"cache_read_input_tokens":64}}}`
	ping  = `{"type":"ping"}`
	stop  = `{"type":"message_stop"}`
)

func reason(r string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + r + `"},"usage":{"output_tokens":20}}`
}

func begin(i, block string) string {
	return `{"type":"content_block_start","index":` + i + `,"content_block":` + block + `}`
}

func piece(i, delta string) string {
	return `{"type":"content_block_delta","index":` + i + `,"delta":` + delta + `}`
}

func call(id, name, args string) providers.ToolCall {
	return providers.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

func TestAnswers(t *testing.T) {
	usage := providers.Usage{Input: 175, CachedInput: 64, CacheWrite: 11, Output: 20}
	text := []providers.Part{providers.Text{Text: "A"}}
	begun := []string{start, begin("0", `{"type":"text","text":""}`), piece("0", `{"type":"text_delta","text":"A"}`)}
	tests := []struct {
		name   string
		unary  bool
		answer func(http.ResponseWriter)
		parts  []providers.Part
		finish providers.Finish
		usage  providers.Usage
		kind   providers.Kind
	}{
		{
			name: "text and calls", answer: stream(start, begin("0", `{"type":"text","text":""}`), ping, piece("0", `{"type":"text_delta","text":"let me"}`),
				begin("1", `{"type":"tool_use","id":"t1","name":"a","input":{}}`), piece("1", `{"type":"input_json_delta","partial_json":"{\"x\":"}`), piece("1", `{"type":"input_json_delta","partial_json":"12345678901234567}"}`),
				begin("2", `{"type":"tool_use","id":"t2","name":"b","input":{}}`), reason("tool_use"), stop),
			parts: []providers.Part{providers.Text{Text: "let me"}, call("t1", "a", `{"x":12345678901234567}`), call("t2", "b", `{}`)}, finish: providers.FinishToolCalls, usage: usage,
		},
		{
			name: "thinking and signature", answer: stream(start, begin("0", `{"type":"thinking","thinking":"","signature":""}`), piece("0", `{"type":"thinking_delta","thinking":"hm <\""}`), piece("0", `{"type":"thinking_delta","thinking":" ok"}`),
				piece("0", `{"type":"signature_delta","signature":"S+/="}`), begin("1", `{"type":"redacted_thinking","data":"xx"}`), begin("2", `{"type":"text","text":""}`), piece("2", `{"type":"text_delta","text":"42"}`), reason("end_turn"), stop),
			parts: []providers.Part{
				providers.Reasoning{Text: `hm <" ok`, Provider: "anthropic", Raw: json.RawMessage(`{"type":"thinking","thinking":"hm <\" ok","signature":"S+/="}`)},
				providers.Reasoning{Provider: "anthropic", Raw: json.RawMessage(`{"type":"redacted_thinking","data":"xx"}`)}, providers.Text{Text: "42"},
			}, finish: providers.FinishStop, usage: usage,
		},
		{
			name: "unknown block", answer: stream(start, begin("0", `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`), piece("0", `{"type":"input_json_delta","partial_json":"{\"q\":1}"}`), reason("end_turn"), stop),
			parts:  []providers.Part{providers.Opaque{Provider: "anthropic", Raw: json.RawMessage(`{"id":"s","input":{"q":1},"name":"web_search","type":"server_tool_use"}`)}},
			finish: providers.FinishStop, usage: usage,
		},
		{
			name: "unary keeps blocks as they are", unary: true, answer: unary(`{"type":"message","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"S"},{"type":"tool_use","id":"t1","name":"a","input":{"x":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}`),
			parts: []providers.Part{
				providers.Reasoning{Text: "hm", Provider: "anthropic", Raw: json.RawMessage(`{"type":"thinking","thinking":"hm","signature":"S"}`)}, call("t1", "a", `{"x":1}`),
			}, finish: providers.FinishToolCalls, usage: providers.Usage{Input: 3, Output: 2},
		},
		{name: "empty end_turn", answer: stream(start, reason("end_turn"), stop), finish: providers.FinishStop, usage: usage},
		{name: "no marker", answer: stream(begun...), parts: text, kind: providers.KindTruncated, usage: providers.Usage{Input: 175, CachedInput: 64, CacheWrite: 11, Output: 1}},
		{name: "max_tokens", answer: stream(append(begun, reason("max_tokens"), stop)...), parts: text, kind: providers.KindTruncated, usage: usage},
		{name: "window", answer: stream(append(begun, reason("model_context_window_exceeded"), stop)...), parts: text, kind: providers.KindOverflow, usage: usage},
		{name: "refusal", answer: stream(append(begun, reason("refusal"), stop)...), parts: text, kind: providers.KindContentFilter, usage: usage},
		{name: "pause", answer: stream(append(begun, reason("pause_turn"), stop)...), parts: text, kind: providers.KindTruncated, usage: usage},
		{name: "tool_use without call", answer: stream(append(begun, reason("tool_use"), stop)...), parts: text, kind: providers.KindContract, usage: usage},
		{name: "ping then cut", answer: stream(ping), kind: providers.KindServer},
		{name: "error first", answer: stream(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`), kind: providers.KindOverloaded},
		{name: "call cut", answer: stream(start, begin("0", `{"type":"tool_use","id":"t1","name":"rm","input":{}}`), piece("0", `{"type":"input_json_delta","partial_json":"{\"path\":\"/x"}`)), kind: providers.KindTruncated, usage: providers.Usage{Input: 175, CachedInput: 64, CacheWrite: 11, Output: 1}},
		{name: "malformed", answer: stream(append(begun, `{"type":"content_blo`)...), parts: text, kind: providers.KindContract, usage: providers.Usage{Input: 175, CachedInput: 64, CacheWrite: 11, Output: 1}},
		{name: "delta without block", answer: stream(start, piece("3", `{"type":"text_delta","text":"A"}`)), kind: providers.KindContract, usage: providers.Usage{Input: 175, CachedInput: 64, CacheWrite: 11, Output: 1}},
		{name: "error in place of an answer", unary: true, answer: unary(`{"type":"error","error":{"type":"billing_error"}}`), kind: providers.KindQuota},
		{name: "something else", unary: true, answer: unary(`{"hello":1}`), kind: providers.KindServer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := serve(t, "claude-sonnet-4-5", tt.answer)
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
			want := tt.usage
			want.Partial = tt.kind != "" && want != providers.Usage{}
			if resp.Finish != tt.finish || resp.Usage != want {
				t.Errorf("got finish %q usage %+v, want %q %+v", resp.Finish, resp.Usage, tt.finish, want)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	const done = `{"type":"message","content":[],"stop_reason":"end_turn"}`
	temperature := 0.0
	history := []providers.Message{
		providers.UserText("one"),
		{Role: providers.Assistant, Parts: []providers.Part{
			providers.Reasoning{Text: "t", Provider: "anthropic", Raw: json.RawMessage(`{"type":"thinking","thinking":"t","signature":"S"}`)},
			providers.Reasoning{Text: "foreign", Provider: "openai"}, providers.Text{Text: " "},
			call("c1", "a", `{"x":12345678901234567}`), call("c2", "b", `{}`),
		}},
		{Role: providers.Tool, Parts: []providers.Part{
			providers.ToolResult{CallID: "c1", Name: "a", Content: "r1", IsError: true},
			providers.ToolResult{CallID: "c2", Name: "b", Content: "r2", Blobs: []providers.Blob{{MediaType: "image/png", Data: []byte("img")}}},
		}},
		{Role: providers.User, Parts: []providers.Part{providers.Text{Text: "two"}, providers.Blob{MediaType: "application/pdf", Data: []byte("pdf")}}},
	}
	tests := []struct {
		name, model string
		req         providers.Request
		want        string // of the members named in it
	}{
		{
			name: "history, tools, cache", model: "claude-sonnet-4-5",
			req: providers.Request{
				System: "sys", Messages: history, Temperature: &temperature, Stop: []string{"X"}, ToolChoice: "required",
				Tools:      []providers.ToolSpec{{Name: "a", Description: "A", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "b"}},
				Parameters: map[string]json.RawMessage{"top_k": json.RawMessage(`5`), "model": json.RawMessage(`"other"`)},
			},
			want: `{"model":"claude-sonnet-4-5","max_tokens":1000,"temperature":0,"stop_sequences":["X"],"top_k":5,"tool_choice":{"type":"any"},
				"system":[{"type":"text","text":"sys","cache_control":{"type":"ephemeral"}}],
				"tools":[{"name":"a","description":"A","input_schema":{"type":"object"}},{"name":"b","description":"","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],
				"messages":[{"role":"user","content":[{"type":"text","text":"one"}]},
				{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"S"},{"type":"tool_use","id":"c1","name":"a","input":{"x":12345678901234567}},{"type":"tool_use","id":"c2","name":"b","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r1","is_error":true},
				{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"r2"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aW1n"}}]},
				{"type":"text","text":"two"},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"cGRm"},"cache_control":{"type":"ephemeral"}}]}]}`,
		},
		{
			name: "thinking by budget", model: "claude-sonnet-4-5", req: providers.Request{Thinking: &providers.Thinking{Budget: 4000}, Temperature: &temperature},
			want: `{"thinking":{"type":"enabled","budget_tokens":4000},"max_tokens":5000,"temperature":null}`,
		},
		{
			name: "thinking by effort", model: "claude-opus-4-7", req: providers.Request{Thinking: &providers.Thinking{Effort: "high"}},
			want: `{"thinking":{"type":"adaptive"},"output_config":{"effort":"high"},"max_tokens":1000}`,
		},
		{
			name: "effort of an older model", model: "claude-haiku-4-5", req: providers.Request{Thinking: &providers.Thinking{Effort: "low"}},
			want: `{"thinking":{"type":"enabled","budget_tokens":2048},"output_config":null}`,
		},
		{
			name: "a forced tool forbids thinking", model: "claude-sonnet-4-5",
			req:  providers.Request{Thinking: &providers.Thinking{Budget: 4000}, ToolChoice: "a", Tools: []providers.ToolSpec{{Name: "a"}}},
			want: `{"thinking":null,"tool_choice":{"type":"tool","name":"a"}}`,
		},
		{
			name: "schema", model: "claude-sonnet-4-5", req: providers.Request{Output: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}`)},
			want: `{"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}}},"system":null}`,
		},
		{
			name: "schema that only words can carry", model: "claude-sonnet-4-5", req: providers.Request{System: "sys", Output: json.RawMessage(`{"type":"object","additionalProperties":true}`)},
			want: `{"output_config":null,"system":[{"type":"text","text":"sys\n\nAnswer with one JSON value that holds to this JSON Schema, and nothing else:\n{\"type\":\"object\",\"additionalProperties\":true}","cache_control":{"type":"ephemeral"}}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, last := serve(t, tt.model, unary(done))
			if _, err := m.Generate(t.Context(), &tt.req, nil); err != nil {
				t.Fatal(err)
			}
			got, head := last()
			var want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			for k, v := range want {
				if diff := cmp.Diff(v, got[k]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", k, diff)
				}
			}
			if head.Get("X-Api-Key") != "sk-ant-CANARY" || head.Get("Anthropic-Version") != "2023-06-01" || head.Get("Anthropic-Beta") != "x" || head.Get("Authorization") != "" {
				t.Errorf("headers %v", head)
			}
		})
	}
}

// What came as thinking goes back in the next request byte for byte.
func TestThinkingGoesBack(t *testing.T) {
	m, last := serve(t, "claude-sonnet-4-5", stream(start, begin("0", `{"type":"thinking","thinking":""}`), piece("0", `{"type":"thinking_delta","thinking":"é <&>"}`),
		piece("0", `{"type":"signature_delta","signature":"Sig/+="}`), begin("1", `{"type":"tool_use","id":"t1","name":"a","input":{}}`), reason("tool_use"), stop))
	req := &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}
	resp, err := m.Generate(t.Context(), req, func(providers.Delta) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	next := &providers.Request{Messages: append(req.Messages, resp.Message, providers.Message{Role: providers.Tool, Parts: []providers.Part{providers.ToolResult{CallID: "t1", Content: "ok"}}})}
	if _, err := m.Generate(t.Context(), next, func(providers.Delta) error { return nil }); err != nil {
		t.Fatal(err)
	}
	body, _ := last()
	got := body["messages"].([]any)[1].(map[string]any)["content"].([]any)[0]
	want := map[string]any{"type": "thinking", "thinking": "é <&>", "signature": "Sig/+="}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestServesLangchaingo(t *testing.T) {
	m, last := serve(t, "claude-sonnet-4-5", stream(start, begin("0", `{"type":"text","text":""}`), piece("0", `{"type":"text_delta","text":"hel"}`), piece("0", `{"type":"text_delta","text":"lo"}`), reason("end_turn"), stop))
	model := m.(llms.Model)
	var shown strings.Builder
	resp, err := model.GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "sys"), llms.TextParts(llms.ChatMessageTypeHuman, "hi"),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "c", FunctionCall: &llms.FunctionCall{Name: "a", Arguments: `{"x":1}`}}}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "c", Name: "a", Content: "r"}}},
	}, llms.WithMaxTokens(7), llms.WithStreamingFunc(func(_ context.Context, b []byte) error { shown.Write(b); return nil }))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := last()
	if c := resp.Choices[0]; c.Content != "hello" || shown.String() != "hello" || c.GenerationInfo["PromptCachedTokens"] != 64 || body["max_tokens"] != 7.0 || len(body["messages"].([]any)) != 3 {
		t.Errorf("choice %+v, shown %q, body %v", c, shown.String(), body)
	}
}
