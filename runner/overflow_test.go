package runner_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/anthropic"
	"github.com/swarmrun/swarmrun/providers/faulttest"
	"github.com/swarmrun/swarmrun/providers/openai"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
)

// overflowWordings are the ways in which providers say that a request does not fit, as steps of a server: F58.
var overflowWordings = []struct{ provider, step string }{
	{"openai", `400(context_length_exceeded)`},
	{"openai", `400(x,y,"Your input exceeds the context window of this model.")`},
	{"openai", `413`},
	{"openai", `400(x,y,"This model's maximum context length is 128000 tokens.")`},
	{"openai", `400(x,y,"Please reduce the length of the messages or completion.")`},
	{"openai", `422(x,y,"the input is longer than the model's context length")`},
	{"openai", `400(x,y,"the request exceeds the available context size, try increasing it")`}, // llama.cpp
	{"openai", `400(x,y,"The input (9000 tokens) is greater than the context length")`},
	{"openai", `400(x,y,"Your request exceeded model token limit: 8192")`},
	{"openai", `400(x,y,"You requested 4096 output tokens, but the prompt contains 30000 input tokens")`},    // vLLM
	{"openai", `400(x,y,"Requested token count exceeds the model's maximum context length of 4096 tokens")`}, // sglang
	{"openai", `400(x,y,"The input exceeds maximum allowed input length")`},
	{"anthropic", `400(overflow)`},
	{"anthropic", `413(request_too_large)`},
	{"anthropic", `400(x,invalid_request_error,"input is too long for requested model")`},
	{"google", `400(x,y,"The input token count (1200000) exceeds the maximum number of tokens allowed")`},
	{"mistral", `422(x,y,"Prompt contains 40960 tokens, too large for model with 32768 maximum context length")`},
	{"groq", `413(request_too_large)`},
	{"xai", `400(x,y,"This model's maximum prompt length is 131072 but the request contains 537812 tokens.")`},
	{"together", `403(x,y,"This model's maximum context length is 8193 tokens")`},
	{"together", "422(x,y,\"`inputs` tokens + `max_new_tokens` must be <= 4097\")"},
	{"cohere", `400(x,y,"too many tokens: size limit exceeded by 11")`},
	{"ollama", `413`},
}

// TestOverflowWordings has real clients meet each wording in the fourth turn: the conversation is made smaller once, the next
// request is strictly smaller and holds the system prompt and the person's words, and no call is left without its result.
func TestOverflowWordings(t *testing.T) {
	for _, tc := range overflowWordings {
		t.Run(tc.provider+" "+tc.step, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				page := `sse[c(0,c1,page,'{}') f(tool_calls) D]FIN, `
				framing, build := faulttest.OpenAIChat, providers.Family(openai.New)
				if tc.provider == "anthropic" {
					framing, build = faulttest.Anthropic, anthropic.New
				}
				s := faulttest.Start(t, framing, "["+strings.Repeat(page, 3)+tc.step+`, ok"read"]`)
				m, err := build(providers.Candidate{
					Label: "A", Provider: tc.provider, Model: "m", BaseURL: s.BaseURL(), Transport: s.Transport(),
					Key: func() (string, error) { return faulttest.KeyCanary("A"), nil },
				})
				if err != nil {
					t.Fatal(err)
				}
				a := pager(t, agents.Prune)
				a.Model, a.Streaming, a.Prompt = providers.Fallback(providers.DefaultPolicy(), m), true, "SYSTEM-STAYS"
				var told []string
				res, _ := newRunner(t, &scene{agents: []*agents.Agent{a}}, nil).Do(t.Context(), runner.Request{Input: "LAST-WORDS-STAY"},
					&runner.RunOptions{Sink: func(e event.Event) {
						if strings.HasPrefix(e.Type(), "context.") {
							told = append(told, e.Type())
						}
					}})
				if !res.OK || string(res.Output) != `"read"` && string(res.Output) != "read" {
					t.Fatalf("%s: %s, output %s", res.Kind, res.Message, res.Output)
				}
				if got, want := fmt.Sprint(told), "[context.overflow context.compacted]"; got != want {
					t.Errorf("told %s, want %s", got, want)
				}
				requests := s.Requests()
				if len(requests) != 5 {
					t.Fatalf("%d requests, want 5", len(requests))
				}
				before, after := requests[3].Body, requests[4].Body
				if len(after) >= len(before) {
					t.Errorf("%d bytes did not fit, then %d were sent", len(before), len(after))
				}
				for _, kept := range []string{"SYSTEM-STAYS", "LAST-WORDS-STAY"} {
					if !bytes.Contains(after, []byte(kept)) {
						t.Errorf("the second request lost %s", kept)
					}
				}
				calls, results := count(after, `"tool_calls":[`, `"type":"tool_use"`), count(after, `"role":"tool"`, `"type":"tool_result"`)
				if calls != results {
					t.Errorf("%d calls and %d results were sent again", calls, results)
				}
			})
		})
	}
}

func count(body []byte, texts ...string) (n int) {
	for _, text := range texts {
		n += bytes.Count(body, []byte(text))
	}
	return n
}
