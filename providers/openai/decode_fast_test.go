package openai

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzQuickText holds the quick way to the thorough one: what it accepts is JSON and says the same.
func FuzzQuickText(f *testing.F) {
	for _, s := range []string{
		`{"id":"x","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"a\n\"é\u0041"},"finish_reason":null,"logprobs":null}],"usage":null}`,
		`{"choices":[{"index":0,"delta":{"reasoning_content":"t","content":null}}]}`,
		`{"choices":[{"index":1,"delta":{"content":"a"}}]}`, `{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":0,"delta":{"content":"b"}}]}`, `{"choices":[],"choices":[{"delta":{"content":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a","content":"b"}}]}`, `{"choices":[{"delta":{"content":"a"}}],"x":[1,{"y":"\q"}]}`, `{"choices":[{"delta":{"content":"a"}}],}`,
		`{"choices":[{"delta":{"content":"a"}}],"x":01}`, `{"choices":[{"delta":{"content":"a"}}]} x`, `{"choices":[{"delta":{"content":"a"},"delta":{}}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		quick, ok := quickText(data)
		if !ok || bytes.ContainsAny(data, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") { // encoding/json does not tell the case of names apart
			return
		}
		var ev chunk
		if err := json.Unmarshal(data, &ev); err != nil {
			t.Fatalf("%q accepted, but %v", data, err)
		}
		d := &chatDecoder{}
		d.head(&ev)
		text, thought := d.message(&ev.Choices[0].Delta)
		if inBand(&ev, data) != nil || len(ev.Choices) != 1 || ev.Choices[0].Index != 0 || ev.Choices[0].FinishReason != "" || d.calls.Len() > 0 || d.refusal || ev.Usage != nil {
			t.Errorf("%q is no plain text", data)
		}
		if text != quick.text || thought != quick.thought || d.answer.Model != quick.model {
			t.Errorf("%q: quick %+v, thorough %q %q %q", data, quick, text, thought, d.answer.Model)
		}
	})
}

func TestQuickTextTakesTheUsualChunk(t *testing.T) {
	const usual = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m1","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":{"content":"a\n"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x"}`
	if c, ok := quickText([]byte(usual)); !ok || c.text != "a\n" || c.model != "m1" {
		t.Errorf("%+v %v", c, ok)
	}
}
