package markdown

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Styles are the looks of what stands in a text. The zero Styles writes no sequences.
type Styles struct {
	Heading, Strong, Emphasis, Strike, Code, Link, Faint lipgloss.Style
}

// Renderer draws texts. It is safe for concurrent use.
type Renderer struct {
	st     Styles
	safe   func(string) string
	parser parser.Parser
}

// New makes a renderer. safe takes out of a text what would steer a terminal; every piece of a text passes it, after its
// entities are resolved.
func New(st Styles, safe func(string) string) *Renderer {
	return &Renderer{st: st, safe: safe, parser: parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))}
}

// narrowest is the width below which nothing is wrapped further.
const narrowest = 4

// Render is the text as lines of at most width cells.
func (r *Renderer) Render(source string, width int) []string {
	src := []byte(source)
	root := r.parser.Parse(text.NewReader(src))
	return (&drawing{r, src}).blocks(root, max(width, narrowest), true)
}

// Settled is how many bytes of a text that grows are blocks that nothing behind them can change: all before the last one.
func (r *Renderer) Settled(source string) int {
	root := r.parser.Parse(text.NewReader([]byte(source)))
	last := root.LastChild()
	if last == nil || last == root.FirstChild() {
		return 0
	}
	at := min(max(last.Pos(), 0), len(source))
	return strings.LastIndexByte(source[:at], '\n') + 1
}

// drawing is one text on its way.
type drawing struct {
	*Renderer
	src []byte
}

// blocks draws the children of a node, with an empty line between them where they are loose.
func (d *drawing) blocks(parent ast.Node, width int, loose bool) []string {
	var out []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := d.block(n, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && loose {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (d *drawing) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return wrap(styled(d.st.Heading, strings.Repeat("#", n.Level)+" "+d.inline(n)), width)
	case *ast.Paragraph, *ast.TextBlock:
		if rows := d.table(n); rows != nil {
			return d.drawTable(rows, width)
		}
		return wrap(d.inline(n), width)
	case *ast.List:
		return d.list(n, width)
	case *ast.Blockquote:
		return prefixed(d.blocks(n, max(width-2, narrowest), true), styled(d.st.Faint, "│ "), styled(d.st.Faint, "│ "))
	case *ast.FencedCodeBlock:
		return d.code(n, string(n.Language(d.src)), width)
	case *ast.CodeBlock:
		return d.code(n, "", width)
	case *ast.HTMLBlock:
		return d.raw(n, width)
	case *ast.ThematicBreak:
		return []string{styled(d.st.Faint, strings.Repeat("─", min(width, 40)))}
	}
	return nil
}

func (d *drawing) list(l *ast.List, width int) []string {
	var out []string
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "• "
		if l.IsOrdered() {
			marker = fmt.Sprintf("%d. ", number)
			number++
		}
		indent := strings.Repeat(" ", len([]rune(marker)))
		lines := d.blocks(item, max(width-len(indent), narrowest), !l.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if len(out) > 0 && !l.IsTight {
			out = append(out, "")
		}
		out = append(out, prefixed(lines, marker, indent)...)
	}
	return out
}

// code is lines as they are, cut into pieces where they are too long.
func (d *drawing) code(n ast.Node, language string, width int) []string {
	var out []string
	if language != "" {
		out = append(out, styled(d.st.Faint, cells("  "+d.safe(language), width)))
	}
	lines := n.Lines()
	for i := range lines.Len() {
		s := lines.At(i)
		line := strings.TrimRight(d.safe(strings.ReplaceAll(string(s.Value(d.src)), "\t", "    ")), "\r\n ")
		for _, piece := range chop(line, max(width-2, narrowest)) {
			out = append(out, "  "+styled(d.st.Code, piece))
		}
	}
	return out
}

// raw is HTML as it is written: it is shown, never followed.
func (d *drawing) raw(n *ast.HTMLBlock, width int) []string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(d.src))
	}
	if n.HasClosure() {
		b.Write(n.ClosureLine.Value(d.src))
	}
	return wrap(strings.TrimRight(d.safe(b.String()), "\n"), width)
}

// prefixed puts something before the first line and before the others.
func prefixed(lines []string, first, rest string) []string {
	for i, line := range lines {
		if i == 0 {
			lines[i] = first + line
		} else {
			lines[i] = rest + line
		}
	}
	return lines
}
