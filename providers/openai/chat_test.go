package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/openai"
)

// serve answers every request with what answer writes and keeps the last body.
func serve(t *testing.T, provider, version string, answer func(http.ResponseWriter, *http.Request)) (providers.Model, func() map[string]any) {
	t.Helper()
	var body []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		answer(w, r)
	}))
	t.Cleanup(srv.Close)
	m, err := openai.New(providers.Candidate{
		Provider: provider, Model: "m1", BaseURL: srv.URL, APIVersion: version, Key: func() (string, error) { return "sk-CANARY-A-1234", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, func() map[string]any {
		var out map[string]any
		if err := json.Unmarshal(body, &out); err != nil {
			t.Fatalf("request body %q: %v", body, err)
		}
		return out
	}
}

func events(lines ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, l := range lines {
			io.WriteString(w, "data: "+l+"\n\n")
		}
	}
}

func body(s string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, s)
	}
}

func delta(d string) string { return `{"model":"m1-x","choices":[{"index":0,"delta":` + d + `}]}` }

func end(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

const usageChunk = `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":7}}}`

func call(id, name, args string) providers.ToolCall {
	return providers.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

// TestMaxOutput: what a person wrote for the model holds where nothing else says how long an answer may be.
func TestMaxOutput(t *testing.T) {
	five := map[string]json.RawMessage{"max_completion_tokens": json.RawMessage(`5`)}
	for _, tt := range []struct {
		c    providers.Candidate
		req  providers.Request
		want string
	}{
		{providers.Candidate{MaxOutput: 9}, providers.Request{}, `"max_completion_tokens":9`},
		{providers.Candidate{MaxOutput: 9}, providers.Request{MaxOutput: 7}, `"max_completion_tokens":7`},
		{providers.Candidate{MaxOutput: 9, Parameters: five}, providers.Request{}, `"max_completion_tokens":5`},
		{providers.Candidate{MaxOutput: 9}, providers.Request{Parameters: five}, `"max_completion_tokens":5`},
		{providers.Candidate{MaxOutput: 9, APIVersion: "v1/responses"}, providers.Request{}, `"max_output_tokens":9`},
	} {
		tt.c.Provider, tt.c.Model, tt.c.Key = "openai", "m", func() (string, error) { return "k", nil }
		raw, err := io.ReadAll(sent(t, tt.c, &tt.req).Body)
		if body := string(raw); err != nil || !strings.Contains(body, tt.want) || strings.Count(body, "max_") != 1 {
			t.Errorf("%s, want %s", body, tt.want)
		}
	}
}

func TestChatAnswers(t *testing.T) {
	usage := providers.Usage{Input: 100, CachedInput: 64, Output: 20, Reasoning: 7}
	tests := []struct {
		name   string
		unary  bool
		answer func(http.ResponseWriter, *http.Request)
		parts  []providers.Part
		finish providers.Finish
		usage  providers.Usage
		kind   providers.Kind
	}{
		{
			name: "text", answer: events(delta(`{"role":"assistant","content":""}`), delta(`{"content":"hel"}`), delta(`{"content":"lo\n"}`), end("stop"), usageChunk, "[DONE]"),
			parts: []providers.Part{providers.Text{Text: "hello\n"}}, finish: providers.FinishStop, usage: usage,
		},
		{
			name: "thoughts in both spellings", answer: events(delta(`{"reasoning_content":"a "}`), delta(`{"reasoning":"b"}`), delta(`{"content":"42"}`), end("stop"), "[DONE]"),
			parts: []providers.Part{providers.Reasoning{Text: "a b", Provider: "openai"}, providers.Text{Text: "42"}}, finish: providers.FinishStop,
		},
		{
			name: "thoughts as parts", answer: events(delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`), delta(`{"content":[{"type":"text","text":"42"}]}`), end("stop"), "[DONE]"),
			parts: []providers.Part{providers.Reasoning{Text: "hm", Provider: "openai"}, providers.Text{Text: "42"}}, finish: providers.FinishStop,
		},
		{
			name: "interleaved calls", answer: events(
				delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"a","arguments":"{\"x\""}}]}`),
				delta(`{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"b","arguments":"{\"y\""}}]}`),
				delta(`{"tool_calls":[{"index":0,"type":"function","function":{"arguments":":1}"}}]}`),
				delta(`{"tool_calls":[{"index":1,"function":{"arguments":":12345678901234567}"}}]}`), end("tool_calls"), "[DONE]"),
			parts: []providers.Part{call("c1", "a", `{"x":1}`), call("c2", "b", `{"y":12345678901234567}`)}, finish: providers.FinishToolCalls,
		},
		{
			name: "calls without index", answer: events(
				delta(`{"tool_calls":[{"id":"c1","function":{"name":"a","arguments":"{}"}},{"id":"c2","function":{"name":"b","arguments":{"y":2}}}]}`), end("stop"), "[DONE]"),
			parts: []providers.Part{call("c1", "a", `{}`), call("c2", "b", `{"y":2}`)}, finish: providers.FinishToolCalls,
		},
		{
			name: "first finish reason stands, other choices do not count", answer: events(`{"choices":[{"index":1,"delta":{"content":"B"}}]}`, delta(`{"content":"A"}`), end("stop"), end(""), "[DONE]"),
			parts: []providers.Part{providers.Text{Text: "A"}}, finish: providers.FinishStop,
		},
		{
			name: "thought signature", answer: events(delta(`{"tool_calls":[{"index":0,"id":"c1","extra_content":{"google":{"thought_signature":"S"}},"function":{"name":"a","arguments":"{}"}}]}`), end("tool_calls"), "[DONE]"),
			parts: []providers.Part{call("c1", "a", `{}`), providers.Opaque{Provider: "openai", Raw: json.RawMessage(`{"call_id":"c1","extra_content":{"google":{"thought_signature":"S"}}}`)}}, finish: providers.FinishToolCalls,
		},
		{
			name: "unary", unary: true, answer: body(`{"model":"m1-x","choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{\"x\":1}"}},{"id":"c2","type":"function","function":{"name":"a","arguments":""}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`),
			parts: []providers.Part{providers.Text{Text: "hi"}, call("c1", "a", `{"x":1}`), call("c2", "a", `{}`)}, finish: providers.FinishToolCalls, usage: providers.Usage{Input: 1, Output: 2},
		},
		{
			name: "unary answer to a stream request", answer: body(`{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}`),
			parts: []providers.Part{providers.Text{Text: "hi"}}, finish: providers.FinishStop,
		},
		{name: "length", answer: events(delta(`{"content":"A"}`), end("length"), usageChunk, "[DONE]"), kind: providers.KindTruncated, parts: []providers.Part{providers.Text{Text: "A"}}, usage: usage},
		{name: "content filter", answer: events(delta(`{"content":"A"}`), end("content_filter"), "[DONE]"), kind: providers.KindContentFilter, parts: []providers.Part{providers.Text{Text: "A"}}},
		{name: "no marker", answer: events(delta(`{"content":"A"}`), end("stop")), kind: providers.KindTruncated, parts: []providers.Part{providers.Text{Text: "A"}}},
		{name: "marker without reason", answer: events(delta(`{"content":"A"}`), "[DONE]"), kind: providers.KindTruncated, parts: []providers.Part{providers.Text{Text: "A"}}},
		{name: "marker alone", answer: events("[DONE]"), kind: providers.KindServer},
		{name: "error first", answer: events(`{"error":{"code":502,"message":"x"}}`, "[DONE]"), kind: providers.KindServer},
		{name: "error in the middle", answer: events(delta(`{"content":"A"}`), `{"error":{"type":"overloaded_error"}}`, "[DONE]"), kind: providers.KindOverloaded, parts: []providers.Part{providers.Text{Text: "A"}}},
		{name: "malformed", answer: events(delta(`{"content":"A"}`), `{"choices":[{"del`, delta(`{"content":"B"}`), end("stop"), "[DONE]"), kind: providers.KindContract, parts: []providers.Part{providers.Text{Text: "A"}}},
		{name: "calls promised", answer: events(delta(`{"content":"A"}`), end("tool_calls"), "[DONE]"), kind: providers.KindContract, parts: []providers.Part{providers.Text{Text: "A"}}},
		{name: "arguments repeat a key", answer: events(delta(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"a","arguments":"{\"x\":1,\"x\":2}"}}]}`), end("tool_calls"), "[DONE]"), kind: providers.KindContract},
		{name: "arguments cut", answer: events(delta(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"rm","arguments":"{\"path\":\"/x"}}]}`)), kind: providers.KindTruncated},
		{name: "html", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>login")
		}, kind: providers.KindServer},
		{name: "empty", unary: true, answer: body(""), kind: providers.KindServer},
		{name: "no choices", unary: true, answer: body(`{"choices":[]}`), kind: providers.KindServer},
		{name: "error in place of an answer", unary: true, answer: body(`{"error":{"message":"no","type":"rate_limit_error"}}`), kind: providers.KindRateLimit},
		{name: "redirect", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(307)
		}, kind: providers.KindInvalidRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := serve(t, "openai", "", tt.answer)
			var shown strings.Builder
			emit := func(d providers.Delta) error { shown.WriteString(d.Text); return nil }
			if tt.unary {
				emit = nil
			}
			resp, err := m.Generate(t.Context(), &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, emit)
			if got := providers.KindOf(err); got != tt.kind {
				t.Fatalf("kind %q (%v), want %q", got, err, tt.kind)
			}
			if resp == nil {
				if tt.parts != nil {
					t.Fatal("no response")
				}
				return
			}
			if diff := cmp.Diff(tt.parts, resp.Message.Parts); diff != "" && len(tt.parts)+len(resp.Message.Parts) > 0 {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			want := tt.usage
			want.Partial = tt.kind != "" && want != providers.Usage{}
			if resp.Finish != tt.finish || resp.Usage != want || resp.Incomplete != (tt.kind != "") {
				t.Errorf("got finish %q usage %+v incomplete %v", resp.Finish, resp.Usage, resp.Incomplete)
			}
			if !tt.unary && tt.name != "unary answer to a stream request" && shown.String() != resp.Message.Text() {
				t.Errorf("shown %q, answered %q", shown.String(), resp.Message.Text())
			}
		})
	}
}

func TestEmitErrorAbandons(t *testing.T) {
	m, _ := serve(t, "openai", "", events(delta(`{"content":"A"}`), delta(`{"content":"B"}`), end("stop"), "[DONE]"))
	calls := 0
	resp, err := m.Generate(t.Context(), &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, func(providers.Delta) error {
		calls++
		return errors.New("gone")
	})
	if providers.KindOf(err) != providers.KindCancelled || calls != 1 || resp == nil || !resp.Incomplete {
		t.Errorf("err %v, %d emits, resp %+v", err, calls, resp)
	}
}

func TestMissingKey(t *testing.T) {
	sent := false
	m, err := openai.New(providers.Candidate{
		Provider: "groq", Model: "m1", Key: func() (string, error) { return "", nil },
		Transport: roundTripper(func(*http.Request) (*http.Response, error) { sent = true; return nil, errors.New("sent") }),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Generate(context.Background(), &providers.Request{}, nil)
	var e *providers.Error
	if !errors.As(err, &e) || e.Kind != providers.KindAuth || !strings.Contains(e.Hint, "GROQ_API_KEY") || e.Candidate != "groq/m1" || sent {
		t.Errorf("err %v hint %q sent %v", err, e.Hint, sent)
	}
}

func TestKeylessEndpointGoesWithout(t *testing.T) {
	r := sent(t, providers.Candidate{Provider: "ollama", Model: "m", Key: func() (string, error) { return "", nil }}, &providers.Request{})
	if r == nil || r.Header.Get("Authorization") != "" {
		t.Errorf("request %+v", r)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
