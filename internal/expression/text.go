package expression

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// Text is a text with expressions in ${{ }}. It does not change and may be used by many goroutines.
type Text struct {
	parts []part
}

// part is plain text, or an expression.
type part struct {
	text    string
	program *Program
	line    int // of the expression in the text, from 1
	column  int // from 1
}

// CompileText reads a text. The places of its *Error are those in the text.
func CompileText(text string, env map[string]any) (*Text, error) {
	t := &Text{}
	line, column := 1, 1
	advance := func(s string) {
		for _, r := range s {
			column++
			if r == '\n' {
				line, column = line+1, 1
			}
		}
	}
	for text != "" {
		before, rest, found := strings.Cut(text, "${{")
		t.parts = append(t.parts, part{text: before})
		if !found {
			break
		}
		advance(before)
		source, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, &Error{Message: "a ${{ is never closed: write }} behind the expression", Line: line, Column: column}
		}
		advance("${{")
		p, err := Compile(source, env, false)
		if err != nil {
			return nil, moved(err, line, column)
		}
		t.parts = append(t.parts, part{program: p, line: line, column: column})
		advance(source + "}}")
		text = after
	}
	return t, nil
}

// moved is an error of an expression at its place in the text around it.
func moved(err error, line, column int) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	out := *e
	switch {
	case e.Line <= 1:
		out.Line, out.Column = line, column+max(e.Column-1, 0)
	default:
		out.Line = line + e.Line - 1
	}
	return &out
}

// Alone tells whether the text is one expression and nothing else.
func (t *Text) Alone() bool {
	n := 0
	for _, p := range t.parts {
		if p.program != nil {
			n++
		} else if p.text != "" {
			return false
		}
	}
	return n == 1
}

// Through tells whether all its expressions are calls of one function.
func (t *Text) Through(function string) bool {
	for _, p := range t.parts {
		if p.program != nil && p.program.call != function {
			return false
		}
	}
	return true
}

// Uses are the members that its expressions name, at their places in the text.
func (t *Text) Uses() []Use {
	var all []Use
	for _, p := range t.parts {
		if p.program == nil {
			continue
		}
		for _, u := range p.program.uses {
			if u.Line == 1 {
				u.Column += p.column - 1
			}
			u.Line += p.line - 1
			all = append(all, u)
		}
	}
	return all
}

// Eval fills the text in. What is no text stands in it as JSON, nothing as nothing.
func (t *Text) Eval(env map[string]any) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
		if p.program == nil {
			continue
		}
		v, err := p.program.Eval(env)
		if err != nil {
			return "", moved(err, p.line, p.column)
		}
		switch v := v.(type) {
		case nil:
		case string:
			b.WriteString(v)
		default:
			raw, err := jsontext.Marshal(v)
			if err != nil {
				return "", fmt.Errorf("%s yields no JSON value: %w", p.program, err)
			}
			b.Write(json.RawMessage(raw))
		}
		if b.Len() > maxResult {
			return "", &Error{Message: "the text becomes longer than 1 MiB"}
		}
	}
	return b.String(), nil
}
