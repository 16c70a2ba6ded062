package wire

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"
)

// Body writes the JSON of a request. It appends to one buffer, so that a long history costs one pass over its text.
type Body struct {
	buf    []byte
	extra  map[string]json.RawMessage
	opened bool
}

// NewBody begins an object. extra are members that replace our own of the same name; size is a guess at the length.
func NewBody(size int, extra map[string]json.RawMessage) *Body {
	b := &Body{buf: make([]byte, 0, size), extra: extra}
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
	b.buf = append(AppendString(b.buf, name), ':')
}

// Raw appends JSON as it is.
func (b *Body) Raw(json string) { b.buf = append(b.buf, json...) }

// Bytes appends JSON as it is.
func (b *Body) Bytes(json []byte) { b.buf = append(b.buf, json...) }

// String appends s as a JSON string.
func (b *Body) String(s string) { b.buf = AppendString(b.buf, s) }

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

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		if len(s)-i >= 8 && plain8(s[i:]) {
			i += 8
			continue
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

// plain8 tells whether the first 8 bytes of s are ASCII that needs no escape, all at once: histories are mostly that. It may
// say no where the answer is yes.
func plain8(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	_ = s[7]
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	control := x - ' '*ones
	quote := (x ^ '"'*ones) - ones
	escape := (x ^ '\\'*ones) - ones
	return (x|control|quote|escape)&tops == 0
}
