package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config/diag"
)

// kind is the type of a JSON value, in words for a person.
type kind string

const (
	object  kind = "an object"
	array   kind = "a list"
	text    kind = "text"
	number  kind = "a number"
	boolean kind = "true or false"
	null    kind = "null"
)

// value is a JSON value with its place. text is that of a scalar.
type value struct {
	kind    kind
	at      diag.Range
	text    string
	members []member
	items   []*value
}

// member is one key of an object with the place of the key.
type member struct {
	key   string
	at    diag.Range
	value *value
}

// maxNesting bounds how deep values may lie in each other.
const maxNesting = 100

// parse reads JSON with comments and trailing commas. Repeated keys are faults: one of the two would be lost.
func parse(file string, src []byte) (*value, *diag.Diagnostic) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	p := &parser{file: file, raw: src, src: plain(src)}
	p.dec = json.NewDecoder(bytes.NewReader(p.src))
	p.dec.UseNumber()
	v, err := p.value(0)
	if err == nil {
		if _, more := p.dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the closing brace")
		}
	}
	if err == nil {
		return v, nil
	}
	offset := p.start()
	if at, ok := errors.AsType[*repeated](err); ok {
		offset = at.offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err, offset = errors.New("the text ends too early"), len(p.src)
	}
	d := diag.New("E-JSON", p.rangeOf(offset, offset), "the JSON cannot be read: %v", err).
		Suggest("comments and trailing commas are allowed, all else is JSON")
	return nil, &d
}

// repeated is a key that an object has already.
type repeated struct {
	key    string
	offset int
}

func (r *repeated) Error() string { return fmt.Sprintf("the key %q is given twice", r.key) }

type parser struct {
	file string
	raw  []byte // as written: places are counted in it
	src  []byte // the same without comments
	dec  *json.Decoder
}

// value reads the next value.
func (p *parser) value(depth int) (*value, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("values lie more than %d deep in each other", maxNesting)
	}
	start := p.start()
	t, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	v := &value{}
	switch t := t.(type) {
	case json.Delim:
		v.kind = object
		fill := p.members
		if t == '[' {
			v.kind, fill = array, p.items
		}
		if err := fill(v, depth); err != nil {
			return nil, err
		}
		_, err = p.dec.Token()
	case string:
		v.kind, v.text = text, t
	case json.Number:
		v.kind, v.text = number, t.String()
	case bool:
		v.kind, v.text = boolean, fmt.Sprint(t)
	default:
		v.kind = null
	}
	v.at = p.rangeOf(start, int(p.dec.InputOffset()))
	return v, err
}

func (p *parser) items(v *value, depth int) error {
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	return nil
}

func (p *parser) members(v *value, depth int) error {
	seen := map[string]bool{}
	for p.dec.More() {
		start := p.start()
		t, err := p.dec.Token()
		if err != nil {
			return err
		}
		key, ok := t.(string)
		if !ok {
			return errors.New("a key is no text")
		}
		m := member{key: key, at: p.rangeOf(start, int(p.dec.InputOffset()))}
		if seen[key] {
			return &repeated{key, start}
		}
		seen[key] = true
		if m.value, err = p.value(depth + 1); err != nil {
			return err
		}
		v.members = append(v.members, m)
	}
	return nil
}

// start is the offset of the next token.
func (p *parser) start() int {
	o := int(p.dec.InputOffset())
	for o < len(p.src) && bytes.IndexByte([]byte(" \t\r\n,:"), p.src[o]) >= 0 {
		o++
	}
	return o
}

func (p *parser) rangeOf(start, end int) diag.Range {
	return diag.Range{File: p.file, Start: p.pos(start), End: p.pos(end)}
}

// pos is the place of an offset. Settings files are small, so it counts from the beginning.
func (p *parser) pos(offset int) diag.Pos {
	before := p.raw[:min(offset, len(p.raw))]
	line := bytes.Count(before, []byte("\n")) + 1
	return diag.Place(line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])+1)
}

// plain blanks comments and trailing commas, so that what is left is JSON and offsets stay.
func plain(src []byte) []byte {
	out := bytes.Clone(src)
	comma := -1 // the last thing seen but blanks and comments
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(out, i)
			continue
		case bytes.HasPrefix(out[i:], []byte("//")):
			i = blank(out, i, []byte("\n"), false)
			continue
		case bytes.HasPrefix(out[i:], []byte("/*")):
			i = blank(out, i, []byte("*/"), true)
			continue
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
		i++
	}
	return out
}

// stringEnd is the offset behind the string that begins at i.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// blank replaces a comment by blanks, its own line breaks stay, and gives the offset behind it.
func blank(src []byte, i int, end []byte, inclusive bool) int {
	stop := len(src)
	if n := bytes.Index(src[i+2:], end); n >= 0 {
		stop = i + 2 + n
		if inclusive {
			stop += len(end)
		}
	}
	for ; i < stop; i++ {
		if src[i] != '\n' {
			src[i] = ' '
		}
	}
	return stop
}
