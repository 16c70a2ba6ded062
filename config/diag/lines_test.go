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

// TestRangeText cuts what stands at a range out of its text, by characters.
func TestRangeText(t *testing.T) {
	text := []byte("name: a\r\ngröße: [x,\n  y]\n")
	for _, tt := range []struct {
		at   Range
		want string
	}{
		{At("f", 2, 1, 5), "größe"},
		{At("f", 1, 7, 0), ""},
		{At("f", 1, 7, 90), "a"},
		{Range{"f", Place(2, 8), Place(3, 5)}, "[x,"},
		{At("f", 9, 1, 3), ""},
		{Range{File: "f"}, ""},
	} {
		if got := tt.at.Text(text); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.at, got, tt.want)
		}
	}
}
