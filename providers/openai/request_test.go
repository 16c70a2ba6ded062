package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/openai"
)

func history(provider string) []providers.Message {
	return []providers.Message{
		{Role: providers.User, Parts: []providers.Part{providers.Text{Text: "look"}, providers.Blob{MediaType: "image/png", Data: []byte("img")}, providers.Blob{URL: "https://x/y.png"}, providers.Blob{MediaType: "application/pdf", Data: []byte("pdf")}}},
		{Role: providers.Assistant, Parts: []providers.Part{
			providers.Reasoning{Text: "hm", Provider: provider, Raw: json.RawMessage(`{"type":"reasoning","id":"r1","encrypted_content":"E"}`)},
			providers.Reasoning{Text: "foreign", Provider: "anthropic", Raw: json.RawMessage(`{"type":"thinking"}`)},
			providers.Text{Text: "I \"try\""}, call("c1", "a", `{"x":12345678901234567}`),
			providers.Opaque{Provider: provider, Raw: json.RawMessage(`{"call_id":"c1","extra_content":{"google":{"thought_signature":"S"}}}`)},
			providers.Opaque{Provider: "anthropic", Raw: json.RawMessage(`{"type":"server_tool_use"}`)}, call("c2", "b", `{}`),
		}},
		{Role: providers.Tool, Parts: []providers.Part{
			providers.ToolResult{CallID: "c1", Name: "a", Content: "r1"},
			providers.ToolResult{CallID: "c2", Name: "b", Content: "r2", Blobs: []providers.Blob{{MediaType: "image/png", Data: []byte("img")}}},
		}},
	}
}

func full(provider string) *providers.Request {
	temperature, topP := 0.0, 0.5
	return &providers.Request{
		System: "sys", Messages: history(provider), Temperature: &temperature, TopP: &topP, MaxOutput: 99, Stop: []string{"X"},
		Tools: []providers.ToolSpec{{Name: "a", Description: "A", Schema: json.RawMessage(`{"type":"object","$defs":{"d":{"anyOf":[{"type":"null"}]}}}`)}, {Name: "b"}}, ToolChoice: "a",
		Thinking: &providers.Thinking{Effort: "high"}, Output: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
		Parameters: map[string]json.RawMessage{"parallel_tool_calls": json.RawMessage(`false`), "messages": json.RawMessage(`[]`)},
		Headers:    map[string]string{"X-Extra": "1"},
	}
}

const (
	chatMessages = `[{"role":"system","content":"sys"},
		{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aW1n"}},{"type":"image_url","image_url":{"url":"https://x/y.png"}},
			{"type":"file","file":{"filename":"attachment","file_data":"data:application/pdf;base64,cGRm"}}]},
		{"role":"assistant","content":"I \"try\"","tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{\"x\":12345678901234567}"},"extra_content":{"google":{"thought_signature":"S"}}},
			{"id":"c2","type":"function","function":{"name":"b","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"r1"},{"role":"tool","tool_call_id":"c2","content":"r2"},
		{"role":"user","content":[{"type":"text","text":"Images of the result of b (c2):"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aW1n"}}]}]`
	chatTools = `[{"type":"function","function":{"name":"a","description":"A","parameters":{"type":"object","$defs":{"d":{"anyOf":[{"type":"null"}]}}}}},
		{"type":"function","function":{"name":"b","description":"","parameters":{"type":"object","properties":{}}}}]`
	schema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
)

func TestRequests(t *testing.T) {
	tests := []struct {
		name, provider, version string
		req                     *providers.Request
		stream                  bool
		want                    string // the whole body where exact is set, else the members named in it
		exact                   bool
	}{
		{
			name: "least", provider: "openai", req: &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, exact: true,
			want: `{"model":"m1","messages":[{"role":"user","content":"hi"}]}`,
		},
		{
			name: "stream", provider: "openai", req: &providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, stream: true, exact: true,
			want: `{"model":"m1","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			name: "full", provider: "openai", req: full("openai"), exact: true,
			want: `{"model":"m1","messages":` + chatMessages + `,"tools":` + chatTools + `,"tool_choice":{"type":"function","function":{"name":"a"}},"temperature":0,"top_p":0.5,
				"max_completion_tokens":99,"stop":["X"],"reasoning_effort":"high","response_format":{"type":"json_schema","json_schema":{"name":"output","strict":true,"schema":` + schema + `}},"parallel_tool_calls":false}`,
		},
		{name: "mistral", provider: "mistral", req: &providers.Request{MaxOutput: 5}, stream: true, want: `{"max_tokens":5,"max_completion_tokens":null,"stream_options":null}`},
		{
			name: "deepseek", provider: "deepseek", req: full("deepseek"),
			want: `{"response_format":{"type":"json_object"}}`,
		},
		{
			name: "parameters win over fields", provider: "openai", req: &providers.Request{MaxOutput: 5, Parameters: map[string]json.RawMessage{"max_completion_tokens": json.RawMessage(`7`)}},
			want: `{"max_completion_tokens":7}`,
		},
		{
			name: "names of parameters", provider: "openai", req: &providers.Request{Parameters: map[string]json.RawMessage{"max_tokens": json.RawMessage(`7`)}},
			want: `{"max_completion_tokens":7,"max_tokens":null}`,
		},
		{name: "an endpoint of one's own", provider: "mine", req: &providers.Request{MaxOutput: 7}, want: `{"max_tokens":7,"max_completion_tokens":null}`},
		{
			name: "names of parameters of responses", provider: "openai", version: "v1/responses",
			req:  &providers.Request{Parameters: map[string]json.RawMessage{"max_tokens": json.RawMessage(`7`), "stop": json.RawMessage(`["X"]`)}},
			want: `{"max_output_tokens":7,"max_tokens":null,"stop":null}`,
		},
		{
			name: "open schema is not strict", provider: "openai", req: &providers.Request{Output: json.RawMessage(`{"type":"object"}`)},
			want: `{"response_format":{"type":"json_schema","json_schema":{"name":"output","strict":false,"schema":{"type":"object"}}}}`,
		},
		{
			name: "responses", provider: "openai", version: "v1/responses", req: full("openai"), stream: true, exact: true,
			want: `{"model":"m1","instructions":"sys","input":[
				{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,aW1n"},{"type":"input_image","image_url":"https://x/y.png"},{"type":"input_file","filename":"attachment","file_data":"data:application/pdf;base64,cGRm"}]},
				{"type":"reasoning","id":"r1","encrypted_content":"E"},{"role":"assistant","content":[{"type":"output_text","text":"I \"try\""}]},
				{"type":"function_call","call_id":"c1","name":"a","arguments":"{\"x\":12345678901234567}"},{"call_id":"c1","extra_content":{"google":{"thought_signature":"S"}}},
				{"type":"function_call","call_id":"c2","name":"b","arguments":"{}"},
				{"type":"function_call_output","call_id":"c1","output":"r1"},{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"r2"},{"type":"input_image","image_url":"data:image/png;base64,aW1n"}]}],
				"tools":[{"type":"function","strict":false,"name":"a","description":"A","parameters":{"type":"object","$defs":{"d":{"anyOf":[{"type":"null"}]}}}},{"type":"function","strict":false,"name":"b","description":"","parameters":{"type":"object","properties":{}}}],
				"tool_choice":{"type":"function","name":"a"},"temperature":0,"top_p":0.5,"max_output_tokens":99,"reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content"],
				"text":{"format":{"type":"json_schema","name":"output","strict":true,"schema":` + schema + `}},"store":false,"stream":true,"parallel_tool_calls":false}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, last := serve(t, tt.provider, tt.version, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) })
			var emit func(providers.Delta) error
			if tt.stream {
				emit = func(providers.Delta) error { return nil }
			}
			if _, err := m.Generate(t.Context(), tt.req, emit); !errors.Is(err, providers.ErrInvalidRequest) {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			got := last()
			if !tt.exact {
				for k := range got {
					if _, ok := want[k]; !ok {
						delete(got, k)
					}
				}
				for k, v := range want {
					if v == nil {
						delete(want, k)
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeepSeekGetsItsThoughtsBack(t *testing.T) {
	m, last := serve(t, "deepseek", "", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) })
	_, _ = m.Generate(t.Context(), full("deepseek"), nil)
	if got := last()["messages"].([]any)[2].(map[string]any)["reasoning_content"]; got != "hm" {
		t.Errorf("reasoning_content %v", got)
	}
}

// sent makes one call and returns the request that left.
func sent(t *testing.T, c providers.Candidate, req *providers.Request) *http.Request {
	t.Helper()
	var out *http.Request
	c.Transport = roundTripper(func(r *http.Request) (*http.Response, error) { out = r; return nil, errors.New("enough") })
	m, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = m.Generate(t.Context(), req, nil)
	return out
}

func TestAddressesAndCredentials(t *testing.T) {
	t.Setenv("OPENAI_ORGANIZATION", "org-leak")
	t.Setenv("OPENAI_BASE_URL", "https://leak")
	t.Setenv("OPENAI_API_KEY", "sk-leak")
	key := func() (string, error) { return "k1", nil }
	tests := []struct {
		c         providers.Candidate
		url       string
		auth, api string
	}{
		{providers.Candidate{Provider: "openai", Model: "m", Key: key}, "https://api.openai.com/v1/chat/completions", "Bearer k1", ""},
		{providers.Candidate{Provider: "openai", Model: "m", Key: key, APIVersion: "v1/responses"}, "https://api.openai.com/v1/responses", "Bearer k1", ""},
		{providers.Candidate{Provider: "gemini", Model: "m", Key: key}, "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "Bearer k1", ""},
		{providers.Candidate{Provider: "ollama", Model: "m"}, "http://127.0.0.1:11434/v1/chat/completions", "", ""},
		{providers.Candidate{Provider: "mine", Model: "m", BaseURL: "http://h:1/v1/"}, "http://h:1/v1/chat/completions", "", ""},
		{providers.Candidate{Provider: "azure", Model: "dep", BaseURL: "https://r.openai.azure.com", Key: key}, "https://r.openai.azure.com/openai/deployments/dep/chat/completions?api-version=2024-10-21", "", "k1"},
		{providers.Candidate{Provider: "azure", Model: "dep", BaseURL: "https://r.openai.azure.com", Key: key, APIVersion: "2025-01-01"}, "https://r.openai.azure.com/openai/deployments/dep/chat/completions?api-version=2025-01-01", "", "k1"},
		{providers.Candidate{Provider: "azure", Model: "dep", BaseURL: "https://r.openai.azure.com/openai/v1", Key: key}, "https://r.openai.azure.com/openai/v1/chat/completions", "", "k1"},
	}
	for _, tt := range tests {
		r := sent(t, tt.c, &providers.Request{Headers: map[string]string{"Idempotency-Key": "x"}})
		h := r.Header
		if r.URL.String() != tt.url || h.Get("Authorization") != tt.auth || h.Get("Api-Key") != tt.api || h.Get("OpenAI-Organization") != "" {
			t.Errorf("%s: %s %v", tt.c.Provider, r.URL, h)
		}
		if r.GetBody != nil || h.Get("Idempotency-Key") != "" {
			t.Errorf("%s: net/http may send this again", tt.c.Provider)
		}
	}
}

func TestEndpoints(t *testing.T) {
	var names []string
	for _, e := range openai.Endpoints() {
		names = append(names, e.Name)
		if e.BaseURL == "" && e.BaseURLVar == "" || len(e.KeyVars) == 0 {
			t.Errorf("%+v", e)
		}
	}
	want := []string{"openai", "azure", "google", "ollama", "mistral", "groq", "deepseek", "xai", "openrouter", "together", "cohere", "perplexity", "vllm", "lmstudio"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	gemini, ok := openai.Endpoint("gemini")
	if !ok || gemini.Name != "google" || !slices.Equal(gemini.KeyVars, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}) {
		t.Errorf("%+v", gemini)
	}
	mine, ok := openai.Endpoint("my-own")
	if ok || !slices.Equal(mine.KeyVars, []string{"MY_OWN_API_KEY"}) {
		t.Errorf("%+v", mine)
	}
	if _, err := openai.New(providers.Candidate{Provider: "my-own", Model: "m"}); err == nil {
		t.Error("no base_url, no error")
	}
}

func TestBadAddress(t *testing.T) {
	for _, base := range []string{"ftp://x", "http://", "not an address", "http://[::1", "127.0.0.1:8000/v1"} {
		for _, version := range []string{"", "v1/responses"} {
			m, err := openai.New(providers.Candidate{Provider: "mine", Model: "m", BaseURL: base, APIVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Generate(t.Context(), &providers.Request{}, nil)
			var e *providers.Error
			if !errors.As(err, &e) || e.Kind != providers.KindTransport || !e.NoRepeat || e.Hint == "" {
				t.Errorf("%q %q: %+v", base, version, e)
			}
		}
	}
}
