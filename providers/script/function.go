package script

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// functions are the template language's own. Where a text is wanted, a result, a list of them or decoded JSON will do:
// text turns it into one. The subject comes last, so that all of them stand in pipelines.
var functions = lazy.Value[template.FuncMap]{New: func() template.FuncMap {
	return template.FuncMap{
		"join":    join,
		"lines":   func(v any) []string { return lines(v) },
		"grep":    grep,
		"first":   func(v any) any { return end(v, true) },
		"last":    func(v any) any { return end(v, false) },
		"trim":    func(v any) string { return strings.TrimSpace(text(v)) },
		"replace": replace,
		"json":    pick,
		"quote":   func(v any) (string, error) { return encodeJSON(text(v)) },
		"raw":     raw,
	}
}}

// replace PATTERN TO TEXT puts TO in place of what the RE2 pattern matches; $1 and ${name} in TO are its groups.
func replace(pattern, to string, v any) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", err
	}
	return re.ReplaceAllString(text(v), to), nil
}

// text is what a value reads as; the elements of a list become lines.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	}
	if parts, ok := elements(v); ok {
		return strings.Join(parts, "\n")
	}
	return fmt.Sprint(v)
}

// elements are the members of a list as texts; JSON lists count, texts do not.
func elements(v any) ([]string, bool) {
	rv := reflect.ValueOf(v)
	if !rv.IsValid() || rv.Kind() != reflect.Slice {
		return nil, false
	}
	parts := make([]string, rv.Len())
	for i := range parts {
		parts[i] = text(rv.Index(i).Interface())
	}
	return parts, true
}

// join LIST puts one element on a line; join SEP LIST puts SEP between them.
func join(args ...any) (string, error) {
	sep := "\n"
	switch len(args) {
	case 1:
	case 2:
		sep = text(args[0])
	default:
		return "", fmt.Errorf("join wants a list, or a separator and a list, not %d values", len(args))
	}
	v := args[len(args)-1]
	if parts, ok := elements(v); ok {
		return strings.Join(parts, sep), nil
	}
	return text(v), nil
}

// lines are those of a text, or of all elements of a list; a final line break begins no line.
func lines(v any) []string {
	s := text(v)
	if parts, ok := elements(v); ok {
		s = strings.Join(parts, "\n")
	}
	s = strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// grep PATTERN keeps the lines that match the regular expression.
func grep(pattern string, v any) ([]string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var kept []string
	for _, l := range lines(v) {
		if re.MatchString(l) {
			kept = append(kept, l)
		}
	}
	return kept, nil
}

// end is the first or last element of a list, or line of a text; of an empty one the element's zero value, which prints
// as nothing and is false in an if.
func end(v any, first bool) any {
	rv := reflect.ValueOf(v)
	if !rv.IsValid() || rv.Kind() != reflect.Slice {
		rv = reflect.ValueOf(lines(v))
	}
	switch n := rv.Len(); {
	case n == 0 && rv.Type().Elem().Kind() == reflect.Interface:
		return ""
	case n == 0:
		return reflect.Zero(rv.Type().Elem()).Interface()
	case first:
		return rv.Index(0).Interface()
	default:
		return rv.Index(n - 1).Interface()
	}
}

// raw is a value as JSON: a text is taken to be JSON already, everything else is encoded.
func raw(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		if r, isResult := v.(result); isResult {
			s, ok = r.Text, true
		}
	}
	if !ok {
		return encodeJSON(v)
	}
	if _, err := decodeJSON([]byte(s)); err != nil {
		return "", fmt.Errorf("raw wants JSON: %w", err)
	}
	return strings.TrimSpace(s), nil
}

// pick takes the value at PATH out of JSON: $.files[0].name; the $ may be left out, ["odd key"] names any key.
func pick(path string, v any) (any, error) {
	if isText(v) {
		d, err := decodeJSON([]byte(text(v)))
		if err != nil {
			return nil, fmt.Errorf("json %s: the text is no JSON: %w", path, err)
		}
		v = d
	}
	rest := strings.TrimPrefix(path, "$")
	for rest != "" {
		key, index, tail, err := step(rest)
		if err != nil {
			return nil, fmt.Errorf("json %s: %w", path, err)
		}
		if v, err = enter(v, key, index); err != nil {
			return nil, fmt.Errorf("json %s: %w", path, err)
		}
		rest = tail
	}
	return v, nil
}

func isText(v any) bool {
	switch v.(type) {
	case nil, bool, json.Number, object, list:
		return false
	}
	return true
}

var stepForm = lazy.MustCompile(`^(?:\.?([A-Za-z_][A-Za-z0-9_-]*)|\.?(\d+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])`)

// step cuts the first step off a path: a key, or an index, which is negative when there is a key.
func step(path string) (key string, index int, rest string, err error) {
	m := stepForm.Get().FindStringSubmatch(path)
	if m == nil {
		return "", 0, "", fmt.Errorf("%q is no step of a path: want .key, [0] or [\"key\"]", path)
	}
	key, index, rest = m[1], -1, path[len(m[0]):]
	switch digits := m[2] + m[3]; {
	case digits != "":
		index, err = strconv.Atoi(digits)
	case m[4] != "":
		key, err = strconv.Unquote(m[4])
	}
	return key, index, rest, err
}

func enter(v any, key string, index int) (any, error) {
	if l, ok := v.(list); ok && index >= 0 {
		if index >= len(l) {
			return nil, fmt.Errorf("no element %d in a list of %d", index, len(l))
		}
		return l[index], nil
	}
	if index >= 0 {
		key = strconv.Itoa(index)
	}
	o, ok := v.(object)
	if !ok {
		return nil, fmt.Errorf("no key %q in a value that is no object", key)
	}
	e, ok := o[key]
	if !ok {
		return nil, fmt.Errorf("no key %q", key)
	}
	return e, nil
}
