package schema

import (
	"encoding/json"
	"fmt"
)

// Schema is a compiled schema. It does not change and may be used by many goroutines.
type Schema struct{ root *node }

// CompileError says what is wrong with a schema and where.
type CompileError struct {
	Path    string // JSON pointer (RFC 6901) to the node; "" is the whole
	Message string
}

// Error is the message with its place.
func (e *CompileError) Error() string {
	if e.Path == "" {
		return "schema: " + e.Message
	}
	return "schema at " + e.Path + ": " + e.Message
}

// CompileErrors are all that is wrong with a schema, in the order of the paths; at least one.
type CompileErrors []*CompileError

// Error is the first one, and how many there are besides.
func (es CompileErrors) Error() string {
	if len(es) == 1 {
		return es[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", es[0], len(es)-1)
}

// Unwrap lets errors.As find the first one.
func (es CompileErrors) Unwrap() error { return es[0] }

// Compile reads a JSON Schema: an object, or true or false. Without $schema it is draft 2020-12; drafts 4 to 2019-09 are
// understood too. Formats are checked, patterns are RE2. References lead nowhere but into the schema itself.
// The error is of type CompileErrors.
func Compile(raw json.RawMessage) (*Schema, error) {
	doc, err := decode(raw)
	if err != nil {
		return nil, CompileErrors{{Message: err.Error()}}
	}
	if at, ok := hugeNumber(doc, nil); ok {
		return nil, CompileErrors{{Path: pointer(at), Message: "the number is out of range"}}
	}
	if isDeeper(doc, maxNesting) {
		return nil, CompileErrors{{Message: "the schema is nested too deeply"}}
	}
	root, faults := build(doc, minRoom+roomPerByte*len(raw))
	if len(faults) > 0 {
		return nil, faults
	}
	return &Schema{root}, nil
}

// Validate checks JSON text; nil means that it fits. Numbers are compared exactly. The faults come in the order of their
// paths. Text that is no JSON is one fault with an empty path.
func (s *Schema) Validate(instance json.RawMessage) []Fault {
	v, err := decode(instance)
	if err != nil {
		return []Fault{{Message: err.Error()}}
	}
	if at, ok := hugeNumber(v, nil); ok {
		return []Fault{{Path: at, Message: "the number is out of range"}}
	}
	return check(s.root, v)
}
