package search

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// needles are texts of which every match of a pattern has at least one in it: where none of them is, no expression need be
// tried. The zero needles say nothing.
type needles struct {
	texts []string
	fold  bool // texts are in lower case, and so must be what they are looked for in
}

// maxNeedles is how many alternatives are looked for side by side.
const maxNeedles = 8

// required reads the needles off a syntax tree.
func required(re *syntax.Regexp) needles {
	switch re.Op {
	case syntax.OpLiteral:
		return ofLiteral(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best needles
		for _, sub := range re.Sub {
			if n := required(sub); n.shortest() > best.shortest() {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		return ofAlternatives(re.Sub)
	}
	return needles{}
}

func ofLiteral(re *syntax.Regexp) needles {
	if re.Flags&syntax.FoldCase == 0 {
		if slices.Contains(re.Rune, utf8.RuneError) {
			return needles{} // it fits bad bytes too
		}
		return needles{texts: []string{string(re.Rune)}}
	}
	longest := ""
	for run := range strings.FieldsFuncSeq(strings.ToLower(string(re.Rune)), foldsFar) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	if len(longest) < 2 {
		return needles{}
	}
	return needles{texts: []string{longest}, fold: true}
}

// foldsFar reports whether a letter is another case of one outside ASCII: the Kelvin sign is a k, the long s an s.
func foldsFar(r rune) bool { return r >= utf8.RuneSelf || r == 'k' || r == 's' }

func ofAlternatives(subs []*syntax.Regexp) (all needles) {
	for _, sub := range subs {
		n := required(sub)
		if n.texts == nil || len(all.texts)+len(n.texts) > maxNeedles {
			return needles{}
		}
		all.texts = append(all.texts, n.texts...)
		all.fold = all.fold || n.fold
	}
	if all.fold {
		for i, t := range all.texts {
			all.texts[i] = string(lower([]byte(t)))
		}
	}
	return all
}

// shortest is the length of the shortest text, 0 when there is none.
func (n needles) shortest() int {
	if n.texts == nil {
		return 0
	}
	return len(slices.MinFunc(n.texts, func(a, b string) int { return len(a) - len(b) }))
}

// in returns a function that gives the offset of the first needle at or after pos, which must not decrease; -1 = none.
func (n needles) in(data []byte) func(pos int) int {
	if n.fold {
		data = lower(data)
	}
	at := make([]int, len(n.texts)) // where each text is next
	for i := range at {
		at[i] = -1
	}
	return func(pos int) int {
		first := len(data)
		for i, t := range n.texts {
			if at[i] < pos {
				if at[i] = len(data); pos < len(data) {
					if j := bytes.Index(data[pos:], []byte(t)); j >= 0 {
						at[i] = pos + j
					}
				}
			}
			first = min(first, at[i])
		}
		if first == len(data) {
			return -1
		}
		return first
	}
}

// lower is data with ASCII letters in lower case; offsets stay.
func lower(data []byte) []byte {
	out := make([]byte, len(data))
	for i, c := range data {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}
