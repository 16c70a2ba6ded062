package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// table takes a paragraph that is a table apart: its rows of cells, the head first; nil when it is none. It is done here since
// goldmark's own extension costs every command of the program a millisecond at its start.
func (d *drawing) table(n ast.Node) [][]string {
	lines := n.Lines()
	if lines.Len() < 2 {
		return nil
	}
	at := func(i int) string { s := lines.At(i); return string(s.Value(d.src)) }
	head := split(at(0))
	if !strings.Contains(at(0), "|") || !ruled(split(at(1)), len(head)) {
		return nil
	}
	rows := [][]string{head}
	for i := 2; i < lines.Len(); i++ {
		row := split(at(i))
		for len(row) < len(head) {
			row = append(row, "")
		}
		rows = append(rows, row[:len(head)])
	}
	return rows
}

// split is the cells of a line; a bar behind a backslash, or between back ticks, is text.
func split(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	var out []string
	var cell strings.Builder
	code := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && line[i+1] == '|':
			i++
			cell.WriteByte('|')
			continue
		case c == '`':
			code = !code
		case c == '|' && !code:
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
			continue
		}
		cell.WriteByte(line[i])
	}
	return append(out, strings.TrimSpace(cell.String()))
}

// ruled tells whether cells are the line under the head of so many columns.
func ruled(cells []string, columns int) bool {
	if len(cells) != columns {
		return false
	}
	for _, c := range cells {
		c = strings.TrimSuffix(strings.TrimPrefix(c, ":"), ":")
		if c == "" || strings.Trim(c, "-") != "" {
			return false
		}
	}
	return true
}

// drawTable is rows in columns. Where they do not fit, cells are wrapped; where not even that does, each row is a list.
func (d *drawing) drawTable(rows [][]string, width int) []string {
	columns := len(rows[0])
	drawn := make([][]string, len(rows))
	widths := make([]int, columns)
	for i, row := range rows {
		drawn[i] = make([]string, columns)
		for j, cell := range row {
			drawn[i][j] = d.cell(cell)
			if i == 0 {
				drawn[i][j] = styled(d.st.Strong, drawn[i][j])
			}
			widths[j] = max(widths[j], lipgloss.Width(drawn[i][j]))
		}
	}
	room := width - 3*(columns-1)
	if room < 5*columns && sum(widths) > room {
		return d.records(drawn, width)
	}
	shrink(widths, room)
	var out []string
	for i, row := range drawn {
		out = append(out, columnsOf(row, widths, styled(d.st.Faint, " │ "))...)
		if i == 0 {
			var rule []string
			for _, w := range widths {
				rule = append(rule, strings.Repeat("─", w))
			}
			out = append(out, styled(d.st.Faint, strings.Join(rule, "─┼─")))
		}
	}
	return out
}

// cell is a cell's own Markdown.
func (d *drawing) cell(source string) string {
	src := []byte(source)
	root := d.parser.Parse(text.NewReader(src))
	in := &drawing{d.Renderer, src}
	var parts []string
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != ast.KindParagraph {
			return d.line(source)
		}
		parts = append(parts, in.inline(n))
	}
	return strings.Join(parts, " ")
}

// records is rows as lists of head and cell.
func (d *drawing) records(rows [][]string, width int) []string {
	var out []string
	for i, row := range rows[1:] {
		if i > 0 {
			out = append(out, "")
		}
		for j, cell := range row {
			out = append(out, wrap(rows[0][j]+": "+cell, width)...)
		}
	}
	return out
}

// columnsOf is one row, as many lines as its longest cell needs.
func columnsOf(row []string, widths []int, bar string) []string {
	wrapped := make([][]string, len(row))
	height := 1
	for j, cell := range row {
		wrapped[j] = wrap(cell, widths[j])
		height = max(height, len(wrapped[j]))
	}
	out := make([]string, height)
	for k := range out {
		parts := make([]string, len(row))
		for j := range row {
			if k < len(wrapped[j]) {
				parts[j] = wrapped[j][k]
			}
			if j < len(row)-1 {
				parts[j] = pad(parts[j], widths[j])
			}
		}
		out[k] = strings.TrimRight(strings.Join(parts, bar), " ")
	}
	return out
}

// shrink takes from the widest column until all fit.
func shrink(widths []int, room int) {
	for sum(widths) > room {
		widest := 0
		for j, w := range widths {
			if w > widths[widest] {
				widest = j
			}
		}
		if widths[widest] <= 1 {
			return
		}
		widths[widest]--
	}
}

func sum(ns []int) (total int) {
	for _, n := range ns {
		total += n
	}
	return total
}
