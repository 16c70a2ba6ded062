package frontmatter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// ParseJSON reads a file that is JSON as a whole, with comments and trailing commas as editors allow them. Its values are
// nodes as those of YAML, so that one table of fields reads both. A repeated key is a fault, since one of the two would be
// lost. Root is nil when the list has an error, or when the file is no object.
func ParseJSON(src []byte, file string) (*Document, diag.List) {
	d, root, ds := parseJSON(src, file)
	if root == nil {
		return d, ds
	}
	if root.Kind != yaml.MappingNode {
		return d, diag.List{diag.New("E-JSON", d.Range(root), "the file is no JSON object").Suggest("write {…} around its settings")}
	}
	d.Root = root
	return d, nil
}

// parseJSON reads a value of any type; the root is nil when the list has an error.
func parseJSON(src []byte, file string) (*Document, *yaml.Node, diag.List) {
	s, bad := readSource(src, file)
	if bad != nil {
		return &Document{File: file, Fence: diag.At(file, 1, 1, 0), Found: true}, nil, diag.List{*bad}
	}
	d := &Document{File: file, src: s, Fence: s.at(1, 1, 0), Found: true}
	p := &jsonParser{text: s.text, plain: plainJSON(s.text), at: diag.Place(1, 1)}
	p.dec = json.NewDecoder(bytes.NewReader(p.plain))
	p.dec.UseNumber()
	root, err := p.value(0)
	if err == nil {
		if _, more := p.dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the closing brace")
		}
	}
	if err != nil {
		return d, nil, diag.List{p.fault(s, err)}
	}
	return d, root, nil
}

// maxNesting bounds how deep values of a JSON file may lie in each other.
const maxNesting = 100

// repeatedKey is a key that an object has already.
type repeatedKey struct {
	key    string
	offset int
}

func (r *repeatedKey) Error() string { return fmt.Sprintf("the key %q is given twice", r.key) }

// jsonParser makes nodes of tokens. Places are asked for in the order of the text.
type jsonParser struct {
	text  string
	plain []byte // text without comments: offsets are the same
	dec   *json.Decoder
	at    diag.Pos // of offset done
	done  int
}

// fault is a syntax error at its place.
func (p *jsonParser) fault(s *source, err error) diag.Diagnostic {
	offset := p.start()
	if r, ok := errors.AsType[*repeatedKey](err); ok {
		offset = r.offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err, offset = errors.New("the text ends too early"), len(p.text)
	}
	at := advance(diag.Place(1, 1), p.text[:min(offset, len(p.text))])
	return diag.New("E-JSON", s.at(int(at.Line), int(at.Column), 0), "the JSON cannot be read: %v", err).
		Suggest("comments and trailing commas are allowed, all else is JSON")
}

// value reads the next value.
func (p *jsonParser) value(depth int) (*yaml.Node, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("values lie more than %d deep in each other", maxNesting)
	}
	n := p.node(p.start())
	t, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n.Kind = yaml.ScalarNode
	switch t := t.(type) {
	case json.Delim:
		n.Style = yaml.FlowStyle
		fill := p.members
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if t == '[' {
			n.Kind, n.Tag, fill = yaml.SequenceNode, "!!seq", p.items
		}
		if err := fill(n, depth); err != nil {
			return nil, err
		}
		_, err = p.dec.Token()
	case string:
		n.Tag, n.Value, n.Style = "!!str", t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!int", t.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(t)
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, err
}

func (p *jsonParser) items(n *yaml.Node, depth int) error {
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, item)
	}
	return nil
}

func (p *jsonParser) members(n *yaml.Node, depth int) error {
	seen := map[string]bool{}
	for p.dec.More() {
		start := p.start()
		key := p.node(start)
		t, err := p.dec.Token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return errors.New("a key is no text")
		}
		if seen[name] {
			return &repeatedKey{name, start}
		}
		seen[name] = true
		key.Kind, key.Tag, key.Value, key.Style = yaml.ScalarNode, "!!str", name, yaml.DoubleQuotedStyle
		v, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, key, v)
	}
	return nil
}

// start is the offset of the next token.
func (p *jsonParser) start() int {
	o := int(p.dec.InputOffset())
	for o < len(p.plain) && strings.IndexByte(" \t\r\n,:", p.plain[o]) >= 0 {
		o++
	}
	return o
}

// node is a node at an offset.
func (p *jsonParser) node(offset int) *yaml.Node {
	offset = min(offset, len(p.text))
	p.at, p.done = advance(p.at, p.text[p.done:offset]), offset
	return &yaml.Node{Line: int(p.at.Line), Column: int(p.at.Column)}
}

// plainJSON blanks comments and trailing commas, so that what is left is JSON and offsets stay.
func plainJSON(text string) []byte {
	out := []byte(text)
	comma := -1 // the last thing seen but blanks and comments
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(out, i)
			continue
		case bytes.HasPrefix(out[i:], []byte("//")):
			i = blankOut(out, i, "\n", 0)
			continue
		case bytes.HasPrefix(out[i:], []byte("/*")):
			i = blankOut(out, i, "*/", 2)
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

// blankOut replaces a comment by blanks, its own line breaks stay, and gives the offset behind it.
func blankOut(src []byte, i int, end string, size int) int {
	stop := len(src)
	if n := bytes.Index(src[i+2:], []byte(end)); n >= 0 {
		stop = i + 2 + n + size
	}
	for ; i < stop; i++ {
		if src[i] != '\n' {
			src[i] = ' '
		}
	}
	return stop
}
