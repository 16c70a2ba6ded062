package wire

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// Body writes the JSON of a request. It appends to one buffer, so that a long history costs one pass over its text.
type Body struct {
	buf    []byte
	extra  map[string]json.RawMessage
	opened bool
}

// NewBody begins an object, for one send of the client. extra are members that replace our own of the same name; size is a
// guess at the length.
func (c *Client) NewBody(size int, extra map[string]json.RawMessage) *Body {
	b := &Body{buf: c.Tap.bodies.get(size), extra: extra}
	b.buf = append(b.buf, '{')
	return b
}

// Key begins a member; false when extra replaces it and no value may be written.
func (b *Body) Key(name string) bool {
	if _, ok := b.extra[name]; ok {
		return false
	}
	b.key(name)
	return true
}

func (b *Body) key(name string) {
	if b.opened {
		b.buf = append(b.buf, ',')
	}
	b.opened = true
	b.buf = append(jsontext.AppendString(b.buf, name), ':')
}

// Raw appends JSON as it is.
func (b *Body) Raw(json string) { b.buf = append(b.buf, json...) }

// Bytes appends JSON as it is.
func (b *Body) Bytes(json []byte) { b.buf = append(b.buf, json...) }

// String appends s as a JSON string.
func (b *Body) String(s string) { b.buf = jsontext.AppendString(b.buf, s) }

// Base64 appends data as a JSON string in base64, behind a prefix that needs no escape.
func (b *Body) Base64(prefix string, data []byte) {
	b.buf = append(append(b.buf, '"'), prefix...)
	b.buf = base64.StdEncoding.AppendEncode(b.buf, data)
	b.buf = append(b.buf, '"')
}

// Value appends v by encoding/json; v is a number, string or list of ours, which cannot fail.
func (b *Body) Value(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		raw = []byte("null")
	}
	b.buf = append(b.buf, raw...)
}

// End writes the extra members and closes the object.
func (b *Body) End() []byte {
	for _, name := range slices.Sorted(maps.Keys(b.extra)) {
		b.key(name)
		b.buf = append(b.buf, b.extra[name]...)
	}
	return append(b.buf, '}')
}
