package main

import (
	"encoding/json"
	"io"
)

// answer is what a command has to say: its fields are the JSON form, text is the other one. The first field is ok.
type answer interface {
	text(w io.Writer) error
}

// answer writes the command's answer to stdout in the format that was asked for.
func (a *app) answer(v answer) error {
	if a.output == formatText {
		return v.text(a.stdout)
	}
	return writeJSON(a.stdout, v)
}

// writeJSON writes v as one line. Text stays readable: <, > and & are not escaped.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
