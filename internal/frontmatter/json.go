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
// have been expanded. The second result is nil unless the first is.
func JSON(n *yaml.Node) (json.RawMessage, *Unfit) {
	var b bytes.Buffer
	if bad := writeJSON(&b, n, 0); bad != nil {
		return nil, bad
	}
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, n *yaml.Node, depth int) *Unfit {
	if depth > maxDepth {
		return &Unfit{n, fmt.Sprintf("a value of at most %d levels", maxDepth)}
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
			if bad := writeJSON(b, n.Content[i+1], depth+1); bad != nil {
				return bad
			}
		}
		b.WriteByte('}')
	case "!!seq":
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if bad := writeJSON(b, c, depth+1); bad != nil {
				return bad
			}
		}
		b.WriteByte(']')
	default:
		return writeScalar(b, n)
	}
	return nil
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) *Unfit {
	switch n.Tag {
	case "!!null":
		b.WriteString("null")
		return nil
	case "!!bool":
		if v, err := strconv.ParseBool(strings.ToLower(n.Value)); err == nil {
			b.WriteString(strconv.FormatBool(v))
			return nil
		}
	case "!!int", "!!float":
		if digits, ok := jsonNumber(n.Value); ok {
			b.WriteString(digits)
			return nil
		}
	case "!!str", "!!timestamp":
	default:
		return &Unfit{n, "a plain value"}
	}
	b.Write(jsontext.AppendString(b.AvailableBuffer(), n.Value))
	return nil
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
