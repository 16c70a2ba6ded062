package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says what a diagnostic does to the file it is about.
type Severity int

// The severities, most severe first. An Error keeps the file or entry from being used; a Warning does not; a Lint is a
// warning that only validate prints; an Info is printed by validate and by -v.
const (
	Error Severity = iota + 1
	Warning
	Lint
	Info
)

// String is the word used in every output form; a Lint reads as a warning.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning, Lint:
		return "warning"
	default:
		return "info"
	}
}

// Code is the stable name of one kind of finding, such as E-TOOL-UNKNOWN. Its first letter is the severity; codes never
// change meaning. All of them are in the table of codes.go.
type Code string

// Severity is read off the first letter: E, W, L or I.
func (c Code) Severity() Severity {
	switch {
	case c == "":
		return Info
	case c[0] == 'E':
		return Error
	case c[0] == 'W':
		return Warning
	case c[0] == 'L':
		return Lint
	default:
		return Info
	}
}

// Pos is a place in a file as it lies on disk. Lines and columns start at 1, columns count characters (Unicode code
// points). The zero Pos means "the file as a whole". Large workspaces keep millions of them, hence the narrow type.
type Pos struct{ Line, Column int32 }

// Place is the Pos at a line and a column.
func Place(line, column int) Pos { return Pos{int32(line), int32(column)} }

// Compare orders places as they follow each other in a file.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Range is a stretch of one file; End is exclusive and may equal Start. File is slash-separated and relative to the
// workspace where it lies inside, absolute elsewhere.
type Range struct {
	File       string
	Start, End Pos
}

// Span is a Range whose file is known from elsewhere.
type Span struct{ Start, End Pos }

// Span is the range without its file.
func (r Range) Span() Span { return Span{r.Start, r.End} }

// In is the span as a range of a file.
func (s Span) In(file string) Range { return Range{file, s.Start, s.End} }

// At is a Range of n characters on one line.
func At(file string, line, column, n int) Range {
	start := Place(line, column)
	return Range{File: file, Start: start, End: Pos{start.Line, start.Column + int32(n)}}
}

// IsZero tells whether the range names no file: a value that nobody wrote.
func (r Range) IsZero() bool { return r.File == "" }

// String is file:line:column, or the file alone when it has no place.
func (r Range) String() string {
	if r.Start.Line == 0 {
		return r.File
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}

// Note points at a second place that belongs to the same finding.
type Note struct {
	Range Range
	Text  string
}

// Fix replaces the lines Line to EndLine (both included) by Text, which has no final line break. fmt writes it.
type Fix struct {
	Line, EndLine int
	Text          string
}

// Diagnostic is one finding. Summary is one line without a full stop; Detail may be several; Suggestion is the way out.
type Diagnostic struct {
	Severity   Severity
	Code       Code
	Summary    string
	Detail     string
	Suggestion string
	Range      Range
	Notes      []Note
	Fix        *Fix
}

// New makes a diagnostic with the severity of its code.
func New(code Code, at Range, format string, args ...any) Diagnostic {
	return Diagnostic{Severity: code.Severity(), Code: code, Range: at, Summary: fmt.Sprintf(format, args...)}
}

// Suggest returns d with a way out.
func (d Diagnostic) Suggest(format string, args ...any) Diagnostic {
	d.Suggestion = fmt.Sprintf(format, args...)
	return d
}

// Explain returns d with a detail.
func (d Diagnostic) Explain(format string, args ...any) Diagnostic {
	d.Detail = fmt.Sprintf(format, args...)
	return d
}

// Note returns d with one more related place. The notes of d are not shared.
func (d Diagnostic) Note(at Range, format string, args ...any) Diagnostic {
	d.Notes = append(slices.Clip(d.Notes), Note{at, fmt.Sprintf(format, args...)})
	return d
}

// List is the findings of a load. The zero List is empty and ready.
type List []Diagnostic

// Add appends findings.
func (l *List) Add(ds ...Diagnostic) { *l = append(*l, ds...) }

// HasErrors tells whether any finding is an Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Count is the number of findings of a severity; Lint counts as Warning.
func (l List) Count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s || s == Warning && d.Severity == Lint {
			n++
		}
	}
	return n
}

// Sort orders by file, place, severity and code, and drops exact repetitions.
func (l List) Sort() List {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Range.File, b.Range.File), a.Range.Start.Compare(b.Range.Start),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Summary, b.Summary))
	})
	return slices.CompactFunc(l, func(a, b Diagnostic) bool {
		return a.Range == b.Range && a.Code == b.Code && a.Summary == b.Summary
	})
}

// ListError is a list as an error: what loader.Open returns for an invalid workspace.
type ListError struct{ List List }

// Error names the first error and counts the rest, on one line.
func (e *ListError) Error() string {
	n := e.List.Count(Error)
	for _, d := range e.List {
		if d.Severity != Error {
			continue
		}
		if n == 1 {
			return fmt.Sprintf("%s: error[%s]: %s", place(d.Range), d.Code, visible(d.Summary))
		}
		return fmt.Sprintf("%s: error[%s]: %s (and %d more)", place(d.Range), d.Code, visible(d.Summary), n-1)
	}
	return "definitions are invalid"
}
