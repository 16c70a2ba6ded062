package config

import (
	"regexp"
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

// dollar is a placeholder by number; before it no backslash, which would make it plain text.
var dollar = regexp.MustCompile(`(^|[^\\])(\$([0-9]+)([.,][0-9])?)`)

// dollars tells of $1 and its like where they are hardly meant as arguments: in code, and in amounts of money. A file that
// says what arguments it takes means them, money excepted.
func (d *decoder) dollars(s *Skill, body string) {
	if !strings.Contains(body, "$") {
		return
	}
	declared := s.Arguments.Set() || s.Hint.Set()
	var code func(int) bool
	first, more := -1, 0
	width := 0
	for _, m := range dollar.FindAllStringSubmatchIndex(body, -1) {
		money := m[8] >= 0 || m[7]-m[6] > 1
		if !money && declared {
			continue
		}
		if !money {
			if code == nil {
				code = codeOf(body)
			}
			if !code(m[4]) {
				continue
			}
		}
		if first < 0 {
			first, width = m[4], m[7]-m[4]
			continue
		}
		more++
	}
	if first < 0 {
		return
	}
	x := diag.New("L-SKILL-DOLLAR", d.doc.BodyRange(first, width), "%s stands for an argument", body[first:first+width]).
		Explain("It is replaced when the skill is used with arguments, in code too.").
		Suggest("write \\%s for the characters themselves", body[first:first+width])
	if more > 0 {
		x = x.Explain("It is replaced when the skill is used with arguments, in code too. There are %d more.", more)
	}
	d.add(x)
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
