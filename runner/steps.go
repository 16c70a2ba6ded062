package runner

import (
	"context"
	"fmt"
	"time"
)

// Steps records what must not happen twice. Without it steps are direct. Calls come in the same order whenever a run is
// begun again: the loop starts them in request order and then waits for them in that order.
type Steps interface {
	// Go starts do and returns at once. When the step was recorded before, out is filled from the record and do is not
	// called. out points to a JSON value; a failure that the run can go on with is part of it, an error of do is not
	// recorded and ends the run. What do does besides filling out is not done again either.
	Go(ctx context.Context, name string, out any, do func(context.Context) error) (wait func() error)
	// Child starts a delegate as a run with records of its own, under req.ID. w is what it shares with its parent; a child
	// that is begun again alone goes without. The error is for a child that could not be run at all: its own failures are
	// in the Result.
	Child(ctx context.Context, req Request, w *RunOptions) (wait func() (*Result, error))
}

// finishing is a context for what an interruption must not cut in half, such as the swap of a conversation: it ends after a
// time of its own.
func finishing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// direct is Steps that records nothing.
type direct struct{ r *Runner }

func (direct) Go(ctx context.Context, _ string, _ any, do func(context.Context) error) func() error {
	done := make(chan error, 1)
	go func() { done <- perform(ctx, do) }()
	return func() error { return <-done }
}

// perform does a step. A panic is its error.
func perform(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a step broke down: %v", fault)
		}
	}()
	return do(ctx)
}

// now takes a step and waits for it. One that is recorded nowhere needs no goroutine of its own for that.
func (x *exchange) now(ctx context.Context, name string, out any, do func(context.Context) error) error {
	if _, plain := x.run.w.Steps.(direct); plain {
		return perform(ctx, do)
	}
	return x.run.w.Steps.Go(ctx, name, out, do)()
}

func (d direct) Child(ctx context.Context, req Request, w *RunOptions) func() (*Result, error) {
	done := make(chan *Result, 1)
	go func() {
		res, _ := d.r.Do(ctx, req, w) // the error says again what the result says
		done <- res
	}()
	return func() (*Result, error) { return <-done, nil }
}
