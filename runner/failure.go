package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// failure is how a run ends that does not succeed.
type failure struct {
	kind, message string
	cause         error
}

func failed(kind, format string, args ...any) *failure {
	return &failure{kind: kind, message: fmt.Sprintf(format, args...)}
}

// because returns the failure with its cause.
func (f *failure) because(err error) *failure {
	f.cause = err
	return f
}

// timeUp is the cause of a context that a limit of ours ended.
type timeUp struct{ text string }

func (t *timeUp) Error() string { return t.text }

// Unwrap makes it a deadline for everyone below.
func (*timeUp) Unwrap() error { return context.DeadlineExceeded }

// ended is the failure of a context that is done; nil while it is not.
func ended(ctx context.Context) *failure {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	var up *timeUp
	switch {
	case errors.As(cause, &up):
		return failed(event.KindDeadline, "%s", up.text).because(cause)
	case errors.Is(cause, context.DeadlineExceeded):
		return failed(event.KindDeadline, "stopped: the time of the caller is over").because(cause)
	case errors.Is(cause, ErrTerminated):
		return failed(event.KindCancelled, "terminated").because(cause)
	case errors.Is(cause, ErrInterrupted):
		return failed(event.KindCancelled, "interrupted").because(cause)
	}
	return failed(event.KindCancelled, "cancelled").because(cause)
}

// refusal is the failure of a start.
func refusal(err error) *failure {
	var faults *diag.ListError
	switch {
	case errors.As(err, &faults):
		return failed(event.KindDefinitions, "%s", err).because(err)
	case errors.Is(err, agents.ErrNoTarget):
		return failed(event.KindUsage, "%s", err).because(err)
	}
	return failed(event.KindInternal, "%s", err).because(err)
}

// noModel is the failure of a model that a request names.
func noModel(err error) *failure {
	if _, broken := errors.AsType[*diag.ListError](err); broken {
		return refusal(err)
	}
	return failed(event.KindUsage, "%s", err).because(err)
}

// storing is the failure of a session.
func storing(err error) *failure {
	kind := event.KindIO
	if errors.Is(err, session.ErrNotFound) {
		kind = event.KindUsage
	}
	return failed(kind, "%s", err).because(err)
}

// modelFailure is the failure of a model call. Its text is the provider's fixed one with our hint.
func modelFailure(err error) *failure {
	var e *providers.Error
	if !errors.As(err, &e) {
		return failed(string(providers.KindOf(err)), "%s", err).because(err)
	}
	text := e.Error()
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return failed(string(e.Kind), "%s", text).because(err)
}

// storeError is a failure of the session inside a step.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// broken is the failure of a step that could not be done: the session's, or ours.
func broken(err error) *failure {
	if e, ok := err.(*storeError); ok {
		return storing(e.err)
	}
	return failed(event.KindInternal, "%s", err).because(err)
}
