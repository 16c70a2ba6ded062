package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/internal/schema"
)

// shownFaults is how many faults of an input are told at once.
const shownFaults = 10

// Spec is what a tool is to the model and to the rules. Make one with NewSpec: its schema is compiled once, where that of
// a literal is compiled at each Check.
type Spec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the input, always an object
	ReadOnly    bool            // changes nothing outside the run; plan mode offers only these
	Agents      []string        // whom it can start; none = it starts no agent

	compile func() (*schema.Schema, error)
}

// NewSpec describes a tool. schema is compiled at the first Check, so that a tool that is never called costs nothing.
func NewSpec(name, description string, input json.RawMessage, readOnly bool) Spec {
	return Spec{
		Name: name, Description: description, Schema: input, ReadOnly: readOnly,
		compile: sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(input) }),
	}
}

// Check holds an input against the schema. The error is text a model can act on: each fault with its place. No input at
// all is an empty object.
func (s Spec) Check(input json.RawMessage) error {
	compiled, err := s.compiled()
	if err != nil {
		return fmt.Errorf("tool %s cannot be called: %w", s.Name, err)
	}
	input = bytes.TrimSpace(input)
	if len(input) == 0 {
		input = json.RawMessage(`{}`)
	}
	if input[0] != '{' && json.Valid(input) {
		return fmt.Errorf("the input of %s must be a JSON object", s.Name)
	}
	faults := compiled.Validate(input)
	if len(faults) == 0 {
		return nil
	}
	lines := make([]string, 0, shownFaults+1)
	for _, f := range faults[:min(len(faults), shownFaults)] {
		lines = append(lines, f.String())
	}
	if more := len(faults) - shownFaults; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("the input of %s does not fit its schema: %s", s.Name, strings.Join(lines, "; "))
}

func (s Spec) compiled() (*schema.Schema, error) {
	if s.compile != nil {
		return s.compile()
	}
	return schema.Compile(s.Schema)
}
