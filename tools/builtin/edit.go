package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/tools"
)

// replacement is one change to a text.
type replacement struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

type editInput struct {
	FilePath string `json:"file_path"`
	replacement
}

const editSchema = `{"type":"object","additionalProperties":false,"required":["file_path","old_string","new_string"],"properties":{
"file_path":{"type":"string","description":"File to change; a relative path starts at the working directory"},
"old_string":{"type":"string","description":"Text to replace, exactly as in the file, without Read's line numbers"},
"new_string":{"type":"string","description":"Text to put there"},
"replace_all":{"type":"boolean","default":false,"description":"Replace every occurrence; otherwise old_string must occur once"}}}`

func newEdit(f *files) tools.Tool {
	return &tool[editInput]{
		spec: spec("Edit", "Replaces text in a file that has been read before. old_string must occur exactly once, unless replace_all is set: take enough of the lines around it.", editSchema, false),
		touches: func(in editInput, at tools.Roots) ([]tools.Touch, error) {
			return f.paths.touch(tools.TouchWrite, in.FilePath, at)
		},
		run: func(_ context.Context, c *tools.Call, in editInput) (tools.Result, error) {
			var done applied
			path, err := f.change(c, in.FilePath, func(name string, old []byte) ([]byte, error) {
				content, err := editable(name, old)
				if err != nil {
					return nil, err
				}
				if done, err = in.apply(content); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				return []byte(done.text), nil
			})
			if err != nil {
				return tools.Result{}, err
			}
			return text("Replaced %s in %s, first at line %d.", plural(done.count, "occurrence"), path, done.line), nil
		},
	}
}

// editable is the content as text, or why it cannot be edited as such.
func editable(name string, content []byte) (string, error) {
	if content == nil {
		return "", fmt.Errorf("%s does not exist; Write creates files", name)
	}
	if !utf8.Valid(content) {
		return "", fmt.Errorf("%s is not valid UTF-8 and cannot be edited as text", name)
	}
	return string(content), nil
}

// applied is the outcome of a replacement.
type applied struct {
	text  string
	count int
	line  int // of the first occurrence, from 1
}

// apply makes the change. New text goes in byte for byte, with one exception: in a file whose every line ends in CRLF a
// bare LF of either text stands for CRLF, since that is how a reader saw the file.
func (r replacement) apply(content string) (applied, error) {
	if r.Old == "" {
		return applied{}, errors.New("old_string is empty; to replace the whole file use Write")
	}
	if r.Old == r.New {
		return applied{}, errors.New("old_string and new_string are the same")
	}
	old, repl := r.Old, r.New
	if allCRLF(content) {
		old, repl = toCRLF(old), toCRLF(repl)
	}
	n := strings.Count(content, old)
	switch {
	case n == 0 && strings.Contains(old, "\n") && strings.Contains(content, "\r"):
		return applied{}, errors.New("old_string was not found; the file has mixed line ends, so give a text within one line")
	case n == 0:
		return applied{}, errors.New("old_string was not found; it must match the file exactly, blanks and line breaks included")
	case n > 1 && !r.All:
		return applied{}, fmt.Errorf("old_string occurs %d times; take more of the text around it, or set replace_all", n)
	}
	return applied{
		text:  strings.ReplaceAll(content, old, repl),
		count: n,
		line:  1 + strings.Count(content[:strings.Index(content, old)], "\n"),
	}, nil
}

// allCRLF reports whether the text has line breaks and each is CRLF.
func allCRLF(s string) bool {
	n := strings.Count(s, "\n")
	return n > 0 && strings.Count(s, "\r\n") == n
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}
