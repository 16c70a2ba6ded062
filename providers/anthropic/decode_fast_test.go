package anthropic

import (
	"encoding/json"
	"testing"
)

// FuzzQuickText holds the quick way to the thorough one.
func FuzzQuickText(f *testing.F) {
	for _, s := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\n\"é\u0041"}}`,
		`{"type":"content_block_delta","index":12,"delta":{"text":"","type":"text_delta"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a"}}`,
		`{"type":"content_block_delta","index":0,"index":1,"delta":{"type":"text_delta","text":"a"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		quick, ok := quickText(data)
		if !ok {
			return
		}
		var ev event
		if err := json.Unmarshal(data, &ev); err != nil {
			t.Fatalf("%q accepted, but %v", data, err)
		}
		if ev.Type != "content_block_delta" || ev.Delta.Type != "text_delta" || ev.Index != quick.index || ev.Delta.Text != quick.text {
			t.Errorf("%q: quick %+v, thorough %+v", data, quick, ev)
		}
	})
}

func TestQuickTextTakesTheUsualEvent(t *testing.T) {
	c, ok := quickText([]byte(`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a\n"}      }`))
	if !ok || c.text != "a\n" || c.index != 1 {
		t.Errorf("%+v %v", c, ok)
	}
}
