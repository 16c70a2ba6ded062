package hookevent

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// Matcher chooses among the occurrences of an event. The zero Matcher takes all.
type Matcher struct {
	text  string
	exact []string
	re    *regexp.Regexp
}

// plain is a matcher that is a name, or names between | or commas, and no pattern.
var plain = lazy.MustCompile(`^[A-Za-z0-9_,| -]*$`)

// ParseMatcher reads a matcher: nothing or * is everything, letters, digits, _ and - are an exact name, | and commas make a
// list of names, and anything else is an unanchored pattern. The error names what RE2 does not have.
func ParseMatcher(text string) (Matcher, error) {
	m := Matcher{text: text}
	if text == "" || text == "*" {
		return m, nil
	}
	if !plain.Get().MatchString(text) {
		re, err := regexp.Compile(text)
		if err != nil {
			return Matcher{}, inWords(err)
		}
		m.re = re
		return m, nil
	}
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '|' || r == ',' }) {
		if name = strings.TrimSpace(name); name != "" {
			m.exact = append(m.exact, name)
		}
	}
	return m, nil
}

// inWords is a compile error without its prefix, with what is missing named.
func inWords(err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err
	}
	switch {
	case strings.HasPrefix(bad.Expr, "(?=") || strings.HasPrefix(bad.Expr, "(?!"):
		return errors.New("look-ahead " + bad.Expr + " does not exist in RE2")
	case strings.HasPrefix(bad.Expr, "(?<=") || strings.HasPrefix(bad.Expr, "(?<!"):
		return errors.New("look-behind " + bad.Expr + " does not exist in RE2")
	case len(bad.Expr) == 2 && bad.Expr[0] == '\\' && bad.Expr[1] >= '1' && bad.Expr[1] <= '9':
		return errors.New("the back-reference " + bad.Expr + " does not exist in RE2")
	}
	return errors.New(bad.Code.String() + ": " + bad.Expr)
}

// Hits tells whether one of the names of what happens is meant.
func (m Matcher) Hits(values ...string) bool {
	switch {
	case m.text == "" || m.text == "*":
		return true
	case m.re != nil:
		return slices.ContainsFunc(values, m.re.MatchString)
	}
	return slices.ContainsFunc(values, func(v string) bool { return slices.Contains(m.exact, v) })
}

// String is the matcher as it is written.
func (m Matcher) String() string { return m.text }

// Names are the names that it lists; none where it is a pattern.
func (m Matcher) Names() []string { return slices.Clone(m.exact) }

// Dead is a name in the list that no tool can have, since it is that of a server; "" = there is none.
func (m Matcher) Dead() string {
	for _, name := range m.exact {
		if server, ok := strings.CutPrefix(name, "mcp__"); ok && !strings.Contains(server, "__") {
			return name
		}
	}
	return ""
}
