package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Func makes a tool of a function. In is a struct: its JSON names are the parameters, `jsonschema:"…"` tags describe them,
// omitempty makes one optional. An Out that is a string is shown as it is, a Result is returned as it is, anything else is
// shown as JSON. An error of f is told to the model, unless ctx has ended. A type that has no schema makes a tool that
// Registry.Register refuses with the reason.
func Func[In, Out any](name, description string, f func(context.Context, In) (Out, error)) Tool {
	t := &funcTool[In, Out]{f: f}
	schema, err := jsonschema.For[In](nil)
	if err == nil && schema.Type != "object" {
		err = fmt.Errorf("its input is %q; tools take an object", schema.Type)
	}
	raw := json.RawMessage(`{"type":"object"}`)
	if err == nil {
		raw, err = json.Marshal(schema)
	}
	if err != nil {
		t.err = fmt.Errorf("tool %q: %T as input: %w", name, *new(In), err)
	}
	t.spec = NewSpec(name, description, raw, false)
	return t
}

type funcTool[In, Out any] struct {
	spec Spec
	f    func(context.Context, In) (Out, error)
	err  error
}

func (t *funcTool[In, Out]) Spec() Spec      { return t.spec }
func (t *funcTool[In, Out]) unusable() error { return t.err }

func (t *funcTool[In, Out]) Call(ctx context.Context, c *Call) (Result, error) {
	if t.err != nil {
		return Result{}, t.err
	}
	var in In
	if len(bytes.TrimSpace(c.Input)) > 0 {
		if err := json.Unmarshal(c.Input, &in); err != nil {
			return Result{IsError: true, Content: "the input does not fit: " + err.Error()}, nil
		}
	}
	out, err := t.f(ctx, in)
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil:
		return Result{IsError: true, Content: err.Error()}, nil
	}
	return shown(out)
}

func shown(out any) (Result, error) {
	switch out := out.(type) {
	case Result:
		return out, nil
	case string:
		return Result{Content: out}, nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return Result{}, fmt.Errorf("encode the result: %w", err)
	}
	return Result{Content: string(b)}, nil
}
