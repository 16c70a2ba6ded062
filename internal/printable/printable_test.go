package printable

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ in, text, unstyled, line string }{
		{"plain", "plain", "plain", "plain"},
		{"two\n\tlines", "two\n\tlines", "two\n\tlines", "two lines"},
		{"größe 木 \U0001F600", "größe 木 \U0001F600", "größe 木 \U0001F600", "größe 木 \U0001F600"},
		{"\x1b[31mred\x1b[0m", "[31mred[0m", "red", "[31mred [0m"},
		{"ls \x1b]0;; rm x\x07", "ls ]0;; rm x", "ls ", "ls ]0;; rm x"}, // a shell would run it
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "]8;;http://x\\link]8;;\\", "link", "]8;;http://x \\link ]8;; \\"},
		{"\x1bPdevice\x1b\\shown", "Pdevice\\shown", "shown", "Pdevice \\shown"},
		{"\x1b(Bshown\x1b7", "(Bshown7", "shown", "(Bshown 7"},
		{"cut \x1b", "cut ", "cut ", "cut"},
		{"bell\a back\b null\x00 del\x7f c1\u009b", "bell back null del c1", "bell back null del c1", "bell back null del c1"},
		{"one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour", "one\ntwo\nthree\nfour", "one two three four"},
		{"abc\u202edcba\u2066x\u200e", "abcdcbax", "abcdcbax", "abc dcba x"},
		{"no\U000e0041\U000e0042tags", "notags", "notags", "no tags"},
		{"bad \xff byte", "bad \uFFFD byte", "bad \uFFFD byte", "bad \uFFFD byte"},
		{"", "", "", ""},
	} {
		if got := Text(tt.in); got != tt.text {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.text)
		}
		if got := Unstyled(tt.in); got != tt.unstyled {
			t.Errorf("Unstyled(%q) = %q, want %q", tt.in, got, tt.unstyled)
		}
		if got := Line(tt.in); got != tt.line {
			t.Errorf("Line(%q) = %q, want %q", tt.in, got, tt.line)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b]8;;x\x1b\\y\r\n\u202e\xff\x1b[1")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if strings.ContainsFunc(got, steers) || !utf8.ValidString(got) || Text(got) != got {
			t.Errorf("Text(%q) = %q", s, got)
		}
		if got := Unstyled(s); strings.ContainsFunc(got, steers) || Unstyled(got) != got {
			t.Errorf("Unstyled(%q) = %q", s, got)
		}
		if line := Line(s); strings.ContainsAny(line, "\n\t") {
			t.Errorf("Line(%q) = %q", s, line)
		}
	})
}
