package schema

import (
	"encoding/json"
	"fmt"
	"testing"
)

// chooser turns bytes into choices, so that a fuzzer which changes bytes changes schemas that are always well formed, or
// nearly.
type chooser struct {
	bytes []byte
	depth int
	draft draft
}

func (c *chooser) pick(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := int(c.bytes[0])
	c.bytes = c.bytes[1:]
	return b % n
}

func (c *chooser) of(texts ...string) string { return texts[c.pick(len(texts))] }

func (c *chooser) name() string { return c.of("a", "b", "ab", "c") }

// value is an instance, or any value of a keyword.
func (c *chooser) value() any {
	c.depth++
	defer func() { c.depth-- }()
	kinds := 10
	if c.depth > 3 {
		kinds = 7
	}
	switch c.pick(kinds) {
	case 0:
		return nil
	case 1:
		return c.pick(2) == 0
	case 2:
		return json.Number(c.of("0", "1", "1.0", "-2", "3.5", "1e1", "10"))
	case 3, 4:
		return c.of("a", "ab", "", "b", "abc", "2026-01-02", "a@b.c", "/a", "::1", "http://a/b")
	case 5, 6:
		return json.Number(c.of("2", "4", "6", "0.1", "0.30", "12"))
	case 7:
		list := make([]any, c.pick(4))
		for i := range list {
			list[i] = c.value()
		}
		return list
	default:
		object := map[string]any{}
		for range c.pick(4) {
			object[c.name()] = c.value()
		}
		return object
	}
}

func (c *chooser) schemas() []any {
	list := make([]any, 1+c.pick(3))
	for i := range list {
		list[i] = c.schema()
	}
	return list
}

func (c *chooser) byName() map[string]any {
	object := map[string]any{}
	for range c.pick(3) {
		object[c.of("a", "b", "ab", "^a", ".b$")] = c.schema()
	}
	return object
}

func (c *chooser) schema() any {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > 5 {
		return c.pick(2) == 0
	}
	if c.pick(12) == 0 {
		return c.pick(3) > 0
	}
	s := map[string]any{}
	for range c.pick(4) {
		c.keyword(s)
	}
	return s
}

func (c *chooser) keyword(s map[string]any) {
	switch c.pick(16) {
	case 0:
		s["type"] = c.of("object", "array", "string", "number", "integer", "null", "boolean")
	case 1:
		s["type"] = []any{c.of("object", "array"), c.of("string", "integer", "null")}
	case 2:
		s[c.of("properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions")] = c.byName()
	case 3, 4:
		keyword := c.of("additionalProperties", "items", "contains", "not", "propertyNames", "additionalItems", "unevaluatedProperties", "unevaluatedItems")
		if keyword != "additionalItems" || c.draft < 2020 { // the oracle looks for anchors where nothing is any more
			s[keyword] = c.schema()
		}
	case 5:
		s["if"], s["then"], s["else"] = c.schema(), c.schema(), c.schema()
	case 6, 7:
		s[c.of("allOf", "anyOf", "oneOf", "prefixItems", "items")] = c.schemas()
	case 8:
		s[c.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")] = json.Number(c.of("2", "0.1", "3", "10", "0"))
	case 9:
		s[c.of("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains")] = json.Number(c.of("0", "1", "2", "1.0", "3"))
	case 10:
		s["required"] = []any{c.name()}
		s[c.of("dependentRequired", "dependencies")] = map[string]any{c.name(): []any{c.name()}}
	case 11:
		s[c.of("const", "default")] = c.value()
		s[c.of("enum", "examples")] = []any{c.value(), c.value()}
	case 12:
		s["format"] = c.of("date", "email", "ipv6", "uri", "json-pointer", "unknown", "regex", "uuid", "time")
		s["pattern"] = c.of("^a", "b$", "(?=x)", "[", "")
	case 13:
		s["uniqueItems"] = c.pick(3) > 0
		s[c.of("$anchor", "$dynamicAnchor", "$id", "id")] = c.of("x", "y", "#x", "http://a/b", "c.json", "urn:z")
	case 14:
		s[c.of("$ref", "$ref", "$dynamicRef", "$recursiveRef")] = c.of("#", "#x", "#y", "#/$defs/a", "#/definitions/b", "#/properties/a",
			"#/not", "#/allOf/0", "c.json", "http://a/b#x", "urn:z", "#/default", "http://json-schema.org/draft-07/schema#")
	default:
		s[c.of("type", "required", "properties", "items", "minimum", "$ref", "allOf", "enum", "pattern", "format")] = c.value()
	}
}

// seed are the choices of the i-th example.
func seed(i int) []byte {
	choices := make([]byte, 200)
	x := uint32(i)*2654435761 + 1
	for j := range choices {
		x = x*1664525 + 1013904223
		choices[j] = byte(x >> 24)
	}
	return choices
}

// FuzzOracle lets both implementations judge the same schemas and instances.
func FuzzOracle(f *testing.F) {
	for i := range 64 {
		f.Add(seed(i))
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		c := &chooser{bytes: choices}
		c.draft = []draft{2020, 2019, 7, 6, 4}[c.pick(5)]
		instances := make([]json.RawMessage, 4)
		for i := range instances {
			instances[i] = encode(t, c.value())
		}
		schema, ok := c.schema().(map[string]any)
		if !ok {
			return
		}
		schema["$schema"] = dialects[c.draft]
		agree(t, encode(t, schema), instances...)
	})
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(fmt.Errorf("%v: %w", v, err))
	}
	return raw
}
