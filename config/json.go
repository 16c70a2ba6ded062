package config

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxDepth bounds values that become JSON; what people write is a tenth of it.
const maxDepth = 200

// toJSON is a node as JSON, with the keys in the order of the file. Numbers keep their digits; a date is text. False: a node
// cannot be written as JSON, and has been reported.
func (d *decoder) toJSON(n *yaml.Node) (json.RawMessage, bool) {
	var b bytes.Buffer
	if !d.writeJSON(&b, n, 0) {
		return nil, false
	}
	return b.Bytes(), true
}

func (d *decoder) writeJSON(b *bytes.Buffer, n *yaml.Node, depth int) bool {
	switch {
	case depth > maxDepth:
		d.wrong(n, "a value of at most "+strconv.Itoa(maxDepth)+" levels")
		return false
	case hasForeignTag(n):
		d.wrong(n, "a plain value")
		return false
	}
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, n.Content[i].Value)
			b.WriteByte(':')
			if !d.writeJSON(b, n.Content[i+1], depth+1) {
				return false
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if !d.writeJSON(b, c, depth+1) {
				return false
			}
		}
		b.WriteByte(']')
	default:
		writeScalar(b, n)
	}
	return true
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) {
	switch n.Tag {
	case "!!null":
		b.WriteString("null")
		return
	case "!!bool":
		if v, ok := parseFlag(n.Value); ok {
			b.WriteString(strconv.FormatBool(v))
			return
		}
	case "!!int", "!!float":
		if digits, ok := jsonNumber(n.Value); ok {
			b.WriteString(digits)
			return
		}
	}
	writeString(b, n.Value)
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

func writeString(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	b.Truncate(b.Len() - 1)
}
