package jsonpath

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSteps bounds a path.
const maxSteps = 100

// Path is a compiled path. It does not change.
type Path struct {
	text  string
	steps []Step
}

// Step is one move downwards: to a member, to an element, or (All) to everything.
type Step struct {
	Name    string
	Index   int // of an element; negative counts from the end
	Element bool
	All     bool
}

// Error is what is wrong with a path.
type Error struct {
	Message string
	Offset  int // in characters from the beginning
}

// Error is the message with its place.
func (e *Error) Error() string { return fmt.Sprintf("%s (at character %d)", e.Message, e.Offset+1) }

// Compile reads a path: $, then any of .name, ['name'], [0], [-1], [*] and .*. The error is an *Error.
func Compile(text string) (*Path, error) {
	p := &parser{text: text}
	if !strings.HasPrefix(text, "$") {
		return nil, p.fault("a path begins with $, the whole value")
	}
	p.at = 1
	out := &Path{text: text}
	for p.at < len(text) {
		s, err := p.step()
		if err != nil {
			return nil, err
		}
		if out.steps = append(out.steps, s); len(out.steps) > maxSteps {
			return nil, p.fault(fmt.Sprintf("the path has more than %d steps", maxSteps))
		}
	}
	return out, nil
}

// String is the path as written.
func (p *Path) String() string { return p.text }

// Steps are the moves of the path.
func (p *Path) Steps() []Step { return p.steps }

// Find returns what the path leads to, in order, members of an object by name; empty: nothing is there. The value is made of
// map[string]any, []any and scalars.
func (p *Path) Find(value any) []any {
	found := []any{value}
	for _, s := range p.steps {
		var next []any
		for _, v := range found {
			next = s.from(v, next)
		}
		found = next
	}
	return found
}

// Missing is the part of the path up to the first step that leads nowhere; "" when all of it leads somewhere.
func (p *Path) Missing(value any) string {
	found, name := []any{value}, "$"
	for _, s := range p.steps {
		var next []any
		for _, v := range found {
			next = s.from(v, next)
		}
		name += s.String()
		if len(next) == 0 {
			return name
		}
		found = next
	}
	return ""
}

func (s Step) from(v any, to []any) []any {
	switch v := v.(type) {
	case map[string]any:
		if s.All {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				to = append(to, v[name])
			}
		} else if e, ok := v[s.Name]; ok && !s.Element {
			to = append(to, e)
		}
	case []any:
		i := s.Index
		if i < 0 {
			i += len(v)
		}
		switch {
		case s.All:
			to = append(to, v...)
		case s.Element && i >= 0 && i < len(v):
			to = append(to, v[i])
		}
	}
	return to
}

// String is the step as it is written in a path.
func (s Step) String() string {
	switch {
	case s.All:
		return "[*]"
	case s.Element:
		return "[" + strconv.Itoa(s.Index) + "]"
	case isName(s.Name):
		return "." + s.Name
	}
	return "[" + strconv.Quote(s.Name) + "]"
}

type parser struct {
	text string
	at   int
}

func (p *parser) fault(message string) *Error {
	return &Error{message, utf8.RuneCountInString(p.text[:p.at])}
}

func (p *parser) step() (Step, error) {
	switch rest := p.text[p.at:]; {
	case strings.HasPrefix(rest, ".."):
		return Step{}, p.fault("a path that searches all levels (..) is not understood; name each level")
	case strings.HasPrefix(rest, ".*"):
		p.at += 2
		return Step{All: true}, nil
	case rest[0] == '.':
		p.at++
		n := nameLength(p.text[p.at:])
		if n == 0 {
			return Step{}, p.fault("a name has to follow the dot; write ['…'] for one with other characters than letters, digits, _ and -")
		}
		p.at += n
		return Step{Name: p.text[p.at-n : p.at]}, nil
	case rest[0] == '[':
		return p.bracket()
	}
	return Step{}, p.fault("a step begins with a dot or a bracket")
}

func (p *parser) bracket() (Step, error) {
	rest := p.text[p.at+1:]
	if strings.HasPrefix(rest, "?") {
		return Step{}, p.fault("filters are not understood; use an expression (expr)")
	}
	if rest != "" && (rest[0] == '\'' || rest[0] == '"') {
		name, after, ok := strings.Cut(rest[1:], rest[:1]+"]")
		if !ok {
			return Step{}, p.fault("the quoted name is never closed")
		}
		p.at = len(p.text) - len(after)
		return Step{Name: name}, nil
	}
	inner, after, ok := strings.Cut(rest, "]")
	if !ok {
		return Step{}, p.fault("the bracket is never closed")
	}
	if inner == "*" {
		p.at = len(p.text) - len(after)
		return Step{All: true}, nil
	}
	i, err := strconv.Atoi(inner)
	if err != nil {
		return Step{}, p.fault("in brackets stands a number, a quoted name or *")
	}
	p.at = len(p.text) - len(after)
	return Step{Index: i, Element: true}, nil
}

// nameLength is how many bytes of text are a name without quotes.
func nameLength(text string) int {
	for i, r := range text {
		if r != '_' && r != '-' && r < 0x80 && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') {
			return i
		}
	}
	return len(text)
}

func isName(s string) bool { return s != "" && nameLength(s) == len(s) }
