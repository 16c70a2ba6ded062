package diag

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/jsontext"
	"github.com/swarmrun/swarmrun/internal/printable"
)

// Counts are the findings by the word they are shown with; a Lint is a warning.
type Counts struct {
	Error   int `json:"error"`
	Warning int `json:"warning"`
	Info    int `json:"info"`
}

// Counts counts the findings of the list.
func (l List) Counts() Counts {
	return Counts{Error: l.Count(Error), Warning: l.Count(Warning), Info: l.Count(Info)}
}

// The JSON form. Every key is always there: a consumer needs no test for presence. fix is null where there is none.
type (
	jsonDiagnostic struct {
		Severity   string     `json:"severity"`
		Code       Code       `json:"code"`
		Summary    string     `json:"summary"`
		Detail     string     `json:"detail"`
		Suggestion string     `json:"suggestion"`
		File       string     `json:"file"`
		Line       int32      `json:"line"`
		Column     int32      `json:"column"`
		EndLine    int32      `json:"end_line"`
		EndColumn  int32      `json:"end_column"`
		Fix        *jsonFix   `json:"fix"`
		Notes      []jsonNote `json:"notes"`
	}
	jsonFix struct {
		Line    int    `json:"line"`
		EndLine int    `json:"end_line"`
		Text    string `json:"text"`
	}
	jsonNote struct {
		File   string `json:"file"`
		Line   int32  `json:"line"`
		Column int32  `json:"column"`
		Text   string `json:"text"`
	}
)

// MarshalJSON is the form of a finding in `validate -o json`. Line and column are 0 for a file as a whole. Messages are
// made visible as in the other forms; file and fix keep their exact text, with everything unprintable escaped.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	j := jsonDiagnostic{
		Severity: d.Severity.String(), Code: d.Code,
		Summary: visible(d.Summary), Detail: visibleLines(d.Detail), Suggestion: visibleLines(d.Suggestion),
		File: d.Range.File, Line: d.Range.Start.Line, Column: d.Range.Start.Column,
		EndLine: d.Range.End.Line, EndColumn: d.Range.End.Column,
		Notes: make([]jsonNote, 0, len(d.Notes)),
	}
	if d.Fix != nil {
		j.Fix = &jsonFix{Line: d.Fix.Line, EndLine: max(d.Fix.Line, d.Fix.EndLine), Text: d.Fix.Text}
	}
	for _, n := range d.Notes {
		j.Notes = append(j.Notes, jsonNote{n.Range.File, n.Range.Start.Line, n.Range.Start.Column, visibleLines(n.Text)})
	}
	return encode(j)
}

// MarshalJSON is an array, never null.
func (l List) MarshalJSON() ([]byte, error) {
	if l == nil {
		l = List{}
	}
	return encode([]Diagnostic(l))
}

// WriteJSON writes one object {ok, counts, diagnostics}; ok: no error. `validate -o json` adds its own keys to the same
// parts, [List.Counts] and the list itself. The error is the writer's.
func WriteJSON(w io.Writer, l List) error {
	data, err := encode(struct {
		OK          bool   `json:"ok"`
		Counts      Counts `json:"counts"`
		Diagnostics List   `json:"diagnostics"`
	}{!l.HasErrors(), l.Counts(), l})
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// encode is JSON in which <, > and & stay and what is hidden is escaped.
func encode(v any) ([]byte, error) {
	data, err := jsontext.Marshal(v)
	if err != nil {
		return nil, err
	}
	return escapeHidden(data), nil
}

// escapeHidden writes the hidden runes that encoding/json lets through as \u escapes. They can only stand inside strings.
func escapeHidden(data []byte) []byte {
	hidden := func(r rune) bool { return r >= 0x7f && printable.Hidden(r) }
	if bytes.IndexFunc(data, hidden) < 0 {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case !hidden(r):
			out = append(out, data[:n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		data = data[n:]
	}
	return out
}
