package runner

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/providers"
)

// cut bounds what the model is given and keeps the whole as a file.
func (x *exchange) cut(c providers.ToolCall, out *outcome) error {
	r := &out.Result
	whole := r.Full
	r.Full = ""
	text, cut := shorten(r.Content)
	if cut && whole == "" {
		whole = r.Content
	}
	if whole == "" {
		return nil
	}
	path, err := x.run.session.Keep(x.run.fileName(c.ID), x.redact(whole))
	if err != nil {
		return &storeError{err}
	}
	r.Content, out.File = text, path
	if cut {
		r.Content += cutNote(whole)
	}
	if path != "" {
		r.Content += "\n[The whole result is in " + path + ".]"
	}
	return nil
}

// shorten is the beginning of a text that is too long for a model.
func shorten(text string) (string, bool) {
	if len(text) <= longest || utf8.RuneCountInString(text) <= longest {
		return text, false
	}
	n := 0
	for i := range text {
		if n == longest {
			return text[:i], true
		}
		n++
	}
	return text, false
}

func cutNote(whole string) string {
	return "\n[Cut: " + strconv.Itoa(longest) + " of " + strconv.Itoa(utf8.RuneCountInString(whole)) + " characters are shown.]"
}

// fileName is a name for a long result of this run.
func (r *run) fileName(call string) string {
	name := r.id + "-" + call
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
			return c
		}
		return '_'
	}, name[:min(len(name), 200)]) + ".txt"
}
