package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Schemas and instances that are written to take long, or to lead in circles, end with a fault; none takes more steps than
// a check may.
func TestHostile(t *testing.T) {
	chain := func(keyword, last string, n int) string { // each schema asks the next one twice
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"a%d":{%q:[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, keyword, i+1, i+1)
		}
		return fmt.Sprintf(`{"$ref":"#/$defs/a0","$defs":{%s"a%d":%s}}`, b.String(), n, last)
	}
	const (
		steps  = "checking this takes too many steps"
		deep   = "this is nested too deeply to be checked"
		circle = `the schema leads in a circle and says nothing: `
	)
	tests := []struct{ name, schema, instance, want string }{
		{"all of twice as many", chain("allOf", "true", 40), `1`, steps},
		{"any of twice as many", chain("anyOf", "false", 40), `1`, steps},
		{"one of twice as many", chain("oneOf", "false", 40), `1`, steps},
		{"faults twice as many", chain("allOf", `{"type":"null"}`, 40), `1`, steps},
		{"not, of twice as many", `{"not":` + strings.Replace(chain("allOf", "true", 40), "{", `{"$id":"http://a/b",`, 1) + `}`, `1`, steps},
		{"long list of values", `{"items":{"enum":[` + strings.Repeat(`"x",`, 20000) + `1]}}`, `[` + strings.Repeat(`2,`, 1000) + `2]`, steps},
		{"many patterns", `{"patternProperties":{` + many(2000, `"^x%d":true`) + `}}`, `{` + many(5000, `"a%d":1`) + `}`, steps},
		{"many names", `{"items":{"required":[` + many(5000, `"n%d"`) + `]}}`, `[` + strings.Repeat(`{},`, 2000) + `{}]`, steps},
		{"many faults far down", `{"items":{"$ref":"#"},"type":"array"}`, strings.Repeat("[", 4000) + many(100_000, `%d`) + strings.Repeat("]", 4000), steps},
		{"everything shown at each level", `{"items":{"allOf":[{"$ref":"#"},{"const":1}]}}`, strings.Repeat("[", 3000) + many(10_000, `%d`) + strings.Repeat("]", 3000), steps},
		{"a long text shown often", `{"allOf":[` + many(2000, `{"const":%d}`) + `]}`, `"` + strings.Repeat("x", 1<<20) + `"`, steps},
		{"long numbers that differ", `{"uniqueItems":true}`, `[` + many(200_000, `%d.5e-390`) + `]`, steps},
		{"properties of no schema", `{"allOf":[` + many(5000, `{"properties":{"a%d":true}}`) + `]}`, `{` + many(2000, `"b%d":1`) + `}`, steps},
		{"properties seen often", `{"allOf":[` + many(5000, `{"$comment":"%d","properties":{"a":true},"unevaluatedProperties":true}`) + `]}`, `{` + many(2000, `"a%d":1`) + `}`, steps},
		{"a long text measured often", `{"allOf":[` + many(10_000, `{"minLength":%d}`) + `]}`, `"` + strings.Repeat("x", 1<<20) + `"`, steps},
		{"many rules for each", `{"items":{"dependentRequired":{` + many(5000, `"a%d":[]`) + `}}}`, `[` + strings.Repeat(`{},`, 20_000) + `{}]`, steps},
		{"numbers with exponents", `{"items":{"enum":[` + many(1000, `%de390`) + `]}}`, `[` + many(1000, `1.%de-390`) + `]`, steps},
		{"a pattern of many states", `{"pattern":"^(x?){900}y$"}`, `"` + strings.Repeat("x", 1<<20) + `"`, steps},
		{"a pattern of many states for names", `{"patternProperties":{"^(x?){900}y$":true}}`, `{"` + strings.Repeat("x", 1<<20) + `":1}`, steps},
		{"deep", `{"items":{"$ref":"#"}}`, strings.Repeat("[", 9000) + strings.Repeat("]", 9000), deep},
		{"itself", `{"$ref":"#"}`, `1`, circle + `"#"`},
		{"each other", `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, `1`, circle + `"#/$defs/a"`},
		{"dynamic", `{"$dynamicAnchor":"x","$dynamicRef":"#x"}`, `1`, circle + `"#"`},
		{"recursive", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"$recursiveRef":"#"}`, `1`, circle + `"#"`},
		{"a circle with progress", `{"properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{"next":{"nxt":1}}}`, `next.next.nxt: unknown property "nxt"; did you mean "next"?`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := compile(t, tt.schema).Validate(json.RawMessage(tt.instance))
			if len(found) != 1 || found[0].String() != tt.want {
				t.Errorf("got %.300v, want %s", found, tt.want)
			}
		})
	}
}

// However much does not fit, what is said of it is short, and is said soon.
func TestHostileWords(t *testing.T) {
	forms := `{"anyOf":[{"minimum":5},{"multipleOf":7}]}`
	for range 12 {
		forms = `{"anyOf":[` + forms + `,` + forms + `]}`
	}
	long := strings.Repeat("x", 20_000)
	for _, tt := range []struct {
		name, schema, instance string
		faults                 int
	}{
		{"unknown properties", `{"additionalProperties":false,"properties":{` + many(5000, `"some%d":true`) + `}}`, `{` + many(50_000, `"other%d":1`) + `}`, 101},
		{"a long pattern", `{"items":{"pattern":"` + long + `"}}`, `[` + many(20_000, `"y%d"`) + `]`, 101},
		{"missing properties", `{"items":{"dependentRequired":{"a":[` + many(5000, `"property%d"`) + `]}}}`, `[` + strings.Repeat(`{"a":1},`, 500) + `{}]`, 101},
		{"forms within forms", forms, `1`, 1},
		{"long names", `{"additionalProperties":{"additionalProperties":{"type":"null"}}}`, `{"` + long + `":{"` + long + `":1}}`, 1},
		{"a long way", `{"items":{"$ref":"#"},"type":"array"}`, strings.Repeat("[", 4000) + "1" + strings.Repeat("]", 4000), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := compile(t, tt.schema).Validate(json.RawMessage(tt.instance))
			if len(found) != tt.faults {
				t.Errorf("%d faults, want %d", len(found), tt.faults)
			}
			for _, f := range found {
				if text := f.String(); len(text) > 2000 {
					t.Fatalf("%d bytes: %.200s", len(text), text)
				}
			}
		})
	}
}

// many repeats a text with its number.
func many(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// What is large and meant so fits into the limits.
func TestLarge(t *testing.T) {
	s := compile(t, `{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true}},
		"required":["id","tags"],"additionalProperties":false}}`)
	instance := `[` + many(100_000, `{"id":%d,"tags":["a","b"]}`) + `]`
	if found := s.Validate(json.RawMessage(instance)); found != nil {
		t.Errorf("%d faults, the first: %v", len(found), found[0])
	}
}

func TestHostileSchemas(t *testing.T) {
	name := strings.Repeat("n", 20_000)
	for _, tt := range []struct{ name, schema, want string }{
		{"a long name of many schemas", `{"properties":{"` + name + `":{"properties":{` + many(5000, `"a%d":true`) + `}}}}`, "schema: the names in the schema are too long"},
		{"a long name of many keywords", `{"properties":{"` + name + `":{` + many(5000, `"a%d":true`) + `}}}`, "schema: the names in the schema are too long"},
		{"patterns of many states", `{"allOf":[` + many(200, `{"pattern":"x{1000}%d"}`) + `]}`, `schema at /allOf/150/pattern: the pattern "x{1000}150" makes those of the schema too large together: repeat less`},
		{"deep", strings.Repeat(`{"not":`, 600) + "true" + strings.Repeat("}", 600), "schema: the schema is nested too deeply"},
		{"a reference to a list", `{"$ref":"#/$defs/a/required","$defs":{"a":{"required":["b"]}}}`, "schema at /$defs/a/required: must be a boolean or an object, not an array"},
		{"a reference to what is none", `{"$ref":"#/default","default":{"type":1}}`, `schema at /default/type: must be one of "array", "boolean", "integer", "null", "number", "object", "string", not 1`},
		{"the same name twice", `{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, `schema at /$defs/b/$anchor: the schema at "#/$defs/a" has the same name`},
		{"the same address twice", `{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}`, `schema at /$defs/b/$id: the schema at "#/$defs/a" has the same $id`},
		{"an escape that is none", `{"$ref":"#/$defs/%zz"}`, `schema at /$ref: must be a valid uri-reference, and "#/$defs/%zz" is not`},
		{"a dialect inside", `{"$defs":{"a":{"$id":"x","$schema":"https://example.com/none"}}}`, "schema at /$defs/a/$schema: must name draft 4, 6, 7, 2019-09 or 2020-12 of JSON Schema"},
		{"a pattern as a name", `{"patternProperties":{"(?=x)":true}}`, "schema at /patternProperties/(?=x): the pattern \"(?=x)\" is not RE2: invalid or unsupported Perl syntax: `(?=`"},
		{"no anchor", `{"items":{"$ref":"#nowhere"}}`, `schema at /items/$ref: the reference leads to nothing: "#nowhere"`},
		{"draft 4: half a limit", `{"$schema":"http://json-schema.org/draft-04/schema","exclusiveMinimum":true}`, `schema: with property "exclusiveMinimum" also "minimum" must be given`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Compile(json.RawMessage(tt.schema)); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// A reference to a meta-schema asks for a schema.
func TestMetaSchema(t *testing.T) {
	s := compile(t, `{"items":{"$ref":"http://json-schema.org/draft-07/schema#"}}`)
	found := s.Validate(json.RawMessage(`[{"type":"string"},true,{"properties":{"a":{"minLength":-1}}}]`))
	if len(found) != 1 || found[0].String() != "[2].properties.a.minLength: must be at least 0, not -1" {
		t.Errorf("got %v", found)
	}
}
