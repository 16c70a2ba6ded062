package frontmatter

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Document is one file taken apart. One that was not made by Split or ParseYAML has no text: its nodes have no place but
// the file.
type Document struct {
	File string
	// Root is the metadata: a mapping whose nodes carry line and column of the file. It is nil in a file without metadata,
	// and in one whose metadata is broken; of keys that are given twice, which is an error too, it has the first.
	Root *yaml.Node
	// Found tells whether the file has metadata, broken or not.
	Found bool
	// Body is the text behind the closing fence, with LF line ends; the whole text when there is no metadata.
	Body string
	// BodyAt is where Body begins.
	BodyAt diag.Pos
	// Fence is the opening fence. In a file without one it is the first character.
	Fence diag.Range
	// Fixes are the repairs that were needed, in order of place.
	Fixes []diag.Fix

	src *source
	raw map[diag.Pos]diag.Pos // start and end of the values that were repaired, as they lie in the file
}

// Repaired tells whether YAML only took the metadata after a repair.
func (d *Document) Repaired() bool { return len(d.Fixes) > 0 }

// Range is the stretch of the file that a node takes. For what runs over several lines it ends with its first line.
func (d *Document) Range(n *yaml.Node) diag.Range {
	if d.src == nil {
		return diag.Range{File: d.File}
	}
	start := diag.Place(n.Line, n.Column)
	if end, ok := d.raw[start]; ok {
		return diag.Range{File: d.File, Start: start, End: end}
	}
	rest := d.src.rest(start)
	return d.src.at(n.Line, n.Column, utf8.RuneCountInString(rest[:extent(n, rest)]))
}

// extent is how much of the line a node takes, in bytes.
func extent(n *yaml.Node, line string) int {
	whole := len(strings.TrimRight(line, " \t"))
	if line == "" {
		return 0
	}
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && (line[0] == '"' || line[0] == '\''):
		if end := closingQuote(line); end > 0 {
			return end
		}
	case n.Kind == yaml.ScalarNode && strings.HasPrefix(line, n.Value):
		return len(n.Value)
	case n.Style&yaml.FlowStyle != 0:
		if end := closingBracket(line); end > 0 {
			return end
		}
	case n.Kind == yaml.MappingNode && len(n.Content) > 0 && strings.HasPrefix(line, n.Content[0].Value):
		return len(n.Content[0].Value)
	}
	return whole
}

// closingBracket is the offset behind the bracket that closes the one at the start of text, or 0. Quotes hide brackets.
func closingBracket(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth <= 0 {
				return i + 1
			}
		case '"', '\'':
			if i == 0 || !strings.ContainsRune(" \t\n[{,:", rune(text[i-1])) {
				continue
			}
			n := closingQuote(text[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		}
	}
	return 0
}

// Written is a value as text: a scalar's own text, a flow list or map as it stands in the file, any other in flow form.
func (d *Document) Written(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	if n.Style&yaml.FlowStyle != 0 && d.src != nil {
		rest := d.src.text[d.src.offset(diag.Place(n.Line, n.Column)):]
		if end := closingBracket(rest); end > 0 {
			return strings.Join(strings.Fields(rest[:end]), " ")
		}
	}
	var b strings.Builder
	writeFlow(&b, n)
	return b.String()
}

func writeFlow(b *strings.Builder, n *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, c)
		}
		b.WriteByte(']')
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, n.Content[i])
			b.WriteString(": ")
			writeFlow(b, n.Content[i+1])
		}
		b.WriteByte('}')
	default:
		b.WriteString(n.Value)
	}
}

// Finder looks up parts of one scalar in the file, such as the items of a comma string.
type Finder struct {
	d      *Document
	whole  diag.Range
	at     diag.Pos
	rest   string
	misses int
}

// maxMisses is how many parts a Finder looks for in vain before it gives up: each costs a look at the whole scalar.
const maxMisses = 8

// Find prepares looking up parts of a scalar.
func (d *Document) Find(n *yaml.Node) *Finder {
	f := &Finder{d: d, whole: d.Range(n), at: diag.Place(n.Line, n.Column)}
	if d.src == nil {
		return f
	}
	f.rest = d.src.text[d.src.offset(f.at):]
	if line := d.src.rest(f.at); extent(n, line) < len(line) || strings.HasPrefix(line, n.Value) {
		f.rest = line
	}
	return f
}

// Next is the range of the next part that reads like text. Parts are asked for in the order they are written in. One that is
// written with escapes is not found: it gets the range of the whole scalar.
func (f *Finder) Next(text string) diag.Range {
	i := -1
	if f.misses < maxMisses && text != "" {
		i = strings.Index(f.rest, text)
	}
	if i < 0 {
		f.misses++
		return f.whole
	}
	start := advance(f.at, f.rest[:i])
	f.at = advance(start, text)
	f.rest = f.rest[i+len(text):]
	return diag.Range{File: f.d.File, Start: start, End: f.at}
}

// Comment is where the comment of a plain scalar begins, at its #.
func (d *Document) Comment(n *yaml.Node) (diag.Range, bool) {
	if n.LineComment == "" || n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return diag.Range{}, false
	}
	comment, _, _ := strings.Cut(n.LineComment, "\n")
	for line := n.Line; d.src.has(line); line++ {
		text := d.src.line(line)
		if i := strings.LastIndex(text, comment); i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
			return d.src.at(line, 1+utf8.RuneCountInString(text[:i]), utf8.RuneCountInString(comment)), true
		}
		if line > n.Line && !isIndented(text) && !isBlank(text) {
			break
		}
	}
	return diag.Range{}, false
}

// BodyRange is a stretch of n characters that begins at an offset of Body.
func (d *Document) BodyRange(offset, n int) diag.Range {
	p := advance(d.BodyAt, d.Body[:offset])
	return d.src.at(int(p.Line), int(p.Column), n)
}

// Guess reads a one-line value of a key without YAML, for naming what is broken. The empty string: there is none.
func (d *Document) Guess(key string) (string, diag.Range) {
	if d.src == nil || !d.Found {
		return "", diag.Range{}
	}
	first := int(d.Fence.Start.Line)
	for n := first; d.src.has(n); n++ {
		line := d.src.line(n)
		if n > first && isClose(line) {
			break
		}
		k, at, ok := keyOf(line)
		if !ok || k != key {
			continue
		}
		value := strings.TrimSpace(line[at:])
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
			value = value[1 : len(value)-1]
		}
		return value, d.src.from(n, 1+utf8.RuneCountInString(line[:at]))
	}
	return "", diag.Range{}
}
