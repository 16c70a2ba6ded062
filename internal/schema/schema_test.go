package schema

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func compile(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := Compile(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestValidate(t *testing.T) {
	const file = `{"type":"object","properties":{"file_path":{"type":"string"},"limit":{"type":"integer","minimum":1}},
		"required":["file_path"],"additionalProperties":false}`
	const shapes = `{"oneOf":[
		{"type":"object","properties":{"type":{"const":"circle"},"r":{"type":"number"}},"required":["type","r"]},
		{"type":"object","properties":{"type":{"const":"square"},"side":{"type":"number"}},"required":["type","side"]}]}`
	tests := []struct {
		name, schema, instance string
		want                   []string
	}{
		{"fits", file, `{"file_path":"a.go","limit":3}`, nil},
		{"integer written as 3.0", file, `{"file_path":"a.go","limit":3.0}`, nil},
		{"missing", file, `{}`, []string{`missing property "file_path"`}},
		{"near miss", file, `{"filePath":"a"}`, []string{`missing property "file_path"`, `filePath: unknown property "filePath"; did you mean "file_path"?`}},
		{"unknown", file, `{"file_path":"a","colour":1}`, []string{`colour: unknown property "colour"; known: "file_path", "limit"`}},
		{"wrong type", file, `{"file_path":7}`, []string{`file_path: must be a string, not the number 7`}},
		{"wrong type of container", file, `{"file_path":["a"]}`, []string{`file_path: must be a string, not an array`}},
		{"null", file, `null`, []string{`must be an object, not null`}},
		{"several at once", file, `{"limit":0}`, []string{`missing property "file_path"`, `limit: must be at least 1, not 0`}},
		{"enum", `{"enum":["pending","in_progress","completed"]}`, `"complete"`, []string{`must be one of "pending", "in_progress", "completed", not "complete"; did you mean "completed"?`}},
		{"const", `{"const":3}`, `4`, []string{`must be 3, not 4`}},
		{"pattern", `{"pattern":"^[a-z]+$"}`, `"A1"`, []string{`must match the pattern ^[a-z]+$, and "A1" does not`}},
		{"format", `{"format":"date"}`, `"2026-13-01"`, []string{`must be a valid date, and "2026-13-01" is not`}},
		{"length counts characters", `{"maxLength":2}`, `"äöü"`, []string{`must have at most 2 characters, has 3`}},
		{"short", `{"minLength":1}`, `""`, []string{`must have at least 1 character, has 0`}},
		{"nested path", `{"properties":{"todos":{"items":{"properties":{"status":{"enum":["a"]}}}}}}`, `{"todos":[{},{"status":"b"}]}`, []string{`todos[1].status: must be "a", not "b"`}},
		{"indexes in order", `{"items":{"type":"string"}}`, `["",1,"","","","","","","","",2]`, []string{`[1]: must be a string, not the number 1`, `[10]: must be a string, not the number 2`}},
		{"unique", `{"uniqueItems":true}`, `[1,2,1.0]`, []string{`[2]: equals item 0, and no two may be equal`}},
		{"exact numbers", `{"const":9007199254740993}`, `9007199254740992`, []string{`must be 9007199254740993, not 9007199254740992`}},
		{"exact fractions", `{"multipleOf":0.1}`, `0.30000000000000004`, []string{`must be a multiple of 0.1, not 0.30000000000000004`}},
		{"types of alternatives", `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, `3`, []string{`must be a string or an array, not the number 3`}},
		{"the alternative of the right type", `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, `["a",3]`, []string{`[1]: must be a string, not the number 3`}},
		{"fixed values as alternatives", `{"anyOf":[{"const":"a"},{"enum":["b","c"]}]}`, `"d"`, []string{`must be one of "a", "b", "c", not "d"`}},
		{"the alternative with the right tag", shapes, `{"type":"square"}`, []string{`missing property "side"`}},
		{"no alternative", shapes, `{"type":"star"}`, []string{`fits none of the 2 allowed forms; form 1: missing property "r"; form 2: missing property "side"`}},
		{"two alternatives", `{"oneOf":[{"type":"integer"},{"minimum":3}]}`, `4`, []string{`fits allowed forms 1 and 2, and must fit exactly one`}},
		{"reference", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`, `"x"`, []string{`must be a number, not the string "x"`}},
		{"property behind a reference", `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"name":{}},"additionalProperties":false}}}`, `{"nmae":1}`, []string{`nmae: unknown property "nmae"; did you mean "name"?`}},
		{"unevaluated", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, []string{`b: property "b" is not allowed here`}},
		{"property names", `{"properties":{"a":{"propertyNames":{"pattern":"^[a-z]+$"}},"b":{},"c":{}}}`, `{"a":{"X":1},"b":{"y":1},"c":{"z":1}}`, []string{`a.X: the name must match the pattern ^[a-z]+$, and "X" does not`}},
		{"then", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, []string{`missing property "b"`}},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{`with property "a" also "b" must be given`}},
		{"not", `{"not":{"type":"string"}}`, `"x"`, []string{`has a form that is not allowed`}},
		{"contains", `{"contains":{"type":"string"}}`, `[1]`, []string{`has no item of the form that one must have`}},
		{"counts", `{"minItems":2,"maxProperties":0}`, `[1]`, []string{`must have at least 2 items, has 1`}},
		{"properties", `{"maxProperties":1}`, `{"a":1,"b":2}`, []string{`must have at most 1 property, has 2`}},
		{"false", `false`, `1`, []string{`has a form that is not allowed`}},
		{"true", `true`, `1`, nil},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`, []string{`has 1 item too many`}},
		{"no JSON", `{}`, `{"a":`, []string{`the JSON ends too early`}},
		{"bad JSON", `{}`, `{a}`, []string{`no valid JSON: invalid character 'a' looking for beginning of object key string (byte 2)`}},
		{"empty", `{}`, ``, []string{`there is no JSON, the text is empty`}},
		{"two values", `{}`, `{} {}`, []string{`more text follows the JSON value (byte 4)`}},
		{"huge exponent", `{"minimum":1}`, `{"a":[1e999999999]}`, []string{`a[0]: the number is out of range`}},
		{"long value is cut", `{"const":1}`, `"` + strings.Repeat("é", 100) + `"`, []string{`must be 1, not "` + strings.Repeat("é", 39) + `…`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range compile(t, tt.schema).Validate(json.RawMessage(tt.instance)) {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	s := compile(t, `{"properties":{"a/b":{"items":{"properties":{"n":{"type":"string"}},"required":["n"],"additionalProperties":false}}}}`)
	got := s.Validate(json.RawMessage(`{"a/b":[{"n":"x"},{"m":1}]}`))
	want := []Fault{
		{Path: []string{"a/b", "1"}, Message: `missing property "n"`},
		{Path: []string{"a/b", "1", "m"}, Key: true, Message: `unknown property "m"; known: "n"`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCompileErrors(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, schema string
		want         CompileError
	}{
		{"unknown type", `{"properties":{"a":{"type":"strng"}}}`, CompileError{"/properties/a/type",
			`must be one of "array", "boolean", "integer", "null", "number", "object", "string", not "strng"; did you mean "string"?`}},
		{"wrong shape", `{"required":"a"}`, CompileError{"/required", `must be an array, not the string "a"`}},
		{"not a schema", `[]`, CompileError{"", `must be a boolean or an object, not an array`}},
		{"look-ahead", `{"properties":{"a~/b":{"pattern":"(?=x)"}}}`, CompileError{"/properties/a~0~1b/pattern",
			"the pattern \"(?=x)\" is not RE2: invalid or unsupported Perl syntax: `(?=`"}},
		{"dangling reference", `{"properties":{"a":{"$ref":"#/$defs/none"}}}`, CompileError{"/properties/a/$ref",
			`the reference leads to nothing: "#/$defs/none"`}},
		{"file", `{"properties":{"a":{"$ref":"file://` + secret + `"}}}`, CompileError{"/properties/a/$ref",
			`"file://` + secret + `" cannot be used: a schema can refer to itself only`}},
		{"network", `{"items":{"$ref":"http://127.0.0.1:1/x.json"}}`, CompileError{"/items/$ref",
			`"http://127.0.0.1:1/x.json" cannot be used: a schema can refer to itself only`}},
		{"neighbour", `{"items":{"$ref":"other.json#/a"}}`, CompileError{"/items/$ref",
			`"https://schema.invalid/other.json" cannot be used: a schema can refer to itself only`}},
		{"dialect", `{"$schema":"https://example.com/mine"}`, CompileError{"/$schema", "must name draft 4, 6, 7, 2019-09 or 2020-12 of JSON Schema"}},
		{"no JSON", `{`, CompileError{"", "the JSON ends too early"}},
		{"huge number", `{"items":{"minimum":1e99999}}`, CompileError{"/items/minimum", "the number is out of range"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile(json.RawMessage(tt.schema))
			var got *CompileError
			if !errors.As(err, &got) {
				t.Fatalf("error %T %v, want a *CompileError", err, err)
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Everything that is wrong with a schema is told, each place once and in order: forms, patterns, references and names alike.
func TestAllCompileErrors(t *testing.T) {
	_, err := Compile(json.RawMessage(`{"required":"a","properties":{
		"a":{"type":"strng","minLength":-1},"b":{"pattern":"("},"c":{"$ref":"#/$defs/none"},
		"d":{"$ref":"#/default/x"},"e":{"$ref":"#/default/x"},"f":{"patternProperties":{"[":true}},
		"g":{"$anchor":"n"},"h":{"$anchor":"n"},"i":{"type":"string"}},
		"default":{"x":{"minimum":"1"}}}`))
	var all CompileErrors
	if !errors.As(err, &all) {
		t.Fatalf("error %T %v, want CompileErrors", err, err)
	}
	var got []string
	for _, e := range all {
		got = append(got, e.Path)
	}
	want := []string{
		"/default/x/minimum", "/properties/a/minLength", "/properties/a/type", "/properties/b/pattern", "/properties/c/$ref",
		"/properties/f/patternProperties/[", "/properties/h/$anchor", "/required",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if want := "schema at /default/x/minimum: must be a number, not the string \"1\" (and 7 more)"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestOneSchemaManyGoroutines(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"a":{"type":"string","pattern":"^x"}},"required":["a"]}`)
	done := make(chan []Fault)
	for range 8 {
		go func() { done <- s.Validate(json.RawMessage(`{"a":"y"}`)) }()
	}
	for range 8 {
		if fs := <-done; len(fs) != 1 {
			t.Errorf("faults: %v", fs)
		}
	}
}

// Schema and instance are both text of strangers: no panic, faults at paths that exist.
func FuzzValidate(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, `{"b":1}`)
	f.Add(`{"anyOf":[{"type":"string"},{"$ref":"#"}],"minimum":1}`, `[[[1e300]]]`)
	f.Add(`{"oneOf":[{"const":1},{"const":2}],"propertyNames":{"maxLength":1}}`, `{"aa":{"bb":0}}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`, `1`)
	f.Add(`{"$id":"urn:x","$anchor":"y","items":{"$ref":"#y"},"contains":false,"uniqueItems":true}`, `[1,1]`)
	f.Add(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"additionalItems":false,"if":{},"then":false}`, `[1,2]`)
	f.Fuzz(func(t *testing.T, schema, instance string) {
		s, err := Compile(json.RawMessage(schema))
		if err != nil {
			var c *CompileError
			if !errors.As(err, &c) || c.Message == "" {
				t.Fatalf("error %T: %v", err, err)
			}
			return
		}
		for _, fault := range s.Validate(json.RawMessage(instance)) {
			if fault.Message == "" {
				t.Errorf("a fault without words: %v", fault)
			}
			if v, err := decode([]byte(instance)); err == nil && !exists(v, fault.Path) {
				t.Errorf("the path leads nowhere: %q", fault.Path)
			}
		}
	})
}

func exists(v any, path []string) bool {
	for i := range path {
		within, _ := find(v, path[:i])
		switch c := within.(type) {
		case map[string]any:
			if _, ok := c[path[i]]; !ok {
				return false
			}
		case []any:
		default:
			return false
		}
	}
	return true
}
