package webtext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// table writes a table of data as one in Markdown; a table that lays out a page is written as what is in it.
func (r *renderer) table(n *html.Node) {
	if r.marks >= maxMarks || layout(n) {
		r.block(func() { r.children(n) })
		return
	}
	r.block(func() {
		first := true
		for row := range n.Descendants() {
			if row.DataAtom == atom.Caption {
				r.emit(r.inline(row))
				r.line(2)
			}
			if row.DataAtom != atom.Tr || unseen(row) {
				continue
			}
			cells := r.cells(row)
			if len(cells) == 0 {
				continue
			}
			r.emit("| " + strings.Join(cells, " | ") + " |")
			r.line(1)
			if first {
				r.emit("|" + strings.Repeat("---|", len(cells)))
				r.line(1)
				first = false
			}
		}
	})
}

func (r *renderer) cells(row *html.Node) (cells []string) {
	for c := range row.ChildNodes() {
		if (c.DataAtom == atom.Td || c.DataAtom == atom.Th) && !unseen(c) {
			cells = append(cells, strings.ReplaceAll(r.inline(c), "|", `\|`))
		}
	}
	return cells
}

// layout reports whether a table has cells that hold more than running text.
func layout(n *html.Node) bool {
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.Table, atom.Ul, atom.Ol, atom.Pre, atom.H1, atom.H2, atom.H3, atom.Article, atom.Section, atom.Form, atom.Blockquote:
			return true
		}
	}
	return false
}
