package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// Bounds of what a server says.
const (
	maxDescription = 4 << 10 // characters of a tool's description
	maxSchema      = 64 << 10
	maxTools       = 512
	maxPages       = 128
	maxMessage     = 2 << 10 // bytes of its words in our messages
)

// sequence is a control sequence of terminals: colours, titles, links.
var sequence = lazy.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[PX^_][^\x1b]*(?:\x1b\\\\)?|[ -/]*[0-~])")

// clean is text of a server without control sequences and characters that move or hide what a person sees. Line breaks and
// tabs stay.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = sequence.Get().ReplaceAllString(s, "")
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		case r >= 0xE0000 && r <= 0xE007F: // tags: text that nobody sees
			return -1
		}
		return r
	}, s)
}

// short is clean text of at most n bytes.
func short(s string, n int) string {
	s = strings.TrimSpace(clean(s))
	if len(s) <= n {
		return s
	}
	s = s[:n]
	for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if r, size := utf8.DecodeLastRuneInString(s); r == utf8.RuneError && size == 1 {
		s = s[:len(s)-1]
	}
	return s + " …"
}
