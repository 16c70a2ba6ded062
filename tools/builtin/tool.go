package builtin

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/swarmrun/swarmrun/tools"
)

// tool is one built-in: In is its decoded input. The error of run is the tool's own failure and goes to the model; when
// ctx has ended it is the context's and goes up.
type tool[In any] struct {
	spec    tools.Spec
	touches func(in In, at tools.Roots) ([]tools.Touch, error) // nil = reaches nothing
	run     func(ctx context.Context, c *tools.Call, in In) (tools.Result, error)
}

func (t *tool[In]) Spec() tools.Spec { return t.spec }

func (t *tool[In]) Call(ctx context.Context, c *tools.Call) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	in, err := decode[In](c.Input)
	if err != nil {
		return failed(err), nil
	}
	res, err := t.run(ctx, c, in)
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err != nil {
		return failed(err), nil
	}
	return res, nil
}

func (t *tool[In]) Touches(input json.RawMessage, at tools.Roots) ([]tools.Touch, error) {
	if t.touches == nil {
		return nil, nil
	}
	in, err := decode[In](input)
	if err != nil {
		return nil, err
	}
	return t.touches(in, at)
}

func decode[In any](input json.RawMessage) (In, error) {
	var in In
	if len(input) == 0 {
		return in, nil
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return in, fmt.Errorf("the arguments do not fit: %w", err)
	}
	return in, nil
}

func failed(err error) tools.Result { return tools.Result{Content: err.Error(), IsError: true} }

func text(format string, args ...any) tools.Result {
	return tools.Result{Content: fmt.Sprintf(format, args...)}
}

// plural is "1 line", "2 lines".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
