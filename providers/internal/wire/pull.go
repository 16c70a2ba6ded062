package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Pull reads JSON of which the shape is expected, without reflection: text chunks make up nearly all of a stream, and
// encoding/json spends most of a client's time on them. It only ever reads what encoding/json reads alike; at anything
// else it turns bad, and the caller decodes the same bytes again the thorough way.
type Pull struct {
	b   []byte
	i   int
	bad bool
}

// NewPull reads b, which it keeps.
func NewPull(b []byte) Pull { return Pull{b: b} }

// OK tells whether everything was as expected and nothing is left.
func (p *Pull) OK() bool {
	p.space()
	return !p.bad && p.i == len(p.b)
}

func (p *Pull) space() {
	for p.i < len(p.b) && (p.b[p.i] == ' ' || p.b[p.i] == '\n' || p.b[p.i] == '\t' || p.b[p.i] == '\r') {
		p.i++
	}
}

// peek is the next byte that counts, 0 at the end or when bad.
func (p *Pull) peek() byte {
	p.space()
	if p.bad || p.i == len(p.b) {
		return 0
	}
	return p.b[p.i]
}

func (p *Pull) expect(c byte) {
	if p.peek() != c {
		p.bad = true
		return
	}
	p.i++
}

// more steps to the next member or element, or over the closing byte. n is the number of those before.
func (p *Pull) more(closing byte, n int) bool {
	switch c := p.peek(); {
	case c == closing:
		p.i++
		return false
	case n > 0:
		p.expect(',')
		if p.peek() == closing {
			p.bad = true
		}
	}
	return !p.bad
}

// key is the name of the next member.
func (p *Pull) key() []byte {
	raw := p.rawString()
	if bytes.IndexByte(raw, '\\') >= 0 {
		p.bad = true
	}
	p.expect(':')
	return raw
}

// Members yields the name of each member of the object that comes next; its value is the caller's to read.
func (p *Pull) Members(yield func(name []byte) bool) {
	p.expect('{')
	for n := 0; p.more('}', n) && yield(p.key()); n++ {
	}
}

// Elements yields the number of each element of the array that comes next, which is the caller's to read.
func (p *Pull) Elements(yield func(n int) bool) {
	p.expect('[')
	for n := 0; p.more(']', n) && yield(n); n++ {
	}
}

// Names are the members of an object that were read, by numbers of the caller's.
type Names uint

// Once is for a member that must not come twice: encoding/json would make one of both.
func (p *Pull) Once(seen *Names, number uint) {
	p.Expect(*seen&(1<<number) == 0)
	*seen |= 1 << number
}

// Expect says what must be so.
func (p *Pull) Expect(ok bool) { p.bad = p.bad || !ok }

// Null steps over null, if it comes next.
func (p *Pull) Null() bool {
	if p.peek() != 'n' {
		return false
	}
	p.literal("null")
	return true
}

func (p *Pull) literal(s string) {
	if !bytes.HasPrefix(p.b[p.i:], []byte(s)) {
		p.bad = true
		return
	}
	p.i += len(s)
}

// rawString is the inside of a string, escapes and all.
func (p *Pull) rawString() []byte {
	p.expect('"')
	from := p.i
	for !p.bad && p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case c == '"':
			p.i++
			return p.b[from : p.i-1]
		case c == '\\':
			p.i += 2
		case c < ' ':
			p.bad = true
		default:
			p.i++
		}
	}
	p.bad = true
	return nil
}

// String is the next value, which is a string.
func (p *Pull) String() string {
	raw := p.rawString()
	if !utf8.Valid(raw) {
		p.bad = true
		return ""
	}
	i := bytes.IndexByte(raw, '\\')
	if i < 0 {
		return string(raw)
	}
	out := append(make([]byte, 0, len(raw)), raw[:i]...)
	for ; i < len(raw); i++ {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			continue
		}
		i++
		c := unescaped(raw[i])
		if c == 0 { // \u…, or no escape at all
			return p.thorough(raw)
		}
		out = append(out, c)
	}
	return string(out)
}

// Text is the next value, a string or null, which is "".
func (p *Pull) Text() string {
	if p.Null() {
		return ""
	}
	return p.String()
}

// Repeated is Text, and known itself where it says the same.
func (p *Pull) Repeated(known string) string {
	begin := *p
	if p.peek() == '"' {
		if raw := p.rawString(); string(raw) == known && bytes.IndexByte(raw, '\\') < 0 {
			return known
		}
	}
	*p = begin
	return p.Text()
}

// skipString steps over a string.
func (p *Pull) skipString() {
	raw := p.rawString()
	p.Expect(utf8.Valid(raw))
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if i++; unescaped(raw[i]) == 0 {
			_ = p.thorough(raw)
			return
		}
	}
}

func unescaped(c byte) byte {
	switch c {
	case '"', '\\', '/':
		return c
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return 0
}

func (p *Pull) thorough(raw []byte) string {
	var s string
	quoted := append(append(append(make([]byte, 0, len(raw)+2), '"'), raw...), '"')
	if json.Unmarshal(quoted, &s) != nil {
		p.bad = true
	}
	return s
}

// Int is the next value, a small whole number.
func (p *Pull) Int() int {
	if c := p.peek(); c < '0' || c > '9' {
		p.bad = true
		return 0
	}
	from, n := p.i, 0
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' {
		n = n*10 + int(p.b[p.i]-'0')
		p.i++
	}
	next := p.peek()
	if p.i-from > 9 || p.b[from] == '0' && p.i-from > 1 || next == '.' || next|0x20 == 'e' {
		p.bad = true
	}
	return n
}

// Skip steps over a value of any kind. Fractions and exponents it leaves to the thorough way.
func (p *Pull) Skip() {
	p.skip(0)
}

// maxQuick is how deep values may lie in each other.
const maxQuick = 20

func (p *Pull) skip(depth int) {
	switch c := p.peek(); {
	case depth > maxQuick:
		p.bad = true
	case c == '"':
		p.skipString()
	case c == '{':
		for range p.Members {
			p.skip(depth + 1)
		}
	case c == '[':
		for range p.Elements {
			p.skip(depth + 1)
		}
	case c == 't':
		p.literal("true")
	case c == 'f':
		p.literal("false")
	case c == 'n':
		p.literal("null")
	case c >= '0' && c <= '9':
		p.skipInt()
	default:
		p.bad = true
	}
}

func (p *Pull) skipInt() {
	from := p.i
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' {
		p.i++
	}
	if p.b[from] == '0' && p.i-from > 1 || p.i < len(p.b) && (p.b[p.i] == '.' || p.b[p.i]|0x20 == 'e') {
		p.bad = true
	}
}
