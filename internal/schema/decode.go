package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// decode reads one JSON value with exact numbers.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.New("there is no JSON, the text is empty")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errors.New("the JSON ends too early")
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("no valid JSON: %w (byte %d)", err, syntax.Offset)
		}
		return nil, fmt.Errorf("no valid JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more text follows the JSON value (byte %d)", d.InputOffset())
	}
	return v, nil
}

// Numbers beyond this are refused: they are expanded to exact fractions, digit by digit.
const (
	maxDigits   = 400
	maxExponent = 400
)

// hugeNumber finds a number that is too long to calculate with.
func hugeNumber(v any, at []string) ([]string, bool) {
	switch v := v.(type) {
	case json.Number:
		return at, isHuge(string(v))
	case []any:
		for i, item := range v {
			if p, ok := hugeNumber(item, append(at, strconv.Itoa(i))); ok {
				return p, true
			}
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if p, ok := hugeNumber(v[name], append(at, name)); ok {
				return p, true
			}
		}
	}
	return nil, false
}

func isHuge(number string) bool {
	if len(number) > maxDigits {
		return true
	}
	_, exponent, ok := strings.Cut(strings.ToLower(number), "e")
	if !ok {
		return false
	}
	n, err := strconv.Atoi(exponent)
	return err != nil || n > maxExponent || n < -maxExponent
}

// maxNesting is how deeply the values of a schema may lie in each other. Places in it are kept as text.
const maxNesting = 500

func isDeeper(v any, levels int) bool {
	deeper := func(item any) bool { return levels == 0 || isDeeper(item, levels-1) }
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, deeper)
	case map[string]any:
		for _, item := range v {
			if deeper(item) {
				return true
			}
		}
	}
	return false
}

// find follows a path; false where it leads nowhere.
func find(v any, path []string) (any, bool) {
	for _, name := range path {
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[name]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(c) {
				return nil, false
			}
			v = c[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// pointer writes a path as an RFC 6901 JSON pointer.
func pointer(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteString(step(name))
	}
	return b.String()
}

// step is one name of a JSON pointer.
func step(name string) string { return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// steps takes a JSON pointer apart.
func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(pointer[1:], "/")
	for i, name := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
