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

// newSnippet shows the line of a file in which a range begins.
func newSnippet(line string, r Range) snippet {
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
	return s
}

// lines finds lines of a text. Findings are sorted by place, so it goes on from the line it found last.
type lines struct {
	text []byte
	rest []byte // from line at on
	at   int
}

func linesOf(text []byte) *lines {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return &lines{text: text, rest: text, at: 1}
}

// line is a line, counted from 1, without its line break; false when there is none.
func (l *lines) line(n int) (string, bool) {
	if n < 1 || l.text == nil {
		return "", false
	}
	if n < l.at {
		l.rest, l.at = l.text, 1
	}
	for ; l.at < n; l.at++ {
		i := bytes.IndexAny(l.rest, "\r\n")
		if i < 0 {
			return "", false
		}
		if bytes.HasPrefix(l.rest[i:], []byte("\r\n")) {
			i++
		}
		l.rest = l.rest[i+1:]
	}
	line := l.rest
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	return string(line), true
}

// Text is what stands at a range of a text: of several lines the first.
func (r Range) Text(text []byte) string {
	line, _ := linesOf(text).line(int(r.Start.Line))
	row := []rune(line)
	start := min(max(int(r.Start.Column)-1, 0), len(row))
	end := len(row)
	if r.End.Line == r.Start.Line {
		end = min(max(int(r.End.Column)-1, start), len(row))
	}
	return string(row[start:end])
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
