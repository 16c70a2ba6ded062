package expression

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Value is JSON as expressions see it: whole numbers are int as far as they fit, so that large ones keep their last digits, and
// all others float64. What is no JSON is nil.
func Value(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if !json.Valid(raw) || d.Decode(&v) != nil {
		return nil
	}
	return numbered(v)
}

// numbered puts numbers that can be calculated with in the place of those that are text.
func numbered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = numbered(member)
		}
	case []any:
		for i, item := range v {
			v[i] = numbered(item)
		}
	case json.Number:
		if n, err := strconv.Atoi(string(v)); err == nil {
			return n
		}
		f, _ := v.Float64() // what is too large is infinite
		return f
	}
	return v
}
