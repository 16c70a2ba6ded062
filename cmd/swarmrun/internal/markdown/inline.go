package markdown

import (
	"html"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
)

// inline is the text below a node, with its styles.
func (d *drawing) inline(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(d.span(n))
	}
	return b.String()
}

func (d *drawing) span(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		s := d.words(string(n.Segment.Value(d.src)))
		switch {
		case n.HardLineBreak():
			return s + "\n"
		case n.SoftLineBreak():
			return s + " "
		}
		return s
	case *ast.String:
		return d.words(string(n.Value))
	case *ast.CodeSpan:
		return d.codeSpan(n)
	case *ast.Emphasis:
		if n.Level > 1 {
			return styled(d.st.Strong, d.inline(n))
		}
		return styled(d.st.Emphasis, d.inline(n))
	case *ast.Link:
		return d.link(d.inline(n), string(n.Destination))
	case *ast.Image:
		return d.link("[image: "+d.inline(n)+"]", string(n.Destination))
	case *ast.AutoLink:
		return styled(d.st.Link, d.line(string(n.Label(d.src))))
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			b.Write(s.Value(d.src))
		}
		return d.line(b.String())
	}
	return d.inline(n)
}

// codeSpan keeps its marks where no style tells it apart.
func (d *drawing) codeSpan(n *ast.CodeSpan) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(d.src))
		}
	}
	s := d.line(b.String())
	if out := styled(d.st.Code, s); out != s {
		return out
	}
	return "`" + s + "`"
}

// link shows where it leads, so that no text can pretend to be another address.
func (d *drawing) link(label, to string) string {
	to = d.line(to)
	if to == "" || label == to {
		return styled(d.st.Link, label)
	}
	return styled(d.st.Link, label) + styled(d.st.Faint, " ("+to+")")
}

// words is text with its entities resolved and strikes marked.
func (d *drawing) words(s string) string {
	s = d.line(unescaped(html.UnescapeString(s)))
	for {
		before, rest, ok := strings.Cut(s, "~~")
		struck, after, closed := strings.Cut(rest, "~~")
		if !ok || !closed || struck == "" {
			return s
		}
		out := styled(d.st.Strike, struck)
		if out == struck {
			return s // the marks stay where no style says it
		}
		s = before + out + after
	}
}

// line is text that stays in its line.
func (d *drawing) line(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || c == '\r' {
			return ' '
		}
		return c
	}, d.safe(s))
}

// unescaped takes away the backslash before a mark.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// styled is text in a style; an empty one adds nothing.
func styled(st lipgloss.Style, s string) string {
	if s == "" {
		return ""
	}
	return st.Render(s)
}
