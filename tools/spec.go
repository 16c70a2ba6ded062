package tools

import "encoding/json"

// NewSpec describes a tool. schema is a JSON Schema of an object; it is compiled at the first Check.
func NewSpec(name, description string, schema json.RawMessage, readOnly bool) Spec {
	return Spec{Name: name, Description: description, Schema: schema, ReadOnly: readOnly}
}
