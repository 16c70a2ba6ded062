package frontmatter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// maxDepth bounds values that become JSON or come from it; what people write is a tenth of it.
const maxDepth = 200

// Unfit says why a value cannot be JSON.
type Unfit struct {
	Node *yaml.Node // the part of the value that cannot
	Want string     // what could stand there, such as "a plain value"
}

// JSON is a node as JSON, with the keys in the order of the file. Numbers keep their digits; a date is text. Aliases must
// have been expanded. It is nil where parts of the node cannot be JSON, which are the second result then.
func JSON(n *yaml.Node) (json.RawMessage, []Unfit) {
	var w jsonWriter
	w.value(n, 0)
	if len(w.unfit) > 0 {
		return nil, w.unfit
	}
	return w.Bytes(), nil
}

// jsonWriter writes a node, and lists what of it cannot be written.
type jsonWriter struct {
	bytes.Buffer
	unfit []Unfit
}

func (b *jsonWriter) value(n *yaml.Node, depth int) {
	if depth > maxDepth {
		b.unfit = append(b.unfit, Unfit{n, fmt.Sprintf("a value of at most %d levels", maxDepth)})
		return
	}
	switch n.Tag {
	case "!!map":
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(jsontext.AppendString(b.AvailableBuffer(), n.Content[i].Value))
			b.WriteByte(':')
			b.value(n.Content[i+1], depth+1)
		}
		b.WriteByte('}')
	case "!!seq":
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			b.value(c, depth+1)
		}
		b.WriteByte(']')
	default:
		b.scalar(n)
	}
}

func (b *jsonWriter) scalar(n *yaml.Node) {
	switch n.Tag {
	case "!!null":
		b.WriteString("null")
		return
	case "!!bool":
		if v, err := strconv.ParseBool(strings.ToLower(n.Value)); err == nil {
			b.WriteString(strconv.FormatBool(v))
			return
		}
	case "!!int", "!!float":
		if digits, ok := jsonNumber(n.Value); ok {
			b.WriteString(digits)
			return
		}
	case "!!str", "!!timestamp":
	default:
		b.unfit = append(b.unfit, Unfit{n, "a plain value"})
		return
	}
	b.Write(jsontext.AppendString(b.AvailableBuffer(), n.Value))
}

// jsonNumber is a YAML number in the digits of JSON. Infinity and NaN have none; leading zeros are decimal.
func jsonNumber(s string) (string, bool) {
	if json.Valid([]byte(s)) {
		return s, true
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(s, "+"), "_", "")
	if v, err := strconv.ParseInt(plain, 10, 64); err == nil {
		return strconv.FormatInt(v, 10), true
	}
	if v, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return strconv.FormatInt(v, 10), true
	}
	if v, err := strconv.ParseFloat(plain, 64); err == nil {
		if digits, err := json.Marshal(v); err == nil {
			return string(digits), true
		}
	}
	return "", false
}

// Lookup is the node at a path of keys and list indices below the root, or the deepest one on the way that exists. It is
// nil in a document without root.
func (d *Document) Lookup(path ...string) *yaml.Node {
	n := d.Root
	for _, step := range path {
		next := below(n, step)
		if next == nil {
			break
		}
		n = next
	}
	return n
}

func below(n *yaml.Node, step string) *yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == step {
			return n.Content[i+1]
		}
	}
	return nil
}
