package runner

import (
	"cmp"
	"context"
	"fmt"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// joinQueue makes the run's queue its own: it can be interrupted there, and tells what is queued.
func (r *run) joinQueue(ctx context.Context) (context.Context, func(), *failure) {
	if r.w.Queue == nil {
		return ctx, func() {}, nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	leave, err := r.w.Queue.join(stop, r.voice.say)
	if err != nil {
		stop(nil)
		return ctx, func() {}, failed(event.KindUsage, "%s", err).because(err)
	}
	return ctx, func() { leave(); stop(nil) }, nil
}

// steer puts into the conversation what waits in the queue; true when something was. A run that is over, or has no turn
// left to hear it, leaves the messages to the next.
func (x *exchange) steer(ctx context.Context, stopping bool) (bool, *failure) {
	q := x.run.w.Queue
	if q == nil {
		return false, nil
	}
	mode := cmp.Or(q.mode, x.agent.Queue, agents.OneAtATime)
	for round := 0; ctx.Err() == nil && x.turn < x.limits.MaxTurns && x.run.link.meter.over() == nil; round++ {
		var due []Waiting
		err := x.now(ctx, x.step("steering", round), &due, func(context.Context) error {
			due = q.take(mode, stopping)
			return nil
		})
		if err != nil || len(due) == 0 {
			return false, brokenIf(err)
		}
		heard := map[string]int{}
		for i, w := range due {
			ok, f := x.hear(ctx, w, round, i)
			if f != nil {
				q.back(due[i:])
				return false, f
			}
			if ok {
				heard[w.Kind]++
			}
		}
		for _, kind := range [...]string{Steering, Following} {
			if n := heard[kind]; n > 0 {
				x.say(&event.SteeringDelivered{Kind: kind, Count: n, Mode: string(mode)})
			}
		}
		if len(heard) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// hear puts one message into the conversation, as hooks leave it; false when they drop it.
func (x *exchange) hear(ctx context.Context, w Waiting, n ...int) (bool, *failure) {
	text := w.Text
	res, f := x.fire(ctx, hook.BeforeAsk, func(in *hook.Input) {
		in.Prompt, in.Source, in.MessageCount = text, w.Kind, len(x.conv.Messages)
	}, n...)
	switch {
	case f != nil:
		return false, f
	case res.Decision == hook.Halt:
		x.say(&event.Warning{Code: "steering", Message: x.redact(fmt.Sprintf("the hook %s dropped the message %q: %s", res.Hook, beginning(text, 60), res.Message))})
		return false, nil
	case res.Decision == hook.Replace:
		text = res.Value
	}
	for i, added := range res.Context {
		text += "\n\n" + x.preview(added, x.step("steering", append(n, i)...))
	}
	x.ask(providers.UserText(text), w.Kind, w.Text)
	return true, nil
}

// brokenIf is broken of an error that may be nil.
func brokenIf(err error) *failure {
	if err == nil {
		return nil
	}
	return broken(err)
}
