package jsontext

import "testing"

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
