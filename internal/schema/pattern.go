package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxStates bounds the states of all patterns of a schema: x{1000} is short, has a thousand of them, and each takes memory
// and is looked at for each character.
const maxStates = 100_000

// pattern is a regular expression that knows what it costs.
type pattern struct {
	*regexp.Regexp
	states int
}

// newPattern compiles a pattern that has at most so many states. Of one that has more they are counted.
func newPattern(text string, most int) (pattern, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{}, errors.New(patternMessage(text, err))
	}
	states := statesOf(parsed)
	if states > most {
		return pattern{states: states}, fmt.Errorf("the pattern %s makes those of the schema too large together: repeat less", display(text))
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return pattern{}, errors.New(patternMessage(text, err))
	}
	return pattern{re, states}, nil
}

// statesOf is about how many instructions a pattern becomes, with those that only hold characters counted by their size.
func statesOf(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/8
	for _, sub := range re.Sub {
		n += statesOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// match counts what it takes: a step is about twenty states at a character.
func (p pattern) match(v *visit, s string) bool {
	v.spend(1 + len(s)/8*(1+p.states/16))
	return v.broken == "" && p.MatchString(s)
}

// pattern compiles one that stands at some steps from here; false where that is refused. Those behind the one that was too much
// are not looked at.
func (p *part) pattern(text, steps string) (pattern, bool) {
	if p.states > maxStates {
		return pattern{}, false
	}
	compiled, err := newPattern(text, maxStates-p.states)
	if err != nil {
		p.refuse(p.node.at+steps, err.Error())
	}
	p.states += compiled.states
	return compiled, err == nil
}

func patternRule(p pattern) rule {
	words := mustMatch(p.String())
	return func(v *visit) {
		if s, ok := v.value.(string); ok && !p.match(v, s) {
			v.fault(func() string { return words(s) })
		}
	}
}

// mustMatch is what is said of a text that does not match.
func mustMatch(pattern string) func(string) string {
	return func(s string) string {
		return fmt.Sprintf("must match the pattern %s, and %s does not", cut(pattern, patternBytes), display(s))
	}
}

// regexRule is the format regex.
func regexRule(v *visit) {
	s, ok := v.value.(string)
	if !ok {
		return
	}
	if v.spend(len(s)); v.broken != "" {
		return
	}
	if err := isPattern(s); err != nil {
		v.fault(func() string { return patternMessage(s, err) })
	}
}

func isPattern(s string) error {
	_, err := syntax.Parse(s, syntax.Perl)
	return err
}

// patternMessage gives the reason alone: the library repeats the pattern in it.
func patternMessage(pattern string, err error) string {
	reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	return fmt.Sprintf("the pattern %s is not RE2: %s", display(pattern), cut(reason, patternBytes))
}
