package openai

import "encoding/json"

// strict tells whether a schema keeps to what strict mode accepts: every object closed and all its properties required.
// Others are sent as a guide only; the answer is checked anyway.
func strict(schema json.RawMessage) bool {
	var root any
	return json.Unmarshal(schema, &root) == nil && strictNode(root)
}

func strictNode(n any) bool {
	switch n := n.(type) {
	case []any:
		for _, v := range n {
			if !strictNode(v) {
				return false
			}
		}
	case map[string]any:
		if props, ok := n["properties"].(map[string]any); ok || n["type"] == "object" {
			required, _ := n["required"].([]any)
			if n["additionalProperties"] != false || len(required) != len(props) {
				return false
			}
		}
		for _, key := range [...]string{"allOf", "oneOf", "not", "if", "patternProperties"} {
			if _, ok := n[key]; ok {
				return false
			}
		}
		for key, v := range n {
			if key == "enum" || key == "const" || key == "default" || key == "examples" {
				continue
			}
			if !strictNode(v) {
				return false
			}
		}
	}
	return true
}
