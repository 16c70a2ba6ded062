package main

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
)

// errReaderGone is the cause of a run that ends because nobody reads its stdout any more.
var errReaderGone = errors.New("stdout was closed")

// view shows a run on the streams. The answer, or the result object, goes to stdout; all else goes to stderr.
type view struct {
	app      *app
	screen   *screen
	cancel   context.CancelCauseFunc
	progress *progress     // on stderr; nil with -q
	answer   *answerStream // stdout in text format
	lines    *event.Writer // stdout in jsonl format
	log      *slog.Logger  // --log-file; nil = none
	closeLog func()
	broken   error // the first error of a write to stdout
}

func (a *app) newView(cancel context.CancelCauseFunc) (*view, error) {
	v := &view{app: a, cancel: cancel}
	var err error
	if v.log, v.closeLog, err = a.openLog(); err != nil {
		return nil, err
	}
	v.screen = newScreen(a)
	if !a.quiet {
		v.progress = newProgress(v.screen, a.verbose)
	}
	switch a.output {
	case formatText:
		v.answer = &answerStream{screen: v.screen, live: terminal(a.stdout)}
	case formatJSONL:
		v.lines = event.NewWriter(a.stdout)
	}
	return v, nil
}

// asker is the person of the run: there is one when both ends of the conversation are a terminal.
func (v *view) asker(root string) tools.Asker {
	if v.progress == nil || !terminal(v.app.stdin) || !terminal(v.app.stderr) {
		return nil
	}
	return &person{in: v.app.stdin, screen: v.progress.screen, keep: keeper(root)}
}

// event is the run's sink.
func (v *view) event(e event.Event) {
	if v.log != nil {
		logEvent(v.log, e)
	}
	if v.lines != nil {
		v.wrote(v.lines.Write(e))
	}
	if v.answer != nil {
		v.wrote(v.answer.event(e))
	}
	if v.progress != nil {
		v.progress.event(e)
	}
}

// wrote ends the run when stdout takes no more.
func (v *view) wrote(err error) {
	if err == nil || v.broken != nil {
		return
	}
	v.broken = err
	if brokenPipe(err) {
		v.cancel(errReaderGone)
		return
	}
	v.cancel(err)
}

// finish tells how the run ended. Its error is that of stdout.
func (v *view) finish(res *event.Result, cause error) error {
	if v.progress != nil {
		v.progress.stop()
	}
	if v.broken == nil {
		switch {
		case v.answer != nil:
			v.wrote(v.answer.finish(res))
		case v.lines != nil:
			v.wrote(v.lines.Result(res))
		default:
			v.wrote(writeJSON(v.app.stdout, res))
		}
	}
	if v.broken != nil {
		return v.broken
	}
	v.app.outcome(res, cause)
	return nil
}

func (v *view) close() {
	if v.progress != nil {
		v.progress.stop()
	}
	v.closeLog()
}

// openLog opens the file of --log-file; nil when there is none.
func (a *app) openLog() (*slog.Logger, func(), error) {
	if a.logFile == "" {
		return nil, func() {}, nil
	}
	f, err := os.OpenFile(a.path(a.logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	return slog.New(slog.NewJSONHandler(f, nil)), func() { f.Close() }, nil
}

// logEvent writes what happened without what was said: no prompt, no answer, no argument, no result of a tool.
func logEvent(log *slog.Logger, e event.Event) {
	h := e.Head()
	attrs := []any{"run", h.Run, "agent", h.Agent}
	switch e := e.(type) {
	case *event.ContentChunk, *event.ThinkingChunk:
		return
	case *event.ToolResult:
		attrs = append(attrs, "tool", e.Tool, "is_error", e.IsError, "duration_ms", e.DurationMS, "blocked", e.Blocked)
	case *event.DelegationResult:
		attrs = append(attrs, "delegate", e.DelegateFrom, "is_error", e.IsError, "kind", e.Kind, "duration_ms", e.DurationMS)
	case *event.AgentStep:
		attrs = append(attrs, "turn", e.Turn, "model", e.Model, "finish", e.FinishReason, "input_tokens", e.Usage.Input, "output_tokens", e.Usage.Output)
	case *event.PermissionDenied:
		attrs = append(attrs, "tool", e.Tool, "rule", e.Rule, "why", e.Why)
	case *event.HookExecuted:
		attrs = append(attrs, "event", e.HookEvent, "hook", e.Hook, "decision", e.Decision, "reason", e.Reason)
	case *event.Warning:
		attrs = append(attrs, "code", e.Code, "message", e.Message)
	case *event.RunStop:
		attrs = append(attrs, "ok", e.Result.OK, "kind", e.Result.Kind, "message", e.Result.Message, "duration_ms", e.Result.Duration.Milliseconds())
	}
	log.Info(e.Type(), attrs...)
}
