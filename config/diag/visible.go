package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/printable"
	"golang.org/x/text/width"
)

// visible returns s as one line that cannot drive a terminal: control characters become their pictures (ESC is ␛, a line
// break ␊), invalid bytes, line separators and marks that turn the direction of text become �.
func visible(s string) string {
	if !strings.ContainsFunc(s, printable.Hidden) && utf8.ValidString(s) {
		return s
	}
	return strings.Map(show, s)
}

// visibleLines is visible for text of several lines: its line breaks stay.
func visibleLines(s string) string {
	lines := splitLines(s)
	for i, line := range lines {
		lines[i] = visible(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// show maps a rune to what stands for it on the screen.
func show(r rune) rune {
	switch {
	case r < ' ':
		return '␀' + r
	case r == 0x7f:
		return '␡'
	case printable.Hidden(r):
		return unicode.ReplacementChar
	default:
		return r
	}
}

// cells is how many columns of a terminal a visible rune takes.
func cells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// splitLines cuts at LF, CRLF and bare CR, as the loader counts lines. There is always at least one.
func splitLines(s string) []string {
	var lines []string
	for {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			return append(lines, s)
		}
		lines = append(lines, s[:i])
		if s[i] == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			i++
		}
		s = s[i+1:]
	}
}
