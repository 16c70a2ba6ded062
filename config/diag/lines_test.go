package diag

import "testing"

// TestLines looks up lines forwards, backwards and beyond the end, over all kinds of line ends.
func TestLines(t *testing.T) {
	l := linesOf([]byte("\ufeffone\r\ntwo\rthree\n\nfive"))
	for _, tt := range []struct {
		n    int
		want string
		ok   bool
	}{{1, "one", true}, {3, "three", true}, {2, "two", true}, {5, "five", true}, {6, "", false}, {4, "", true}, {0, "", false}, {1, "one", true}} {
		if got, ok := l.line(tt.n); got != tt.want || ok != tt.ok {
			t.Errorf("line %d is %q, %t; want %q, %t", tt.n, got, ok, tt.want, tt.ok)
		}
	}
}
