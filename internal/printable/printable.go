package printable

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// sequence is a control sequence of terminals: colours, titles, links, moves.
var sequence = lazy.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[PX^_][^\x1b]*(?:\x1b\\\\)?|[ -/]*[0-~])")

// Hidden tells whether a rune acts on its surroundings in place of being seen. Line breaks and tabs do.
func Hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case unicode.Is(unicode.Bidi_Control, r):
		return true // the text on the screen would not be the text that is there
	default:
		return '\U000e0000' <= r && r <= '\U000e007f' // tags: text that nobody sees and a model reads
	}
}

// Text is a text without hidden runes. All that can be seen stays, also of a control sequence: whoever is asked about a command
// must see what a shell would see of it. Its lines and tabs stay; invalid bytes become �.
func Text(s string) string {
	if !strings.ContainsFunc(s, steers) && utf8.ValidString(s) {
		return s
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case steers(r):
			return -1
		}
		return r
	}, s)
}

// Unstyled is Text without control sequences, for texts in which they are nothing but colours: words of servers, what programs
// have written.
func Unstyled(s string) string {
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = sequence.Get().ReplaceAllString(s, "")
	}
	return Text(s)
}

// Line is a text on one line, with one blank in place of blanks, line breaks and hidden runes.
func Line(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool { return Hidden(r) || unicode.IsSpace(r) }), " ")
}

func steers(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) }
