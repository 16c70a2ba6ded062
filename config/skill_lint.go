package config

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/swarmrun/swarmrun/config/diag"
)

// bodyText tells of what a body says that its author may not mean.
func (d *decoder) bodyText(s *Skill) {
	body := d.doc.Body
	if n := utf8.RuneCountInString(body); n > longSkill {
		d.add(diag.New("L-SKILL-LONG", s.Body, "the body has %d characters; all of them go into the context of the model", n).
			Suggest("move parts into files of the folder, which the model reads when it needs them"))
	}
	if i := strings.IndexFunc(body, unseen); i >= 0 {
		d.add(diag.New("W-SKILL-TEXT", d.doc.BodyRange(i, 1), "the body holds characters that are not shown").
			Explain("Control characters and invisible ones are left out of what models see.").Suggest("remove them"))
	}
	if s.Verbatim && !d.foreign {
		return
	}
	s.Verbatim = false
	d.dollars(s, body)
}

// unseen are characters that nobody sees, or that act on a screen: control characters but line breaks and tabs, and tags.
func unseen(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || 0xe0000 <= r && r <= 0xe007f
}

// dollars tells of $1 and its like where they are hardly meant as arguments: in code, and in amounts of money. A file that
// says what arguments it takes means them, money excepted.
func (d *decoder) dollars(s *Skill, body string) {
	declared := s.Arguments.Set() || s.Hint.Set()
	var code func(int) bool
	var first string
	at, more := 0, 0
	for i := strings.IndexByte(body, '$'); i >= 0; {
		text, money := numbered(body[i:])
		switch {
		case text == "" || i > 0 && body[i-1] == '\\' || declared && !money:
			text = ""
		case !money:
			if code == nil {
				code = codeOf(body)
			}
			if !code(i) {
				text = ""
			}
		}
		switch {
		case text != "" && first == "":
			first, at = text, i
		case text != "":
			more++
		}
		next := strings.IndexByte(body[i+1:], '$')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if first == "" {
		return
	}
	x := diag.New("L-SKILL-DOLLAR", d.doc.BodyRange(at, len(first)), "%s stands for an argument", first).
		Explain("It is replaced when the skill is used with arguments, in code too.").
		Suggest("write \\%s for the characters themselves", first)
	if more > 0 {
		x = x.Explain("It is replaced when the skill is used with arguments, in code too. There are %d more.", more)
	}
	d.add(x)
}

// numbered is the placeholder by number that a text begins with, and whether it reads like an amount of money; "" = none.
func numbered(text string) (placeholder string, money bool) {
	digit := func(i int) bool { return i < len(text) && '0' <= text[i] && text[i] <= '9' }
	n := 1
	for digit(n) {
		n++
	}
	if n == 1 {
		return "", false
	}
	if n < len(text) && (text[n] == '.' || text[n] == ',') && digit(n+1) {
		return text[:n+2], true
	}
	return text[:n], n > 2
}

// codeOf tells which offsets of a Markdown text lie in code.
func codeOf(body string) func(int) bool {
	src := []byte(body)
	type stretch struct{ from, to int }
	var code []stretch
	_ = ast.Walk(markdown(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				l := n.Lines().At(i)
				code = append(code, stretch{l.Start, l.Stop})
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					code = append(code, stretch{t.Segment.Start, t.Segment.Stop})
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return func(i int) bool {
		for _, c := range code {
			if c.from <= i && i < c.to {
				return true
			}
		}
		return false
	}
}
