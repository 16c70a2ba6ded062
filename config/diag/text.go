package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// TextOptions change how WriteText looks. The zero value: no snippets, no colour.
type TextOptions struct {
	// Sources gives the text of a file as named in a Range, nil when it cannot be had; then the snippet is left out.
	Sources func(file string) []byte
	// Color marks severity and place with ANSI colours. Whether the writer is a terminal is for the caller to know.
	Color bool
}

// fixLines is how many lines of a repair are shown.
const fixLines = 8

// WriteText writes the findings for a person, in the order given:
//
//	agents/reviewer.md:6:9: error[E-TOOL-UNKNOWN]: no tool named "Raed"
//	  6 | tools: [Raed, Grep]
//	    |         ^^^^
//	  help: did you mean "Read"?
//
// The error is the writer's.
func WriteText(w io.Writer, l List, o *TextOptions) error {
	if o == nil {
		o = &TextOptions{}
	}
	t := text{w: bufio.NewWriter(w), o: o}
	for i := range l {
		t.diagnostic(&l[i])
	}
	return t.w.Flush()
}

// text is one rendering; bufio keeps the first error of the writer for Flush.
type text struct {
	w *bufio.Writer
	o *TextOptions

	file string // the file whose source is held
	src  *lines
}

func (t *text) diagnostic(d *Diagnostic) {
	if place := place(d.Range); place != "" {
		fmt.Fprintf(t.w, "%s: ", place)
	}
	label := d.Severity.String()
	if d.Code != "" {
		label += "[" + visible(string(d.Code)) + "]"
	}
	fmt.Fprintf(t.w, "%s: %s\n", t.paint(severityColor(d.Severity), label), visible(d.Summary))
	t.snippet(d)
	t.indented("", d.Detail)
	for _, n := range d.Notes {
		note := visibleLines(n.Text)
		if place := place(n.Range); place != "" {
			note = place + ": " + note
		}
		t.indented("note: ", note)
	}
	if d.Fix == nil { // which says the same with the line as it is to be
		t.indented("help: ", d.Suggestion)
	}
	t.fix(d.Fix)
}

// place is file:line:column as shown. A leading colon would read as a command to some CI systems.
func place(r Range) string {
	s := visible(r.String())
	if strings.HasPrefix(s, ":") {
		s = "./" + s
	}
	return s
}

func (t *text) snippet(d *Diagnostic) {
	line, ok := t.source(d.Range).line(int(d.Range.Start.Line))
	if !ok {
		return
	}
	s := newSnippet(line, d.Range)
	number := fmt.Sprint(d.Range.Start.Line)
	fmt.Fprintf(t.w, "  %s | %s\n", number, s.line)
	fmt.Fprintf(t.w, "  %*s | %s%s\n", len(number), "", s.caret[:strings.IndexByte(s.caret, '^')],
		t.paint(severityColor(d.Severity), strings.TrimLeft(s.caret, " ")))
}

func (t *text) source(r Range) *lines {
	if t.o.Sources == nil || r.IsZero() || r.Start.Line == 0 {
		return &lines{}
	}
	if r.File != t.file || t.src == nil {
		t.file, t.src = r.File, linesOf(t.o.Sources(r.File))
	}
	return t.src
}

// indented writes text below the finding, its further lines under the first.
func (t *text) indented(label, s string) {
	if s == "" {
		return
	}
	margin := "  " + strings.Repeat(" ", len(label))
	for i, line := range strings.Split(strings.TrimRight(visibleLines(s), "\n"), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			line = "|" + line
		}
		if i == 0 {
			fmt.Fprintf(t.w, "  %s%s\n", t.paint(bold, label), line)
			continue
		}
		fmt.Fprintln(t.w, strings.TrimRight(margin+line, " "))
	}
}

func (t *text) fix(f *Fix) {
	if f == nil {
		return
	}
	t.indented("fix: ", fixTitle(f))
	lines := splitLines(f.Text)
	for i, line := range lines[:min(len(lines), fixLines)] {
		s := newSnippet(line, Range{Start: Pos{1, 1}, End: Pos{1, 1}})
		fmt.Fprintf(t.w, "  %d + %s\n", f.Line+i, t.paint(green, s.line))
	}
	if more := len(lines) - fixLines; more > 0 {
		fmt.Fprintf(t.w, "  … and %d more lines\n", more)
	}
}

func fixTitle(f *Fix) string {
	if f.EndLine > f.Line {
		return fmt.Sprintf("`swarmrun fmt` rewrites lines %d to %d", f.Line, f.EndLine)
	}
	return fmt.Sprintf("`swarmrun fmt` rewrites line %d", f.Line)
}

// ANSI colours.
const (
	bold   = "1"
	red    = "1;31"
	green  = "32"
	yellow = "1;33"
	cyan   = "1;36"
)

func severityColor(s Severity) string {
	switch s {
	case Error:
		return red
	case Warning, Lint:
		return yellow
	default:
		return cyan
	}
}

func (t *text) paint(color, s string) string {
	if !t.o.Color || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}
