package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// object, list and str are decoded JSON that prints as JSON (str as its text) and that raw takes as the value it is.
type (
	object map[string]any
	list   []any
	str    string
)

func (o object) String() string { return printed(o) }
func (l list) String() string   { return printed(l) }

// printed is for values that came out of JSON and so go back into it.
func printed(v any) string {
	s, _ := encodeJSON(v)
	return s
}

var errTrailing = errors.New("more than one JSON value")

// decodeJSON reads exactly one value; numbers stay as they were written.
func decodeJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errTrailing
	}
	return printable(v), nil
}

func printable(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = printable(e)
		}
		return object(v)
	case []any:
		for i, e := range v {
			v[i] = printable(e)
		}
		return list(v)
	case string:
		return str(v)
	}
	return v
}

// encodeJSON writes compact JSON with sorted keys.
func encodeJSON(v any) (string, error) {
	b, err := jsontext.Marshal(v)
	return string(b), err
}
