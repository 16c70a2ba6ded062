package runner

import (
	"context"
	"time"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// endHooks is how long hooks of the end of a session may take in all.
const endHooks = time.Minute

// Ended tells the agent's hooks that a session ends whose runs did not end it, such as a chat's. reason is Claude Code's word:
// clear, resume, prompt_input_exit, other. It ends once, and not at all where it had no run in this process.
func (r *Runner) Ended(h *session.Handle, agent, reason string) {
	g, release, err := r.source.Acquire()
	if err != nil {
		return
	}
	defer release()
	a, ok := g.Agent(agent)
	if !h.End() || !ok || !a.Hooks.Has(hook.RunStop) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), endHooks)
	defer cancel()
	roots := rootsOf(a, g, tools.Roots{})
	in := &hook.Input{
		Event: hook.RunStop, Agent: a.Name, Session: h.ID(), Name: g.Name(), Roots: roots, Mode: a.Rules.Mode, Ends: reason, OK: true,
		Access: func() sandbox.Access { return a.Rules.Access(roots) },
	}
	v := &voice{stream: newStream(r.o.Now, r.o.Sink), head: event.Header{Agent: a.Name, Session: h.ID(), Generation: g.Generation()}}
	r.fireApart(ctx, a.Hooks, in, v, providers.NewRedactor(g.Secrets()...))
}

// fireApart runs hooks outside of a run: nothing waits for what they decide.
func (r *Runner) fireApart(ctx context.Context, hooks hook.Chain, in *hook.Input, v *voice, redact *providers.Redactor) {
	res, err := hooks.Fire(ctx, in, nil, func(name string, res hook.Result) {
		v.say(r.executed(in.Event, name, res, redact))
	})
	for _, text := range res.Notices {
		v.say(&event.Warning{Code: "hook", Message: beginning(redact.Text(text), shownResult)})
	}
	if err != nil {
		v.say(&event.Warning{Code: "hook", Message: err.Error()})
	}
}
