package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
