package jsontext

import "testing"

// Every byte at every place of a word, behind and before others that need an escape: what comes before the first is counted.
func TestPlain8(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			for _, rest := range []byte("a\x00\x1f\"\\\xff") {
				b := []byte("aaaaaaaa")
				b[at] = byte(c)
				want := 8
				for i := at + 1; i < 8; i++ {
					b[i] = rest
				}
				switch needs := func(c byte) bool { return c < ' ' || c == '"' || c == '\\' || c >= 0x80 }; {
				case needs(byte(c)):
					want = at
				case needs(rest) && at < 7:
					want = at + 1
				}
				if got := plain8(string(b)); got != want {
					t.Errorf("%q: %d plain bytes, want %d", b, got, want)
				}
			}
		}
	}
}
