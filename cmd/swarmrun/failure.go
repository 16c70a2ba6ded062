package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
)

// usageError is a command line that makes no sense: exit 2.
type usageError struct{ message, way string }

func usagef(format string, args ...any) *usageError {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

func (e *usageError) Error() string { return e.message }

// hint adds the way out.
func (e *usageError) hint(format string, args ...any) *usageError {
	e.way = fmt.Sprintf(format, args...)
	return e
}

// near adds the name that could have been meant, and those that there are.
func (e *usageError) near(name string, have []string, title string) *usageError {
	list := title + ": none"
	if len(have) > 0 {
		list = title + ": " + diag.Enumerate(have)
	}
	if near, ok := diag.Closest(name, have); ok {
		list = fmt.Sprintf("did you mean %q? %s", near, list)
	}
	return e.hint("%s", list)
}

// told is a failure whose story is already on the streams; only the exit code is left to say.
type told struct{ code int }

func (t told) Error() string { return fmt.Sprintf("exit %d", t.code) }

// failed is a failure with a kind of its own.
type failed struct {
	kind string
	err  error
}

func (f *failed) Error() string { return f.err.Error() }
func (f *failed) Unwrap() error { return f.err }

// failureAnswer is the object of a command that failed before it had anything to say.
type failureAnswer struct {
	OK          bool      `json:"ok"`
	Kind        string    `json:"kind"`
	Message     string    `json:"message"`
	ExitCode    int       `json:"exit_code"`
	Diagnostics diag.List `json:"diagnostics,omitempty"`
}

// finish tells what went wrong with a command, in the format that was asked for, and returns the exit code.
func (a *app) finish(cmd *cobra.Command, err error) int {
	var done told
	if errors.As(err, &done) {
		return done.code
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, syscall.EPIPE) {
		return 1 // whoever read our output had enough: nobody is left to tell, but it was not all
	}
	kind := kindOf(err)
	code := exitCode(kind, err)
	var list *diag.ListError
	if errors.As(err, &list) {
		a.diagnostics(list.List)
	}
	if a.output == formatText {
		a.complain(err)
		return code
	}
	if werr := a.failure(cmd, kind, err, code); werr != nil && !errors.Is(werr, syscall.EPIPE) {
		a.complain(werr)
	}
	return code
}

// failure writes the object that a command ends with when it failed before it had anything to say: for run, and wherever
// events come line by line, that is the result object with all its fields.
func (a *app) failure(cmd *cobra.Command, kind string, err error, code int) error {
	res := &event.Result{Kind: kind, Message: err.Error(), ExitCode: code}
	switch {
	case a.output == formatJSONL:
		return event.NewWriter(a.stdout).Result(res)
	case cmd.Name() == "run":
		return writeJSON(a.stdout, res)
	}
	obj := failureAnswer{Kind: kind, Message: res.Message, ExitCode: code}
	if list, ok := errors.AsType[*diag.ListError](err); ok {
		obj.Diagnostics = list.List
	}
	return writeJSON(a.stdout, obj)
}

// complain writes the error and its way out to stderr.
func (a *app) complain(err error) {
	var list *diag.ListError
	if errors.As(err, &list) {
		return // the diagnostics have said it
	}
	fmt.Fprintf(a.stderr, "swarmrun: %v\n", err)
	var usage *usageError
	if errors.As(err, &usage) && usage.way != "" {
		fmt.Fprintf(a.stderr, "  help: %s\n", usage.way)
	}
}

// kindOf is the kind of spec and docs/events.md that an error belongs to.
func kindOf(err error) string {
	var usage *usageError
	var list *diag.ListError
	var own *failed
	switch {
	case errors.As(err, &own):
		return own.kind
	case errors.As(err, &usage):
		return event.KindUsage
	case errors.As(err, &list):
		return event.KindDefinitions
	case errors.Is(err, context.Canceled), errors.Is(err, errInterrupt), errors.Is(err, runner.ErrTerminated):
		return event.KindCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return event.KindDeadline
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return event.KindIO
	}
	return event.KindUnknown
}

// exitCode is the code of a kind; a SIGTERM has a code of its own.
func exitCode(kind string, cause error) int {
	if kind == event.KindCancelled && errors.Is(cause, runner.ErrTerminated) {
		return event.ExitTerminated
	}
	return event.ExitCode(kind)
}
