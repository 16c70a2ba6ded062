package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every byte at every place of a word: what needs an escape is never taken for plain.
func TestPlain8(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			b := []byte("aaaaaaaa")
			b[at] = byte(c)
			needs := c < ' ' || c == '"' || c == '\\' || c >= 0x80
			if needs && plain8(string(b)) {
				t.Errorf("%q is taken for plain", b)
			}
		}
	}
	if !plain8("plain 8 bytes, and more") {
		t.Error("plain text is not taken for plain")
	}
}

func TestBody(t *testing.T) {
	b := NewBody(0, map[string]json.RawMessage{"mine": json.RawMessage(`1`), "a": json.RawMessage(`[2]`)})
	if !b.Key("text") {
		t.Fatal("text is free")
	}
	b.String("x\n" + strings.Repeat("é", 9) + "\x01")
	if b.Key("mine") {
		t.Fatal("mine is replaced")
	}
	b.Key("blob")
	b.Base64("data:image/png;base64,", []byte("img"))
	b.Key("list")
	b.Value([]string{"<&>"})
	const want = `{"text":"x\néééééééééSOH","blob":"data:image/png;base64,aW1n","list":["\u003c\u0026\u003e"],"a":[2],"mine":1}`
	if diff := cmp.Diff(strings.Replace(want, "SOH", `\u0001`, 1), string(b.End())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
