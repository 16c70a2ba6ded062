package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Options is how a pattern is meant. The zero Options is case-sensitive and line by line.
type Options struct {
	IgnoreCase bool
	Multiline  bool // a match may span lines, and . fits line breaks too
}

// Pattern is a compiled pattern. It is safe for concurrent use.
type Pattern struct {
	re        *regexp.Regexp
	later     *regexp.Regexp // re where the text does not begin: \A fits nowhere
	multiline bool
	needles   needles // texts of which every match has one in it
	rust      string
}

// Compile reads a regular expression of RE2 syntax. Errors are text that a model can act on.
func Compile(pattern string, o Options) (*Pattern, error) {
	flags := syntax.Perl &^ syntax.OneLine // ^ and $ mean lines
	if o.IgnoreCase {
		flags |= syntax.FoldCase
	}
	if o.Multiline {
		flags |= syntax.DotNL
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, explain(err)
	}
	if tree, err = toLines(tree, o.Multiline); err != nil {
		return nil, err
	}
	expr := tree.String()
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, explain(err)
	}
	p := &Pattern{re: re, later: re, multiline: o.Multiline, needles: required(tree), rust: toRust(expr)}
	if notAtStart(tree) {
		if p.later, err = regexp.Compile(tree.String()); err != nil {
			return nil, explain(err)
		}
	}
	return p, nil
}

// Ripgrep is the pattern in the syntax of ripgrep's default engine.
func (p *Pattern) Ripgrep() string { return p.rust }

func explain(err error) error {
	se, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return fmt.Errorf("the pattern is no regular expression: %w", err)
	}
	switch {
	case strings.HasPrefix(se.Expr, "(?=") || strings.HasPrefix(se.Expr, "(?!") || strings.HasPrefix(se.Expr, "(?<"):
		return fmt.Errorf("the pattern has a look-around (%s), which RE2 syntax does not know; search for something simpler", se.Expr)
	case se.Code == syntax.ErrMissingParen || se.Code == syntax.ErrUnexpectedParen || se.Code == syntax.ErrMissingBracket:
		return fmt.Errorf("the pattern is no regular expression: %w; put a backslash before brackets that are meant literally", se)
	}
	return fmt.Errorf("the pattern is no regular expression: %w", se)
}

// toLines changes a tree for search in lines: $ also fits before a CR, and without multiline the ends of the text are the
// ends of a line and no line break can be asked for.
func toLines(re *syntax.Regexp, multiline bool) (*syntax.Regexp, error) {
	for i, sub := range re.Sub {
		next, err := toLines(sub, multiline)
		if err != nil {
			return nil, err
		}
		re.Sub[i] = next
	}
	switch re.Op {
	case syntax.OpLiteral:
		if !multiline && strings.ContainsRune(string(re.Rune), '\n') {
			return nil, errors.New("the pattern has a line break in it; set multiline to search across lines")
		}
	case syntax.OpBeginText:
		if !multiline {
			return &syntax.Regexp{Op: syntax.OpBeginLine}, nil
		}
	case syntax.OpEndText:
		if !multiline {
			return lineEnd(), nil
		}
	case syntax.OpEndLine:
		return lineEnd(), nil
	}
	return re, nil
}

// notAtStart makes the tree one that fits no beginning of a text, and reports whether it changed.
func notAtStart(re *syntax.Regexp) (changed bool) {
	if re.Op == syntax.OpBeginText {
		re.Op = syntax.OpNoMatch
		return true
	}
	for _, sub := range re.Sub {
		changed = notAtStart(sub) || changed
	}
	return changed
}

// lineEnd is \r?$.
func lineEnd() *syntax.Regexp {
	cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{
		{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}},
		{Op: syntax.OpEndLine},
	}}
}

// toRust rewrites what Go prints and Rust takes otherwise: \b is ASCII in Go.
func toRust(expr string) string {
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		if expr[i] != '\\' || i+1 == len(expr) {
			b.WriteByte(expr[i])
			continue
		}
		i++
		if c := expr[i]; c == 'b' || c == 'B' {
			b.WriteString(`(?-u:\` + string(c) + `)`)
			continue
		}
		b.WriteString(expr[i-1 : i+1])
	}
	return b.String()
}
