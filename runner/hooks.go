package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

const (
	// stopLimit is how often hooks may keep an agent from stopping; those of a Claude location have a limit of their own,
	// behind which the agent stops all the same.
	stopLimit        = 3
	lenientStopLimit = 8
	// longHookText is how many characters of a hook's text an agent is given; the whole of a longer one is kept as a file.
	longHookText = 10_000
	// lastHooks is how long hooks of the end may take, cutHooks how long those of a cancelled run.
	lastHooks = 30 * time.Second
	cutHooks  = 5 * time.Second
)

// occasion is what all events of the agent have in common.
func (x *exchange) occasion(ev hook.Event) *hook.Input {
	effort := ""
	if x.thinking != nil {
		effort = x.thinking.Effort
	}
	return &hook.Input{
		Event: ev, Effort: effort, Agent: x.agent.Name, Run: x.run.id, Session: x.run.sessionID(), Name: x.run.graph.Name(),
		Depth: x.run.voice.head.Depth, Roots: x.offered.roots, Mode: x.rules.Mode, Turn: x.turn,
		Access: func() sandbox.Access { return x.rules.Access(x.offered.roots) },
	}
}

// fire runs the hooks of an event in a step of its own. Where nobody listens nothing is put together and no step is taken.
// A failure is the end of the run: it is over, or a hook ended it.
func (x *exchange) fire(ctx context.Context, ev hook.Event, fill func(*hook.Input), n ...int) (hook.Result, *failure) {
	if !x.hooks.Has(ev) {
		return hook.Result{}, nil
	}
	return x.fireAll(ctx, ev, fill, n)
}

func (x *exchange) fireAll(ctx context.Context, ev hook.Event, fill func(*hook.Input), n []int) (hook.Result, *failure) {
	var res hook.Result
	in := x.occasion(ev)
	fill(in)
	err := x.now(ctx, x.step(string(ev), n...), &res, func(ctx context.Context) (err error) {
		res, err = x.hooks.Fire(ctx, in, x.hookHost(ctx), x.tellHook(ev))
		return err
	})
	if err != nil {
		if f := ended(ctx); f != nil {
			x.interrupted("hook", false)
			return res, f
		}
		return res, broken(err)
	}
	x.notice(res.Notices)
	if res.Decision == hook.End && ev != hook.OnStop {
		return res, x.blocked(res)
	}
	return res, nil
}

// blocked is the failure of what a hook refused.
func (x *exchange) blocked(res hook.Result) *failure {
	return failed(event.KindHookBlocked, "%s", strings.TrimSpace(res.Message))
}

// tellHook tells of each hook of an event.
func (x *exchange) tellHook(ev hook.Event) func(string, hook.Result) {
	return func(name string, r hook.Result) { x.say(x.run.r.executed(ev, name, r, x.run.link.redact)) }
}

// executed is the event of one hook.
func (r *Runner) executed(ev hook.Event, name string, res hook.Result, redact *providers.Redactor) *event.HookExecuted {
	e := &event.HookExecuted{
		HookEvent: string(ev), Hook: name, Decision: res.Word(), ExitCode: res.Exit, Reason: res.Failed,
		Message: beginning(redact.Text(res.Message), shownResult), DurationMS: res.Duration.Milliseconds(),
	}
	if r.o.HookOutput {
		e.Stdout, e.Stderr = beginning(redact.Text(res.Stdout), longHookText), beginning(redact.Text(res.Stderr), longHookText)
	}
	return e
}

// notice tells what hooks have to say to the person.
func (x *exchange) notice(texts []string) {
	for _, t := range texts {
		x.say(&event.Warning{Code: "hook", Message: beginning(x.redact(t), shownResult)})
	}
}

// opening lets the hooks of the beginning speak, and gives the prompt as it goes on, with what they add.
func (x *exchange) opening(ctx context.Context, prompt string) (string, *failure) {
	fresh, opens := len(x.conv.Messages) == 0, x.opens()
	var added []string
	for _, ev := range []hook.Event{hook.RunStart, hook.FirstMessage, hook.BeforeAsk} {
		if ev == hook.FirstMessage && !fresh {
			continue
		}
		res, f := x.fire(ctx, ev, func(in *hook.Input) {
			in.Command, in.Typed = x.run.req.Command, x.run.req.asked()
			in.Prompt, in.Source, in.MessageCount, in.Opens = prompt, x.source, len(x.conv.Messages), opens
		})
		switch {
		case f != nil:
			return "", f
		case res.Decision == hook.Halt:
			return "", x.blocked(res)
		case res.Decision == hook.Replace:
			prompt = res.Value
		}
		added = append(added, res.Context...)
		x.run.link.exports.add(res.Env)
	}
	for i, text := range added {
		prompt += "\n\n" + x.preview(text, fmt.Sprintf("prompt-%d", i))
	}
	return prompt, nil
}

// opens says how a session begins with this run, in Claude Code's words; "" = it goes on.
func (x *exchange) opens() string {
	switch r := x.run; {
	case r.req.Parent != nil || !r.session.Open():
		return ""
	case r.session.Resumed():
		return "resume"
	}
	return cmp.Or(x.run.w.Opens, "startup")
}

// beforeModel lets hooks see what the model will be asked, and puts into the conversation what hooks added to it since.
func (x *exchange) beforeModel(ctx context.Context) *failure {
	res, f := x.fire(ctx, hook.BeforeModel, func(in *hook.Input) {
		in.MessageCount, in.ToolCalls = len(x.conv.Messages), x.answered()
	})
	if f == nil && res.Decision == hook.Halt {
		f = x.blocked(res)
	}
	if f != nil {
		return f
	}
	late, f := x.hearAside(ctx, x.step("aside"))
	if f != nil {
		return f
	}
	added := slices.Concat(x.added, res.Context, late.Texts, late.Wake)
	x.added, x.batch = nil, nil
	for i, text := range added {
		m := providers.UserText(x.preview(text, fmt.Sprintf("%d-%d", x.turn, i)))
		x.conv.Messages = append(x.conv.Messages, m)
		x.later(session.Record{Type: session.Message, Message: &m})
	}
	return nil
}

// answered is the batch with the results that the model is about to be given.
func (x *exchange) answered() []hook.Called {
	results := map[string]string{}
	for _, m := range slices.Backward(x.conv.Messages) {
		if m.Role == providers.Assistant {
			break
		}
		for _, p := range m.Parts {
			if r, ok := p.(providers.ToolResult); ok {
				results[r.CallID] = r.Content
			}
		}
	}
	for i := range x.batch {
		x.batch[i].Result = results[x.batch[i].ID]
	}
	return x.batch
}

// afterModel lets hooks see an answer. What they object to is told before the next call.
func (x *exchange) afterModel(ctx context.Context, a *answer) *failure {
	for _, c := range a.Message.ToolCalls() {
		x.batch = append(x.batch, hook.Called{ID: c.ID, Name: c.Name, Arguments: c.Args})
	}
	res, f := x.fire(ctx, hook.AfterModel, func(in *hook.Input) {
		in.Response, in.ToolCalls, in.Finish, in.Usage = a.Message.Text(), append([]hook.Called{}, x.batch...), string(a.Finish), a.Usage
	})
	if res.Decision == hook.Halt {
		x.added = append(x.added, res.Message)
	}
	x.added = append(x.added, res.Context...)
	return f
}

// preview is a hook's text for an agent; the whole of a long one is kept as a file.
func (x *exchange) preview(text, name string) string {
	if len(text) <= longHookText || utf8.RuneCountInString(text) <= longHookText {
		return text
	}
	short := beginning(text, longHookText/5) + fmt.Sprintf("\n[Cut: %d characters in all.]", utf8.RuneCountInString(text))
	if path, err := x.run.session.Keep(x.run.fileName("hook-"+name), x.redact(text)); err == nil && path != "" {
		short += "\n[The whole text is in " + path + ".]"
	}
	return short
}

// warnHooks tells hooks of a window that fills up. They have no say in it.
func (x *exchange) warnHooks(ctx context.Context, w *event.ContextWarning) *failure {
	_, f := x.fire(ctx, hook.ContextWarning, func(in *hook.Input) {
		in.Threshold, in.Percentage, in.TokensUsed, in.TokensRemaining = w.Threshold, w.Percentage, w.TokensUsed, w.TokensRemaining
	}, w.Threshold)
	return f
}

// runStop tells hooks how the run ended, whatever happened. They have no say in it.
func (x *exchange) runStop(ctx context.Context, res *Result) {
	limit := lastHooks
	if ctx.Err() != nil {
		limit = cutHooks
	}
	ctx, cancel := finishing(ctx, limit)
	defer cancel()
	_, _ = x.fire(ctx, hook.RunStop, func(in *hook.Input) { // the run is over already: what fails is told as an event
		in.OK, in.Kind, in.Response, in.Usage, in.Duration = res.OK, res.Kind, res.Text(), res.Usage, res.Duration
		in.Closes = x.run.w.Session == nil && x.run.req.Parent == nil
		in.Held = x.held
	})
}

// maxRounds is how often hooks of swarm_stop have the run go on.
const maxRounds = 3

// hold asks the hooks of swarm_stop before the run ends, as SwarmSDK does: one that halts gives the next prompt.
func (x *exchange) hold(ctx context.Context, output json.RawMessage) (again bool, f *failure) {
	if x.run.req.Parent != nil {
		return false, nil
	}
	x.held = true
	res, f := x.fire(ctx, hook.RunStop, func(in *hook.Input) {
		in.Holds, in.OK, in.Response, in.Usage = true, true, textOf(output), x.run.link.meter.of(x.agent.Name)
	}, x.rounds)
	if f != nil || res.Decision != hook.Halt {
		return false, f
	}
	if x.rounds++; x.rounds > maxRounds {
		x.say(&event.Warning{Code: "hook", Message: x.redact(fmt.Sprintf("the run ends although the hook %s still wants it to go on: %s", res.Hook, res.Message))})
		return false, nil
	}
	x.ask(providers.UserText(x.preview(res.Message, x.step("round"))), "follow_up", "")
	return true, nil
}
