package anthropic

import "encoding/json"

// unsupported are the keywords that the API refuses in a schema. What they ask for is checked after the answer.
var unsupported = [...]string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
	"uniqueItems", "minProperties", "maxProperties", "pattern", "$schema", "$id",
}

// closedSchema is the schema with every object closed and without keywords that the API refuses; false where an object is
// open on purpose, or a form is used that the API does not know.
func closedSchema(schema json.RawMessage) (json.RawMessage, bool) {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil || !closeNode(root) {
		return nil, false
	}
	out, err := json.Marshal(root)
	return out, err == nil
}

func closeNode(n map[string]any) bool {
	for _, key := range [...]string{"oneOf", "not", "if", "patternProperties", "prefixItems", "propertyNames"} {
		if _, ok := n[key]; ok {
			return false
		}
	}
	for _, key := range unsupported {
		delete(n, key)
	}
	if _, ok := n["properties"]; ok || n["type"] == "object" {
		if extra, ok := n["additionalProperties"]; ok && extra != false {
			return false
		}
		n["additionalProperties"] = false
	}
	for _, key := range [...]string{"properties", "$defs", "definitions"} {
		members, _ := n[key].(map[string]any)
		for _, m := range members {
			if sub, ok := m.(map[string]any); ok && !closeNode(sub) {
				return false
			}
		}
	}
	if items, ok := n["items"].(map[string]any); ok && !closeNode(items) {
		return false
	}
	for _, key := range [...]string{"anyOf", "allOf"} {
		alternatives, _ := n[key].([]any)
		for _, a := range alternatives {
			if sub, ok := a.(map[string]any); ok && !closeNode(sub) {
				return false
			}
		}
	}
	return true
}
