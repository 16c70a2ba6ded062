package search

import (
	"bytes"
	"iter"
)

// Hit is a run of lines that fit, one line unless the pattern is multiline.
type Hit struct {
	Line       int // number of the first line, from 1
	Lines      int
	Start, End int // the lines in the text, without the last line break
	At         int // where the first match begins
}

// IsBinary reports whether a file is no text: there is a NUL in it.
func IsBinary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 }

// Find yields the hits in order. In a multiline search the next hit begins on a line after the one that a match ends on.
func (p *Pattern) Find(data []byte) iter.Seq[Hit] {
	if p.multiline {
		return func(yield func(Hit) bool) { p.across(data, yield) }
	}
	return func(yield func(Hit) bool) { p.byLine(data, yield) }
}

// byLine looks at each line by itself; where a needle is required, only at lines that have one.
func (p *Pattern) byLine(data []byte, yield func(Hit) bool) {
	number, counted := 1, 0 // counted: the offset that number belongs to
	next := p.needles.in(data)
	for pos := 0; pos < len(data); {
		start := pos
		if p.needles.texts != nil {
			i := next(pos)
			if i < 0 {
				return
			}
			start = bytes.LastIndexByte(data[:i], '\n') + 1
		}
		end := lineEndAt(data, start)
		if loc := p.re.FindIndex(data[start:end]); loc != nil {
			number += bytes.Count(data[counted:start], []byte("\n"))
			counted = start
			if !yield(Hit{Line: number, Lines: 1, Start: start, End: end, At: start + loc[0]}) {
				return
			}
		}
		pos = end + 1
	}
}

// across looks at the text as a whole.
func (p *Pattern) across(data []byte, yield func(Hit) bool) {
	if p.needles.texts != nil && p.needles.in(data)(0) < 0 {
		return
	}
	number, counted := 1, 0
	for pos, re := 0, p.re; pos < len(data); re = p.later {
		loc := re.FindIndex(data[pos:])
		if loc == nil {
			return
		}
		at, last := pos+loc[0], pos+loc[1]
		if at == len(data) && data[at-1] == '\n' {
			return // behind the last line break there is no line
		}
		start, end := bytes.LastIndexByte(data[:at], '\n')+1, lineEndAt(data, max(at, last-1))
		number += bytes.Count(data[counted:start], []byte("\n"))
		counted = start
		if !yield(Hit{Line: number, Lines: 1 + bytes.Count(data[start:end], []byte("\n")), Start: start, End: end, At: at}) {
			return
		}
		pos = end + 1
	}
}

// lineEndAt is the offset of the line break at or after pos, or the end.
func lineEndAt(data []byte, pos int) int {
	if i := bytes.IndexByte(data[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(data)
}
