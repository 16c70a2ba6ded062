package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config/diag"
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
)

// notRun is the result of a call that a cancelled run did not begin.
const notRun = "Not run: the run was cancelled."

// outcome is the record of a tool call, its failure included.
type outcome struct {
	Result  tools.Result `json:"result"`
	Millis  int64        `json:"ms"`
	Blocked string       `json:"blocked,omitempty"`
	Denied  *denial      `json:"denied,omitempty"`
	Pass    string       `json:"pass,omitempty"`  // a rule that the person let pass for the rest of the run
	File    string       `json:"file,omitempty"`  // the whole of a text that was cut
	Fatal   string       `json:"fatal,omitempty"` // a fault of ours, which ends the run
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
		waits[i] = x.start(ctx, i, c, fatal != nil)
	}
	for ; done < len(calls); done++ {
		finish(done)
	}
	return results, fatal
}

// start begins a call and returns at once, but for a delegate that a person is asked about.
func (x *exchange) start(ctx context.Context, i int, c providers.ToolCall, skip bool) func() (providers.ToolResult, *failure) {
	t := x.offered.shown[c.Name]
	if t != nil && !skip {
		if d, ok := t.Tool.(*delegateTool); ok {
			return x.delegate(ctx, i, c, t, d)
		}
	}
	x.say(&event.ToolCall{ToolCallID: c.ID, Tool: c.Name, Arguments: redactJSON(x.run.link.redact, c.Args)})
	out := &outcome{}
	var wait func() error
	switch {
	case skip:
		out.Result = tools.Result{Content: notRun, IsError: true}
	case t == nil:
		out.Result, out.Blocked = tools.Result{Content: x.offered.unknown(c.Name), IsError: true}, blockedBySchema
	default:
		wait = x.run.w.Steps.Go(ctx, x.step("tool", i), out, func(ctx context.Context) error { return x.call(ctx, c, t, out) })
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
		result := x.tellResult(c, out)
		if out.Fatal != "" {
			return result, failed(event.KindInternal, "tool %s: %s", c.Name, out.Fatal)
		}
		return result, nil
	}
}

// call checks one call, asks for permission and runs it.
func (x *exchange) call(ctx context.Context, c providers.ToolCall, t *Offered, out *outcome) error {
	began := x.run.r.o.Now()
	if ctx.Err() != nil {
		out.Result = tools.Result{Content: notRun, IsError: true}
		return x.keepResult(c, out)
	}
	call := x.newCall(c, t)
	if x.permit(ctx, call, t, out) {
		if err := x.store(session.Record{Type: session.Started, ToolCallID: c.ID, Tool: c.Name}); err != nil {
			return err
		}
		result, err := perform(ctx, t.Tool, call)
		if err != nil {
			result = tools.Result{Content: "The tool failed.", IsError: true}
			if ctx.Err() != nil {
				result.Content = "Cancelled while it was running; side effects are possible."
			} else {
				out.Fatal = x.redact(err.Error())
			}
		}
		out.Result = result
	}
	if err := x.cut(c, out); err != nil {
		return err
	}
	out.Millis = x.run.r.o.Now().Sub(began).Milliseconds()
	return x.keepResult(c, out)
}

func (x *exchange) newCall(c providers.ToolCall, t *Offered) *tools.Call {
	filter := sync.OnceValue(func() func(string) bool { return t.rules.Readable(c.Name, x.offered.roots) }) // looks at the disk
	return &tools.Call{
		ID: c.ID, Tool: c.Name, Agent: x.agent.Name, Run: x.run.id, Session: x.run.session.ID(), Input: c.Args,
		Roots: x.offered.roots, State: x.conv.State, Ask: x.run.w.Ask, Model: sampler{x},
		Report:   func(e tools.Event) { x.say(&event.Lower{Note: e}) },
		Readable: func(path string) bool { return filter()(path) },
	}
}

// permit checks the input and asks the rules, and the person where they say so. It fills in the result of a refused call.
func (x *exchange) permit(ctx context.Context, call *tools.Call, t *Offered, out *outcome) bool {
	if err := t.Tool.Spec().Check(call.Input); err != nil {
		out.Blocked, out.Result = blockedBySchema, tools.Result{Content: err.Error(), IsError: true}
		return false
	}
	d := t.rules.Decide(t.Tool, call, x.granted)
	if d.Verdict == tools.Ask && !x.passes(call, t) {
		d = x.askPerson(ctx, call, d, out)
	}
	if d.Verdict != tools.Deny {
		return true
	}
	rule, place := ruleOf(d)
	out.Blocked, out.Denied = blockedByPermission, &denial{Rule: rule, Place: place, Why: d.Why}
	out.Result = tools.Result{Content: d.Text, IsError: true}
	return false
}

// passes tells whether the person let such calls pass for the rest of the run.
func (x *exchange) passes(call *tools.Call, t *Offered) bool {
	if len(x.passed) == 0 {
		return false
	}
	rules := tools.Rules{Grants: x.passed}
	return rules.Decide(t.Tool, call, nil).Verdict == tools.Allow
}

// askPerson turns an ask into a yes or a no.
func (x *exchange) askPerson(ctx context.Context, call *tools.Call, d tools.Decision, out *outcome) tools.Decision {
	if x.run.w.Ask == nil {
		return d.Refuse(tools.WhyNoTerminal)
	}
	rule, place := ruleOf(d)
	x.say(&event.PermissionAsked{ToolCallID: call.ID, Tool: call.Tool, Rule: rule, Place: place})
	answer, err := x.run.w.Ask.Ask(ctx, tools.Question{
		Agent: x.agent.Name, Tool: call.Tool, Text: x.redact(d.Text), Rule: rule, Always: d.Always,
	})
	if err != nil || answer == tools.Refuse {
		return d.Refuse(tools.WhyPerson)
	}
	if answer != tools.Once {
		out.Pass = d.Always
	}
	return tools.Decision{Verdict: tools.Allow}
}

func ruleOf(d tools.Decision) (text, place string) {
	if d.Rule == nil {
		return "", ""
	}
	if !d.Rule.At.IsZero() {
		place = d.Rule.At.String()
	}
	return d.Rule.Text, place
}

// perform calls the tool; a panic is its result.
func perform(ctx context.Context, t tools.Tool, call *tools.Call) (result tools.Result, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			result, err = tools.Result{Content: fmt.Sprintf("The tool broke down (%v). That is a defect of the tool.", fault), IsError: true}, nil
		}
	}()
	return t.Call(ctx, call)
}

// cut bounds what the model is given and keeps the whole as a file.
func (x *exchange) cut(c providers.ToolCall, out *outcome) error {
	r := &out.Result
	whole := r.Full
	r.Full = ""
	text, cut := shorten(r.Content)
	if cut && whole == "" {
		whole = r.Content
	}
	if whole == "" {
		return nil
	}
	path, err := x.run.session.Keep(x.run.fileName(c.ID), x.redact(whole))
	if err != nil {
		return &storeError{err}
	}
	r.Content, out.File = text, path
	if cut {
		r.Content += cutNote(whole)
	}
	if path != "" {
		r.Content += "\n[The whole result is in " + path + ".]"
	}
	return nil
}

// shorten is the beginning of a text that is too long for a model.
func shorten(text string) (string, bool) {
	if len(text) <= longest || utf8.RuneCountInString(text) <= longest {
		return text, false
	}
	n := 0
	for i := range text {
		if n == longest {
			return text[:i], true
		}
		n++
	}
	return text, false
}

func cutNote(whole string) string {
	return "\n[Cut: " + strconv.Itoa(longest) + " of " + strconv.Itoa(utf8.RuneCountInString(whole)) + " characters are shown.]"
}

// fileName is a name for a long result of this run.
func (r *run) fileName(call string) string {
	name := r.id + "-" + call
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
			return c
		}
		return '_'
	}, name[:min(len(name), 200)]) + ".txt"
}

// keepResult writes what became of a call to the session.
func (x *exchange) keepResult(c providers.ToolCall, out *outcome) error {
	return x.store(session.Record{
		Type: session.ToolResult, ToolCallID: c.ID, Tool: c.Name, Content: out.Result.Content, IsError: out.Result.IsError,
		Blobs: blobs(out.Result.Blobs), File: out.File,
	})
}

// remember keeps what a call changes for the calls of the next turn.
func (x *exchange) remember(out *outcome) {
	x.granting = append(x.granting, out.Result.Grant...)
	if out.Pass == "" {
		return
	}
	if rule, err := tools.ParseRule(out.Pass, tools.Native, diag.Range{}); err == nil {
		x.passing = append(x.passing, rule)
	}
}

// turnOver makes count what the calls of a turn changed.
func (x *exchange) turnOver() {
	x.granted, x.passed = append(x.granted, x.granting...), append(x.passed, x.passing...)
	x.granting, x.passing = nil, nil
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

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}

// sampler answers tools with the calling agent's own model, on the run's budget.
type sampler struct{ x *exchange }

// Sample makes one model call without tools.
func (s sampler) Sample(ctx context.Context, system, prompt string) (string, error) {
	x := s.x
	if f := x.run.link.meter.over(); f != nil {
		return "", fmt.Errorf("%s", f.message)
	}
	ears := &listener{x: x}
	resp, err := x.model.Generate(providers.WithSink(ctx, ears.lower), &providers.Request{
		System: system, Messages: []providers.Message{providers.UserText(prompt)},
		Caller: providers.Caller{Run: x.run.id, Agent: x.agent.Name, Turn: x.turn, Depth: x.run.voice.head.Depth},
	}, nil)
	if resp != nil {
		u := ears.price(resp.Usage, capabilities(x.model).Price)
		x.run.link.meter.charge(x.agent.Name, resp.Candidate, 0, max(resp.Attempts, ears.attempts), u)
	}
	if err != nil {
		return "", err
	}
	return resp.Message.Text(), nil
}
