package schema

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// types is a set of the types of JSON.
type types int

const (
	null types = 1 << iota
	boolean
	numeric // any number
	integer // a number without a fraction
	text
	array
	object
)

// typeNamed is in the order of the bits, which is the order of messages.
var typeNamed = [...]string{"null", "boolean", "number", "integer", "string", "array", "object"}

func typesOf(names ...any) types {
	var t types
	for _, name := range names {
		for i, known := range typeNamed {
			if name == known {
				t |= 1 << i
			}
		}
	}
	return t
}

func (t types) names() []string {
	var names []string
	for i, name := range typeNamed {
		if t&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

func typeOf(v any) types {
	switch v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case json.Number:
		return numeric
	case string:
		return text
	case []any:
		return array
	default:
		return object
	}
}

func (t types) allow(v any) bool {
	if t&typeOf(v) != 0 {
		return true
	}
	n, ok := v.(json.Number)
	return ok && t&integer != 0 && isInteger(n)
}

func isInteger(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") || exact(n).IsInt() }

// exact is a number without loss. The text is that of a JSON number, which always is one.
func exact(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return new(big.Rat)
	}
	return r
}

// equal compares values as JSON Schema does: numbers by value, objects without order.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			w, ok := b[name]
			if !ok || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || exact(a).Cmp(exact(b)) == 0)
	default:
		return a == b
	}
}

// size is about how many steps it takes to go through a value, or to show it.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case string:
		n += len(v) / 8
	case json.Number:
		n += len(v) / 8
		if strings.ContainsAny(string(v), "eE") {
			n += 20 // powers of ten are multiplied out
		}
	case map[string]any:
		for _, w := range v {
			n += size(w)
		}
	case []any:
		for _, w := range v {
			n += size(w)
		}
	}
	return n
}

// duplicate finds the first item that equals an earlier one, as long as b lasts.
func (b *budget) duplicate(items []any) (first, second int, found bool) {
	known := make(map[string]int, len(items))
	for i, item := range items {
		key := string(appendKey(nil, item))
		if b.spend(1 + len(key)/8); b.broken != "" {
			return 0, 0, false
		}
		if j, ok := known[key]; ok {
			return j, i, true
		}
		known[key] = i
	}
	return 0, 0, false
}

// appendKey writes a value so that equal ones are written alike, and others not.
func appendKey(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for _, name := range sortedKeys(v) {
			b = appendKey(append(strconv.AppendQuote(b, name), ':'), v[name])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = append(appendKey(b, item), ',')
		}
		return append(b, ']')
	case json.Number:
		return append(b, exact(v).RatString()...)
	case string:
		return strconv.AppendQuote(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	default:
		return append(b, "null"...)
	}
}
