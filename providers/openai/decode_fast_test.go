package openai

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// withoutNulls is a chunk as the decoder sees it: an error that is null is none.
func withoutNulls(ev chunk) chunk {
	drop := func(raw *json.RawMessage) {
		if string(*raw) == "null" {
			*raw = nil
		}
	}
	drop(&ev.Error)
	for i := range ev.Choices {
		drop(&ev.Choices[i].Error)
	}
	return ev
}

// FuzzQuickChunk holds the quick way to the thorough one: what it accepts is JSON and says the same.
func FuzzQuickChunk(f *testing.F) {
	for _, s := range []string{
		`{"id":"x","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"a\n\"é\u0041"},"finish_reason":null,"logprobs":null}],"usage":null}`,
		`{"choices":[{"index":0,"delta":{"reasoning_content":"t","content":null,"reasoning":"r","refusal":null}}],"model":"\\known"}`,
		`{"choices":[{"index":1,"delta":{"content":"a"}}]}`, `{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":0,"delta":{"content":"b"}}]}`, `{"choices":[],"choices":[{"delta":{"content":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a","content":"b"}}]}`, `{"choices":[{"delta":{"content":"a"}}],"x":[1,{"y":"\q"}]}`, `{"choices":[{"delta":{"content":"a"}}],}`,
		`{"choices":[{"delta":{"content":"a"}}],"x":01}`, `{"choices":[{"delta":{"content":"a"}}]} x`, `{"choices":[{"delta":{"content":"a"},"delta":{}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"n","arguments":"{\"a\":1}"}},{"function":{"arguments":null}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"n"},"function":{"arguments":"{}"}}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"extra_content":{}}]}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"stop","error":null}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_cache_hit_tokens":1,"prompt_tokens_details":{"cached_tokens":1}}}`,
		`{"error":{"message":"m"}}`, `{"choices":[{"error":{"code":1}}]}`, `{"choices":[{"message":{"content":"a"}}]}`, `{"x":"\ud800","y":"\/\b","choices":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		quick := chunk{Choices: []choice{{FinishReason: "of the chunk before"}}}
		if !quickChunk(data, &quick, "known") || bytes.ContainsAny(data, "ABCDEFGHIJKLMNOPQRSTUVWXYZ\u212a\u017f") {
			return // encoding/json does not tell the case of names apart
		}
		var thorough chunk
		if err := json.Unmarshal(data, &thorough); err != nil {
			t.Fatalf("%q accepted, but %v", data, err)
		}
		if diff := cmp.Diff(withoutNulls(thorough), quick, cmp.AllowUnexported(textContent{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q, thorough and quick: %s", data, diff)
		}
	})
}

func TestQuickChunkTakesTheUsual(t *testing.T) {
	for name, usual := range map[string]string{
		"text":   `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m1","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":{"content":"a\n"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x"}`,
		"call":   `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"Read","arguments":"{\"a"}}],"refusal":null},"finish_reason":null}]}`,
		"finish": `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":8,"total_tokens":18}}`,
	} {
		if !quickChunk([]byte(usual), &chunk{}, "") {
			t.Errorf("%s is left to encoding/json", name)
		}
	}
}
