package builtin

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin/internal/search"
)

// maxGrepLine is how much of a line is shown, in bytes: the match and what is around it.
const maxGrepLine = 500

// report writes what was found within head_limit and tools.MaxText, and what is missing from it.
func (s *grepSearch) report(ctx context.Context) string {
	var r *grepReport
	switch s.mode {
	case modeContent:
		r = s.content(ctx)
	case modeCount:
		r = s.list("matching line", "file", func(f grepFile) string { return fmt.Sprintf("%s:%d", s.full(f.rel), f.count) })
	default:
		r = s.list("", "file", func(f grepFile) string { return s.full(f.rel) })
	}
	if len(s.found) == 0 {
		r.WriteString("No matches found.\n")
	}
	if r.shown < r.total {
		fmt.Fprintf(r, "\n[%d of %s shown; narrow the search or raise head_limit]\n", r.shown, plural(r.total, r.noun))
	}
	if r.sum != "" {
		fmt.Fprintf(r, "\n[%s in %s]\n", r.sum, plural(len(s.found), "file"))
	}
	if s.unread > 0 {
		fmt.Fprintf(r, "\n[%d files or folders could not be read]\n", s.unread)
	}
	if s.oversize > 0 {
		fmt.Fprintf(r, "\n[%s over %d MiB not searched]\n", plural(s.oversize, "file"), maxEditable>>20)
	}
	return r.String()
}

func (s *grepSearch) full(rel string) string { return filepath.Join(s.path, rel) }

// grepReport is a text that stops taking entries when it is full.
type grepReport struct {
	strings.Builder
	shown, total int
	noun         string // of an entry
	sum          string // of all entries
}

// room reports whether n more bytes fit.
func (r *grepReport) room(n int) bool { return r.Len()+n <= tools.MaxText }

// list writes a line for each file.
func (s *grepSearch) list(counted, noun string, line func(grepFile) string) *grepReport {
	r := &grepReport{total: len(s.found), noun: noun}
	sum := 0
	for _, f := range s.found {
		sum += f.count
		if l := line(f) + "\n"; r.shown < s.head && r.room(len(l)) {
			r.WriteString(l)
			r.shown++
		}
	}
	if counted != "" && len(s.found) > 0 {
		r.sum = plural(sum, counted)
	}
	return r
}

// content writes the matching lines of each file below its name.
func (s *grepSearch) content(ctx context.Context) *grepReport {
	r := &grepReport{noun: "matching line"}
	for _, f := range s.found {
		r.total += f.count
	}
	var buf bytes.Buffer
	for _, f := range s.found {
		if r.shown == s.head || ctx.Err() != nil {
			break
		}
		data, err := s.load(f.rel, &buf)
		if err != nil {
			continue // gone since it was searched
		}
		if !s.file(r, s.full(f.rel), data) {
			break
		}
	}
	return r
}

// file writes the hits in data with their context; false = the report is full.
func (s *grepSearch) file(r *grepReport, name string, data []byte) bool {
	if r.shown > 0 {
		name = "\n" + name
	}
	var hits []search.Hit
	for hit := range s.pattern.Find(data) {
		if hits = append(hits, hit); len(hits) > s.head-r.shown {
			break
		}
	}
	next, head := 0, name+"\n" // next: offset of the first line that is not yet written
	for i, hit := range hits {
		if r.shown == s.head {
			return false
		}
		stop := len(data)
		if i+1 < len(hits) {
			stop = hits[i+1].Start
		}
		var b strings.Builder
		b.WriteString(head)
		start := back(data, hit.Start, s.before, next)
		if head == "" && start > next && s.before+s.after > 0 {
			b.WriteString("--\n")
		}
		next, head = s.write(&b, data[:stop], start, hit), ""
		if !r.room(b.Len()) {
			return false
		}
		r.WriteString(b.String())
		r.shown++
	}
	return true
}

// back is the start of the line n lines before the one at pos, not before limit.
func back(data []byte, pos, n, limit int) int {
	for ; n > 0 && pos > limit; n-- {
		pos = bytes.LastIndexByte(data[:pos-1], '\n') + 1
	}
	return max(pos, min(limit, len(data)))
}

// write writes the lines of data from start through the hit, and its context after it. It returns where it stopped.
func (s *grepSearch) write(b *strings.Builder, data []byte, start int, hit search.Hit) (next int) {
	number := hit.Line - bytes.Count(data[start:hit.Start], []byte("\n"))
	after := s.after
	for pos := start; pos < len(data); number++ {
		mark := byte(':')
		switch {
		case pos > hit.End && after == 0:
			return pos
		case pos > hit.End:
			after--
			mark = '-'
		case pos < hit.Start:
			mark = '-'
		}
		line, _, _ := bytes.Cut(data[pos:], []byte("\n"))
		if s.numbers {
			fmt.Fprintf(b, "%d%c", number, mark)
		}
		b.WriteString(excerpt(line, hit.At-pos) + "\n")
		pos += len(line) + 1
	}
	return len(data)
}

// excerpt is a line as text, cut to maxGrepLine around the offset at.
func excerpt(line []byte, at int) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) <= maxGrepLine {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	from := 0
	if at > maxGrepLine*3/4 {
		from = min(at-maxGrepLine/4, len(line)-maxGrepLine)
	}
	cut := strings.ToValidUTF8(string(line[from:from+maxGrepLine]), "\uFFFD")
	if from > 0 {
		cut = "…" + cut
	}
	if from+maxGrepLine < len(line) {
		cut += "…"
	}
	return cut
}
