package skills

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// Tokens estimates what a text costs: four characters are about one token.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// unseen are characters that a model reads and a person does not, or that act on a terminal.
func unseen(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || 0xe0000 <= r && r <= 0xe007f
}

// clean leaves out what nobody sees.
func clean(text string) string {
	if !strings.ContainsFunc(text, unseen) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// attribute is a text as the value of an attribute or the content of an element, on one line.
func attribute(text string) string {
	return html.EscapeString(strings.Join(strings.Fields(clean(text)), " "))
}

var (
	ours     = lazy.MustCompile(`(?i)<(/?\s*(skill_content|skill_resources|available_skills)\b)`)
	fileEnds = lazy.MustCompile(`(?i)<(/\s*file\b)`)
)

// inert is a text in which none of our elements begins or ends.
func inert(text string) string { return ours.Get().ReplaceAllString(clean(text), "&lt;$1") }

// attachment is a text that stands in an element of its own.
func attachment(text string) string { return fileEnds.Get().ReplaceAllString(inert(text), "&lt;$1") }
