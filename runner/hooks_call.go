package runner

import (
	"context"
	"encoding/json"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
)

// callInput is an input that speaks of a call.
func (x *exchange) callInput(ev hook.Event, call *tools.Call, t *Offered) *hook.Input {
	in := x.occasion(ev)
	about(in, call, t)
	return in
}

// about makes an input speak of a call.
func about(in *hook.Input, call *tools.Call, t *Offered) {
	in.Tool, in.Call = t.Tool, call
	if d, ok := t.Tool.(*delegateTool); ok {
		if o, err := d.order(call.Input); err == nil {
			in.Target, in.Message = o.target, o.message
		}
	}
}

// before is the event that comes before calls of a tool.
func before(t *Offered) hook.Event {
	if _, ok := t.Tool.(*delegateTool); ok {
		return hook.BeforeDelegation
	}
	return hook.BeforeTool
}

// fireCall runs the hooks of an event of a call, inside the step of the call. An error: the run is over.
func (x *exchange) fireCall(ctx context.Context, in *hook.Input, out *outcome) (hook.Result, error) {
	res, err := x.hooks.Fire(ctx, in, x.hookHost(ctx), x.tellHook(in.Event))
	out.Notices, out.Added = append(out.Notices, res.Notices...), append(out.Added, res.Context...)
	return res, err
}

// consult lets hooks decide about a call that has not begun. False: the call has its result.
func (x *exchange) consult(ctx context.Context, in *hook.Input, call *tools.Call, t *Offered, out *outcome) (hook.Result, bool) {
	res, err := x.fireCall(ctx, in, out)
	if err != nil {
		out.Result = tools.Result{Content: notRun, IsError: true}
		return hook.Result{}, false
	}
	if !x.settle(res, out) {
		return hook.Result{}, false
	}
	return res, x.change(res.Input, call, t, out)
}

// asked lets hooks decide about a call before its permissions do. False: the call has its result.
func (x *exchange) asked(ctx context.Context, call *tools.Call, t *Offered, out *outcome) (hook.Decision, string, bool) {
	ev := before(t)
	if !x.hooks.Has(ev) {
		return hook.Continue, "", true
	}
	if d, ok := t.rules.Admits(t.Tool, call); !ok {
		return "", "", x.refuse(d, out)
	}
	res, ok := x.consult(ctx, x.callInput(ev, call, t), call, t, out)
	return res.Decision, res.Message, ok
}

// change gives a call another input, which must fit the schema like the first.
func (x *exchange) change(input json.RawMessage, call *tools.Call, t *Offered, out *outcome) bool {
	if len(input) == 0 {
		return true
	}
	call.Input, out.Changed = input, input
	return x.fitsSchema(call, t, out)
}

// settle does what hooks decided about a call that has not begun. False: the call has its result.
func (x *exchange) settle(res hook.Result, out *outcome) bool {
	switch res.Decision {
	case hook.Halt:
		out.Blocked, out.Result = blockedByHook, tools.Result{Content: res.Message, IsError: true}
	case hook.Replace:
		out.Result = tools.Result{Content: res.Value}
	case hook.FinishAgent, hook.FinishRun, hook.End:
		out.Result = tools.Result{Content: notRunEnded}
		out.finish(res)
	default:
		return true
	}
	return false
}

// finish notes that hooks end more than the call.
func (out *outcome) finish(res hook.Result) {
	out.Finish, out.FinishText, out.FinishBy = string(res.Decision), res.Message, res.Hook
}

// requested lets hooks answer in the place of a person whom a call waits for.
func (x *exchange) requested(ctx context.Context, call *tools.Call, t *Offered, out *outcome) (hook.Decision, bool) {
	if !x.hooks.Has(before(t)) {
		return hook.Continue, true
	}
	in := x.callInput(before(t), call, t)
	in.Asks = true
	res, ok := x.consult(ctx, in, call, t, out)
	return res.Decision, ok
}

// after lets hooks see what a tool did, and change what the model is told of it.
func (x *exchange) after(ctx context.Context, call *tools.Call, t *Offered, out *outcome) {
	events := []hook.Event{hook.AfterTool}
	if out.Result.IsError {
		events = []hook.Event{hook.ToolError, hook.AfterTool}
	}
	for _, ev := range events {
		if !x.hooks.Has(ev) || ctx.Err() != nil {
			continue
		}
		in := x.callInput(ev, call, t)
		in.Result, in.IsError, in.Duration = out.Result.Content, out.Result.IsError, x.run.r.o.Now().Sub(out.began)
		res, err := x.fireCall(ctx, in, out)
		if err != nil {
			return // the run is over; what the tool did stays
		}
		out.amend(res)
	}
}

// amend does what hooks decided about a call that has ended.
func (out *outcome) amend(res hook.Result) {
	if res.Output != nil {
		out.replace(*res.Output)
	}
	switch res.Decision {
	case hook.Halt:
		out.Added = append(out.Added, res.Message)
	case hook.Replace:
		out.replace(res.Value)
	case hook.FinishAgent, hook.FinishRun, hook.End:
		out.finish(res)
	}
}

// replace puts another text into the place of what a tool said.
func (out *outcome) replace(text string) {
	out.Result.Content, out.Result.IsError, out.Result.Full = text, false, ""
}

// addTexts puts what hooks added behind the result.
func (x *exchange) addTexts(out *outcome) {
	for i, text := range out.Added {
		if text != "" {
			out.Result.Content += "\n\n" + x.preview(text, x.step("result", i))
		}
	}
	out.Added = nil
}

// heed keeps what hooks decided about more than a call.
func (x *exchange) heed(out *outcome) {
	x.notice(out.Notices)
	if out.Finish == "" || x.ending != nil {
		return
	}
	x.ending = &ending{answer: out.FinishText, by: out.FinishBy, run: hook.Decision(out.Finish) == hook.FinishRun}
	if hook.Decision(out.Finish) == hook.End {
		x.ending.f = failed(event.KindHookBlocked, "%s", out.FinishText)
	}
}
