package jsonpath

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const document = `{"verdict":"changes","items":[{"line":3},{"line":7,"a b":null}],"日":{"x":1},"n":{"z":1,"a":2}}`

func value(t testing.TB) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		path    string
		want    []any
		missing string
	}{
		{"$.verdict", []any{"changes"}, ""},
		{"$.items[0].line", []any{3.0}, ""},
		{"$.items[-1].line", []any{7.0}, ""},
		{"$.items[*].line", []any{3.0, 7.0}, ""},
		{"$.n.*", []any{2.0, 1.0}, ""},
		{`$.items[1]["a b"]`, []any{nil}, ""},
		{"$.日.x", []any{1.0}, ""},
		{"$['n']['z']", []any{1.0}, ""},
		{"$.items[2].line", nil, "$.items[2]"},
		{"$.verdict.x", nil, "$.verdict.x"},
		{"$.items.line", nil, "$.items.line"},
		{"$.n[0]", nil, "$.n[0]"},
	} {
		p, err := Compile(tt.path)
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		if diff := cmp.Diff(tt.want, p.Find(value(t))); diff != "" {
			t.Errorf("%s: %s", tt.path, diff)
		}
		if got := p.Missing(value(t)); got != tt.missing {
			t.Errorf("%s: missing %q, want %q", tt.path, got, tt.missing)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for path, offset := range map[string]int{
		"": 0, "verdict": 0, "$verdict": 1, "$.": 2, "$..a": 1, "$.a[": 3, "$.a[x]": 3, "$[?(@.a)]": 1, "$['a": 1, "$.ä b": 3,
		"$" + strings.Repeat(".a", 101): 203,
	} {
		_, err := Compile(path)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", path, err)
			continue
		}
		if e.Offset != offset {
			t.Errorf("%q: %v, want offset %d", path, err, offset)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{"$.a[0]['b'][*].*", "$", "$..a", `$["x"]`, "$[-1]"} {
		f.Add(s)
	}
	v := value(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Compile(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > utf8.RuneCountInString(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if (len(p.Find(v)) == 0) != (p.Missing(v) != "") {
			t.Fatalf("%q: found %v, missing %q", text, p.Find(v), p.Missing(v))
		}
	})
}
