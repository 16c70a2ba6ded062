package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// location names the schema at hand inside the library. The host cannot exist (RFC 2606), so no reference can mean it.
const location = "https://schema.invalid/schema.json"

// Schema is a compiled schema. It does not change and may be used by many goroutines.
type Schema struct {
	compiled *jsonschema.Schema
	doc      any // as decoded; the source of suggestions
}

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

// Compile reads a JSON Schema: an object, or true or false. Without $schema it is draft 2020-12; drafts 4 to 2019-09 are
// understood too. Formats are checked, patterns are RE2. References lead nowhere but into the schema itself.
// The error is a *CompileError.
func Compile(raw json.RawMessage) (*Schema, error) {
	doc, err := decode(raw)
	if err != nil {
		return nil, &CompileError{Message: err.Error()}
	}
	if at, ok := hugeNumber(doc, nil); ok {
		return nil, &CompileError{Path: pointer(at), Message: "the number is out of range"}
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(refuse{})
	if err := c.AddResource(location, doc); err != nil {
		return nil, newCompileError(err, doc)
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, newCompileError(err, doc)
	}
	return &Schema{compiled: compiled, doc: doc}, nil
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
	err = s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Fault{{Message: err.Error()}}
	}
	return faults(invalid, v, s.doc)
}

var errRefused = errors.New("a schema can refer to itself only")

// refuse is the loader: the library's own opens files.
type refuse struct{}

func (refuse) Load(string) (any, error) { return nil, errRefused }

// decode reads one JSON value with exact numbers.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.New("there is no JSON, the text is empty")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errors.New("the JSON ends too early")
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("no valid JSON: %w (byte %d)", err, syntax.Offset)
		}
		return nil, fmt.Errorf("no valid JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more text follows the JSON value (byte %d)", d.InputOffset())
	}
	return v, nil
}

// Numbers beyond this are refused: the library expands them to exact fractions, digit by digit.
const (
	maxDigits   = 400
	maxExponent = 400
)

// hugeNumber finds a number that is too long to calculate with.
func hugeNumber(v any, at []string) ([]string, bool) {
	switch v := v.(type) {
	case json.Number:
		return at, isHuge(string(v))
	case []any:
		for i, item := range v {
			if p, ok := hugeNumber(item, append(at, strconv.Itoa(i))); ok {
				return p, true
			}
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if p, ok := hugeNumber(v[name], append(at, name)); ok {
				return p, true
			}
		}
	}
	return nil, false
}

func isHuge(number string) bool {
	if len(number) > maxDigits {
		return true
	}
	_, exponent, ok := strings.Cut(strings.ToLower(number), "e")
	if !ok {
		return false
	}
	n, err := strconv.Atoi(exponent)
	return err != nil || n > maxExponent || n < -maxExponent
}
