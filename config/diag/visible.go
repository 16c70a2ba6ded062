package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// visible returns s as one line that cannot drive a terminal: control characters become their pictures (ESC is ␛, a line
// break ␊), invalid bytes, line separators and marks that turn the direction of text become �.
func visible(s string) string {
	if !strings.ContainsFunc(s, isHidden) && utf8.ValidString(s) {
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
	case isHidden(r):
		return unicode.ReplacementChar
	default:
		return r
	}
}

// isHidden tells whether a rune acts on its surroundings in place of being seen.
func isHidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r == '\u061c', r == '\u200e', r == '\u200f', '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
		return true // direction marks: the text on the screen would not be the text in the file
	case '\U000e0000' <= r && r <= '\U000e007f':
		return true // tag characters: text that nobody sees and a model reads
	default:
		return false
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
