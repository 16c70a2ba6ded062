package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The official suite: an older schema, written in the latest draft, calls valid what it did.
func TestUpgradeSuite(t *testing.T) {
	tests := 0
	for name, s := range suites(t) {
		for d := range dialects {
			if !strings.Contains(name, fmt.Sprintf("/draft%d/", d)) || apart(name) {
				continue
			}
			for _, group := range s {
				t.Run(name+"/"+group.Description, func(t *testing.T) {
					schema := inDialect(group.Schema, d, false)
					if _, err := Compile(schema); err != nil {
						t.Skip(err)
					}
					now, err := Upgrade(schema)
					if err != nil {
						t.Fatal(err)
					}
					compiled, err := Compile(now)
					if err != nil {
						t.Fatalf("%s\n%s: %v", schema, now, err)
					}
					for _, tt := range group.Tests {
						tests++
						if faults := compiled.Validate(tt.Data); (len(faults) == 0) != tt.Valid {
							t.Errorf("%s\n%s\n%s: want valid %v, got %v", schema, now, tt.Description, tt.Valid, faults)
						}
					}
				})
			}
		}
	}
	if tests < 2000 {
		t.Errorf("%d tests", tests)
	}
}

func TestUpgrade(t *testing.T) {
	const four, six, seven, nineteen = "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema"
	for _, tt := range []struct{ name, draft, schema, want string }{
		{"words that are the same", seven, `"type":"object","properties":{"items":{"const":1}},"default":{"$schema":1}`, `{"default":{"$schema":1},"properties":{"items":{"const":1}},"type":"object"}`},
		{"a tuple", seven, `"items":[{"items":[true]}],"additionalItems":{"items":[false]}`, `{"items":{"prefixItems":[false]},"prefixItems":[{"prefixItems":[true]}]}`},
		{"nothing after no tuple", nineteen, `"items":{},"additionalItems":false`, `{"items":{}}`},
		{"a number as it was written", seven, `"maximum":9007199254740993,"items":[true]`, `{"maximum":9007199254740993,"prefixItems":[true]}`},
		{"references into tuples", seven, `"items":[{"items":[{"type":"null"}]},{"$ref":"#/items/0/items/0"},{"$ref":"#/additionalItems"}],"additionalItems":{"type":"number"}`,
			`{"items":{"type":"number"},"prefixItems":[{"prefixItems":[{"type":"null"}]},{"$ref":"#/prefixItems/0/prefixItems/0"},{"$ref":"#/items"}]}`},
		{"a reference inside a part with an address", seven, `"definitions":{"a":{"$id":"x","items":[true],"not":{"$ref":"#/items/0"}}}`,
			`{"definitions":{"a":{"$id":"x","not":{"$ref":"#/prefixItems/0"},"prefixItems":[true]}}}`},
		{"what stands beside a reference", six, `"not":{"$ref":"#","title":"Itself","default":1,"minimum":3,"$id":"x"}`, `{"not":{"$ref":"#","default":1,"title":"Itself"}}`},
		{"what counts beside one", nineteen, `"not":{"$ref":"#/$defs/a","minimum":3},"$defs":{"a":{}}`, `{"$defs":{"a":{}},"not":{"$ref":"#/$defs/a","minimum":3}}`},
		{"what came later", six, `"if":{},"then":false,"prefixItems":[true],"unevaluatedProperties":false,"examples":[1]`, `{"examples":[1]}`},
		{"and in draft 4", four, `"const":1,"contains":{},"propertyNames":false`, `{}`},
		{"names of draft 4", four, `"id":"http://a/b","definitions":{"c":{"id":"#c"}},"properties":{"id":{}}`, `{"$id":"http://a/b","definitions":{"c":{"$anchor":"c"}},"properties":{"id":{}}}`},
		{"limits of draft 4", four, `"minimum":1,"exclusiveMinimum":true,"maximum":2,"exclusiveMaximum":false`, `{"exclusiveMinimum":1,"maximum":2}`},
		{"a part of another draft", six, `"not":{"id":"x","$schema":"` + four + `","minimum":1,"exclusiveMinimum":true}`, `{"not":{"$id":"x","exclusiveMinimum":1}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Upgrade(json.RawMessage(`{"$schema":"` + tt.draft + `",` + tt.schema + `}`))
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s %v\nwant %s", got, err, tt.want)
			}
		})
	}
	for _, same := range []string{`{"items":[true]}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, `true`, `[`} {
		if got, err := Upgrade(json.RawMessage(same)); err != nil || string(got) != same {
			t.Errorf("%s became %s, %v", same, got, err)
		}
	}
	for _, bad := range []string{`{"$schema":"https://example.com/mine"}`, `{"$schema":4}`, `{"$schema":"` + seven + `","items":[]}`} {
		if got, err := Upgrade(json.RawMessage(bad)); err == nil {
			t.Errorf("%s became %s", bad, got)
		}
	}
}

// FuzzUpgrade holds the same values against an older schema and against what it became.
func FuzzUpgrade(f *testing.F) {
	for i := range 64 {
		f.Add(seed(i))
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		c := &chooser{bytes: choices}
		c.draft = []draft{2019, 7, 6, 4}[c.pick(4)]
		instances := make([]json.RawMessage, 4)
		for i := range instances {
			instances[i] = encode(t, c.value())
		}
		schema, ok := c.schema().(map[string]any)
		if !ok {
			return
		}
		schema["$schema"] = dialects[c.draft]
		old := encode(t, schema)
		before, err := Compile(old)
		if err != nil {
			return
		}
		now, err := Upgrade(old)
		if err != nil {
			t.Fatal(err)
		}
		after, err := Compile(now)
		if err != nil {
			t.Logf("%s: %v", now, err)
			return
		}
		for _, instance := range instances {
			was, is := before.Validate(instance), after.Validate(instance)
			if (was == nil) != (is == nil) {
				t.Errorf("schema %s\nbecame %s\ninstance %s\nwas: %v\nis: %v", old, now, instance, was, is)
			}
		}
	})
}
