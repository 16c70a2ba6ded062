package frontmatter

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/adrg/frontmatter"

	"github.com/swarmrun/swarmrun/config/diag"
)

// fences are the lines that enclose metadata: numbers from 1 in source.starts.
type fences struct{ open, close int }

// isFence tells whether a line is three dashes at column 0 and nothing else.
func isFence(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// isClose tells whether a line ends metadata.
func isClose(line string) bool { return isFence(line) || strings.TrimRight(line, " \t") == "..." }

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// findFences applies R3. No fences and no finding means that the file has no metadata.
func (s *source) findFences(known Keys) (fences, diag.List) {
	open := 1
	for s.has(open+1) && isBlank(s.line(open)) {
		open++
	}
	if !isFence(s.line(open)) {
		return fences{}, s.missingFence(open, known)
	}
	var ds diag.List
	if open > 1 {
		ds.Add(diag.New("W-FENCE-BLANK", s.at(open, 1, 3), "blank lines before the opening ---").
			Suggest("start the file with ---"))
	}
	last := open
	for n := open + 1; s.has(n); n++ {
		line := s.line(n)
		if isClose(line) {
			return fences{open, n}, ds
		}
		if _, _, ok := keyOf(line); ok && last == n-1 || last > open && isIndented(line) && last == n-1 {
			last = n
		}
	}
	ds.Add(diag.New("E-FENCE-CLOSE", s.at(open, 1, 3), "the frontmatter has no closing ---").
		Suggest("put a line with --- behind the metadata, after line %d", last))
	return fences{}, ds
}

// missingFence looks at a file that does not begin with a fence: it says so when metadata follows nevertheless.
func (s *source) missingFence(first int, known Keys) diag.List {
	line := s.line(first)
	next := first + 1
	for s.has(next+1) && isBlank(s.line(next)) {
		next++
	}
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		language := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "`~")))
		if isFence(s.line(next)) || (language == "yaml" || language == "yml") && s.isKnownKey(next, known) {
			return diag.List{diag.New("E-FENCE-CODE", s.from(first, 1), "the frontmatter is wrapped in a code block").
				Suggest("remove the lines with %s around the metadata", line[:3])}
		}
		return nil
	}
	trimmed := strings.TrimSpace(line)
	if strings.HasPrefix(trimmed, "---") && s.isKnownKey(next, known) {
		return diag.List{diag.New("E-FENCE-OPEN", s.from(first, 1), "the opening fence must be --- at the start of a line, and nothing else").
			Suggest("write --- alone in line %d", first)}
	}
	if s.isKnownKey(first, known) && (s.isKnownKey(next, known) || s.hasFence(next)) {
		return diag.List{diag.New("E-FENCE-OPEN", s.from(first, 1), "metadata without an opening ---").
			Suggest("put a line with --- before line %d", first)}
	}
	return nil
}

func (s *source) isKnownKey(line int, known Keys) bool {
	key, _, ok := keyOf(s.line(line))
	return ok && known.Has(key)
}

func (s *source) hasFence(from int) bool {
	for n := from; s.has(n); n++ {
		if isFence(s.line(n)) {
			return true
		}
	}
	return false
}

// stop ends the metadata for the library. It is no UTF-8, so no line of a source can be equal to it.
const stop = "\xffend of metadata\xff"

// readers are what the library reads from: of any other reader it would make one, and 4 kB for each file was the largest part
// of what loading allocates.
var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// cut lets the library take the metadata out. It gets the lines up to the closing fence only: a body would pass through two
// of its buffers without being looked at.
func (s *source) cut(f fences) (string, error) {
	var meta string
	capture := func(b []byte, v any) error {
		*v.(*string) = string(b)
		return nil
	}
	head := s.text[s.starts[f.open]:s.starts[f.close-1]]
	r := readers.Get().(*bufio.Reader)
	defer readers.Put(r)
	r.Reset(io.MultiReader(strings.NewReader("---\n"), strings.NewReader(head), strings.NewReader(stop+"\n")))
	defer r.Reset(nil) // the pool keeps no text
	rest, err := frontmatter.MustParse(r, &meta, frontmatter.NewFormat("---", stop, capture))
	if err == nil && len(bytes.TrimSpace(rest)) > 0 {
		err = errors.New("text behind the metadata")
	}
	return meta, err
}
