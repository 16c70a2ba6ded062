package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// longest is how many characters of a result a model is given; the whole of a longer one is kept as a file.
const longest = 100_000

// Why a call did not reach its tool, as in the event tool_result.
const (
	blockedByPermission = "permission"
	blockedBySchema     = "schema"
	blockedByHook       = "hook"
)

// notRun is the result of a call that a cancelled run did not begin.
const notRun = "Not run: the run was cancelled."

// notRunEnded is the result of a call that a hook made needless.
const notRunEnded = "Not run: a hook ended the work."

// outcome is the record of a tool call, its failure included.
type outcome struct {
	Result  tools.Result `json:"result"`
	Millis  int64        `json:"ms"`
	Blocked string       `json:"blocked,omitempty"`
	Denied  *denial      `json:"denied,omitempty"`
	Pass    string       `json:"pass,omitempty"`   // a rule that the person let pass for the rest of the run
	File    string       `json:"file,omitempty"`   // the whole of a text that was cut
	Nested  []string     `json:"nested,omitempty"` // folders whose skills the call has discovered
	Found   []string     `json:"found,omitempty"`  // skills that the call has discovered by a path
	Fatal   string       `json:"fatal,omitempty"`  // a fault of ours, which ends the run

	// What hooks made of the call.
	Settled    bool            `json:"settled,omitempty"` // it did not begin
	Changed    json.RawMessage `json:"changed,omitempty"` // its input
	Added      []string        `json:"added,omitempty"`   // behind its result
	Notices    []string        `json:"notices,omitempty"`
	Finish     string          `json:"finish,omitempty"` // a hook.Decision about more than the call
	FinishText string          `json:"finish_text,omitempty"`
	FinishBy   string          `json:"finish_by,omitempty"`

	began time.Time
}

// denial is why a call was refused.
type denial struct{ Rule, Place, Why string }

// calls runs the calls of an answer side by side, at most so many at a time, and returns the results in their order. Every
// call has a result, whatever happened.
func (x *exchange) calls(ctx context.Context, calls []providers.ToolCall) ([]providers.ToolResult, *failure) {
	results := make([]providers.ToolResult, len(calls))
	waits := make([]func() (providers.ToolResult, *failure), len(calls))
	var fatal *failure
	finish := func(i int) {
		var f *failure
		if results[i], f = waits[i](); f != nil && fatal == nil {
			fatal = f
		}
	}
	done := 0
	for i, c := range calls {
		for i-done >= x.limits.MaxConcurrentTools {
			finish(done)
			done++
		}
		waits[i] = x.start(ctx, i, c, fatal != nil || x.ending != nil, len(calls) == 1)
	}
	for ; done < len(calls); done++ {
		finish(done)
	}
	return results, fatal
}

// start begins a call and returns at once, but for a delegate that a person is asked about. A call that is alone in its turn
// may begin when it is waited for.
func (x *exchange) start(ctx context.Context, i int, c providers.ToolCall, skip, alone bool) func() (providers.ToolResult, *failure) {
	t := x.offered.shown[c.Name]
	if t != nil && !skip {
		if d, ok := t.Tool.(*delegateTool); ok {
			return x.delegate(ctx, i, c, t, d)
		}
		if k := x.forks(t, c); k != nil {
			return x.delegate(ctx, i, c, t, x.forked(k, t))
		}
	}
	x.say(&event.ToolCall{ToolCallID: c.ID, Tool: c.Name, Arguments: redactJSON(x.run.link.redact, c.Args)})
	out := &outcome{}
	var wait func() error
	switch {
	case skip && x.ending != nil:
		out.Result = tools.Result{Content: notRunEnded, IsError: true}
	case skip:
		out.Result = tools.Result{Content: notRun, IsError: true}
	case t == nil:
		out.Result, out.Blocked = tools.Result{Content: x.offered.unknown(c.Name), IsError: true}, blockedBySchema
	default:
		do := func(ctx context.Context) error { return x.call(ctx, c, t, out) }
		if alone {
			wait = func() error { return x.now(ctx, x.step("tool", i), out, do) }
			break
		}
		wait = x.run.w.Steps.Go(ctx, x.step("tool", i), out, do)
	}
	return func() (providers.ToolResult, *failure) {
		if wait != nil {
			if err := wait(); err != nil {
				return x.tellResult(c, &outcome{Result: tools.Result{Content: notRun, IsError: true}}), broken(err)
			}
		} else if err := x.keepResult(c, out); err != nil {
			return x.tellResult(c, out), broken(err)
		}
		x.remember(out)
		x.tellActivated(c.Name, &out.Result)
		result := x.tellResult(c, out)
		x.heed(out)
		if out.Fatal != "" {
			return result, failed(event.KindInternal, "tool %s: %s", c.Name, out.Fatal)
		}
		return result, nil
	}
}

// call checks one call, asks for permission and runs it. A panic of the tool is its result.
func (x *exchange) call(ctx context.Context, c providers.ToolCall, t *Offered, out *outcome) (err error) {
	out.began = x.run.r.o.Now()
	defer func() {
		if fault := recover(); fault != nil {
			text := fmt.Sprintf("The tool broke down (%v). That is a defect of the tool.", fault)
			out.Result = tools.Result{Content: text, IsError: true}
			err = x.keepResult(c, out)
		}
	}()
	if ctx.Err() != nil {
		out.Result = tools.Result{Content: notRun, IsError: true}
		return x.keepResult(c, out)
	}
	call := x.newCall(c, t)
	if x.permit(ctx, call, t, out) {
		if err := x.store(session.Record{Type: session.Started, ToolCallID: c.ID, Tool: c.Name}); err != nil {
			return err
		}
		result, err := t.Tool.Call(ctx, call)
		if err != nil {
			result = tools.Result{Content: "The tool failed.", IsError: true}
			if ctx.Err() != nil {
				result.Content = "Interrupted while it was running, outcome unknown: side effects are possible."
			} else {
				out.Fatal = x.redact(err.Error())
			}
		}
		out.Result = result
		if out.Fatal == "" {
			x.after(ctx, call, t, out)
		}
		x.guide(t.Tool, call, out)
		x.discover(t.Tool, call, out)
	}
	x.addTexts(out)
	if err := x.cut(c, out); err != nil {
		return err
	}
	out.Millis = x.run.r.o.Now().Sub(out.began).Milliseconds()
	return x.keepResult(c, out)
}

func (x *exchange) newCall(c providers.ToolCall, t *Offered) *tools.Call {
	rules := t.rules
	if len(x.readable) > 0 {
		r := *rules
		r.Allow = append(slices.Clip(r.Allow), x.readable...)
		rules = &r
	}
	filter := sync.OnceValue(func() func(string) bool { return rules.Readable(c.Name, x.offered.roots) }) // looks at the disk
	return &tools.Call{
		ID: c.ID, Tool: c.Name, Agent: x.agent.Name, Run: x.run.id, Session: x.run.session.ID(), Input: c.Args,
		Roots: x.offered.roots, Ground: x.offered.ground, State: x.conv.State, Ask: x.run.w.Ask, Model: x.sampler(), Env: x.run.link.exports.list(),
		Report:   x.report,
		Readable: func(path string) bool { return filter()(path) }, Rules: rules,
		Now: x.run.r.o.Clock,
	}
}

// report tells an event of a tool or of what brings tools.
func (x *exchange) report(e tools.Event) {
	if w, ok := e.(tools.Warning); ok {
		x.say(&event.Warning{Code: w.Code, Message: x.redact(w.Message)})
		return
	}
	x.say(&event.Lower{Note: redactNote(x.run.link.redact, e)})
}

// keepResult writes what became of a call to the session.
func (x *exchange) keepResult(c providers.ToolCall, out *outcome) error {
	return x.store(session.Record{
		Type: session.ToolResult, ToolCallID: c.ID, Tool: c.Name, Content: out.Result.Content, IsError: out.Result.IsError,
		Blobs: blobs(out.Result.Blobs), File: out.File,
	})
}

// tellResult tells what became of a call and returns what the model is told.
func (x *exchange) tellResult(c providers.ToolCall, out *outcome) providers.ToolResult {
	r := &out.Result
	if d := out.Denied; d != nil {
		x.say(&event.PermissionDenied{ToolCallID: c.ID, Tool: c.Name, Rule: d.Rule, Place: d.Place, Why: d.Why})
	}
	x.say(&event.ToolResult{
		ToolCallID: c.ID, Tool: c.Name, Result: x.redact(r.Content), IsError: r.IsError, DurationMS: out.Millis,
		Blocked: out.Blocked, File: out.File, ReadPath: r.ReadPath, ReadDigest: r.ReadDigest,
	})
	return providers.ToolResult{CallID: c.ID, Name: c.Name, Content: r.Content, IsError: r.IsError, Blobs: blobs(r.Blobs)}
}

func blobs(in []tools.Blob) []providers.Blob {
	if len(in) == 0 {
		return nil
	}
	out := make([]providers.Blob, len(in))
	for i, b := range in {
		out[i] = providers.Blob{MediaType: b.MediaType, Data: b.Data}
	}
	return out
}
