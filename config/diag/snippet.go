package diag

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// How much of a long line a snippet shows, in terminal cells.
const (
	snippetWidth = 120
	snippetLead  = 40 // what stays before the marked place when the line is cut
	tabWidth     = 4
)

// snippet is one line of a file, ready to be shown, and the caret line below it.
type snippet struct {
	line, caret string
}

// cell is one character of the shown line: what stands for it and its width.
type cell struct {
	text  string
	width int
}

// newSnippet cuts the marked line out of a file's text. It is false when the file has no such line.
func newSnippet(src []byte, r Range) (snippet, bool) {
	line, ok := lineAt(src, int(r.Start.Line))
	if !ok {
		return snippet{}, false
	}
	row := layOut(line)
	start := min(max(int(r.Start.Column)-1, 0), len(row))
	end := len(row)
	if r.End.Line == r.Start.Line {
		end = min(max(int(r.End.Column)-1, start), len(row))
	}
	from, to := window(row, start)
	end = min(end, to)

	var s snippet
	var b strings.Builder
	pad := 0
	if from > 0 {
		b.WriteString("…")
		pad = 1
	}
	for i := from; i < to; i++ {
		b.WriteString(row[i].text)
		if i < start {
			pad += row[i].width
		}
	}
	if to < len(row) {
		b.WriteString("…")
	}
	s.line = strings.TrimRight(b.String(), " ")
	marks := 0
	for _, c := range row[start:max(start, end)] {
		marks += c.width
	}
	s.caret = strings.Repeat(" ", pad) + strings.Repeat("^", max(marks, 1))
	return s, true
}

// lineAt is the text of a line, counted from 1, without its line break and without a byte order mark.
func lineAt(src []byte, n int) (string, bool) {
	if src == nil || n < 1 {
		return "", false
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	for ; n > 1; n-- {
		i := bytes.IndexAny(src, "\r\n")
		if i < 0 {
			return "", false
		}
		if bytes.HasPrefix(src[i:], []byte("\r\n")) {
			i++
		}
		src = src[i+1:]
	}
	if i := bytes.IndexAny(src, "\r\n"); i >= 0 {
		src = src[:i]
	}
	return string(src), true
}

// layOut gives one cell for each character of the line.
func layOut(line string) []cell {
	row := make([]cell, 0, utf8.RuneCountInString(line))
	for _, r := range line {
		if r == '\t' {
			row = append(row, cell{strings.Repeat(" ", tabWidth), tabWidth})
			continue
		}
		r = show(r)
		row = append(row, cell{string(r), cells(r)})
	}
	return row
}

// window chooses the stretch of a long line that holds the place.
func window(row []cell, place int) (from, to int) {
	total := 0
	for _, c := range row {
		total += c.width
	}
	if total <= snippetWidth {
		return 0, len(row)
	}
	from = place
	for lead := 0; from > 0 && lead+row[from-1].width <= snippetLead; from-- {
		lead += row[from-1].width
	}
	to = from
	for used := 0; to < len(row) && used+row[to].width <= snippetWidth; to++ {
		used += row[to].width
	}
	return from, to
}
