package runner

import (
	"context"
	"slices"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// What holds for an agent whose Context does not say it.
const (
	defaultCompactAt = 0.8
	defaultRecent    = 10
)

// room is what an exchange knows of the window that it works in.
type room struct {
	window  int  // tokens; 0 = unknown
	used    int  // tokens of the first counted messages, as the last answer reported them
	counted int  // 0 = nothing is reported yet
	turn    int  // in which the conversation was last to be made smaller
	stuck   bool // that failed or did not help, so that only an overflow leads to it
}

// thinkSmaller is think, with a smaller conversation when it fills the model's window, and once more with a smaller one when
// the request did not fit. Either happens at most once in a turn; a second overflow is final.
func (x *exchange) thinkSmaller(ctx context.Context) (*answer, *failure) {
	if f := x.makeRoom(ctx); f != nil {
		return nil, f
	}
	a, f := x.think(ctx, "model", 1)
	if f == nil || f.kind != event.KindContextOverflow {
		return a, f
	}
	x.say(&event.ContextOverflow{Tokens: estimate(x.system, x.conv.Messages)})
	if x.room.turn == x.turn {
		return nil, f
	}
	smaller, end := x.compact(ctx, "overflow")
	if end != nil {
		return nil, end
	}
	if !smaller {
		return nil, f
	}
	return x.think(ctx, "model again", 0)
}

// makeRoom makes the conversation smaller when it has passed the agent's part of a known window. That this fails is no
// failure of the run.
func (x *exchange) makeRoom(ctx context.Context) *failure {
	part := x.agent.Context.CompactAt
	if part == 0 {
		part = defaultCompactAt
	}
	limit := part * float64(x.room.window)
	if limit == 0 || x.room.stuck || float64(x.size()) < limit {
		return nil
	}
	smaller, f := x.compact(ctx, "threshold")
	if smaller && float64(x.size()) >= limit {
		x.room.stuck = true
	}
	return f
}

// compact makes the conversation smaller by the agent's strategy; false when it stays as it is, on disk too. A failure ends
// the run: it is over, or out of money or tokens.
func (x *exchange) compact(ctx context.Context, trigger string) (bool, *failure) {
	x.room.turn = x.turn
	if stay, f := x.beforeCompaction(ctx, trigger); stay || f != nil {
		return false, f
	}
	messages, f, err := x.smaller(ctx)
	if err != nil {
		return false, broken(err)
	}
	before, after := estimate(x.system, x.conv.Messages), estimate(x.system, messages)
	if f == nil && messages != nil && after >= before {
		f = failed(event.KindContextOverflow, "what came of it is not smaller")
	}
	if f != nil {
		if end := ended(ctx); end != nil {
			x.interrupted("model", false)
			return false, end
		}
		x.room.stuck = true
		x.say(&event.Warning{Code: "compaction_failed", Message: x.redact("the conversation could not be made smaller: " + f.message)})
		return false, x.run.link.meter.over()
	}
	if messages == nil {
		return false, nil
	}
	size := x.size()
	if err := x.replace(ctx, "compaction", session.Compacted, messages); err != nil {
		return false, broken(err)
	}
	if x.room.counted > 0 {
		x.room.used, x.room.counted = max(size-before+after, 0), len(messages)
	}
	x.say(&event.ContextCompacted{Before: before, After: after, Strategy: string(x.strategy()), Trigger: trigger})
	if _, f := x.fire(ctx, hook.AfterCompaction, func(in *hook.Input) { in.Before, in.After, in.Trigger = before, after, trigger }); f != nil {
		return false, f
	}
	return true, x.run.link.meter.over()
}

// beforeCompaction tells whether hooks keep the conversation as it is. It is then not tried again before an overflow.
func (x *exchange) beforeCompaction(ctx context.Context, trigger string) (bool, *failure) {
	res, f := x.fire(ctx, hook.BeforeCompaction, func(in *hook.Input) {
		in.Trigger, in.Tokens = trigger, estimate(x.system, x.conv.Messages)
	})
	x.added = append(x.added, res.Context...)
	if res.Decision != hook.Halt {
		return false, f
	}
	x.room.stuck = true
	x.notice([]string{"the conversation is not made smaller: " + res.Message})
	return true, f
}

// smaller is what the strategy makes of the conversation, which is not changed: nil when nothing is old enough to go. The
// failure is the summariser's.
func (x *exchange) smaller(ctx context.Context) ([]providers.Message, *failure, error) {
	recent := x.agent.Context.KeepRecent
	if recent == 0 {
		recent = defaultRecent
	}
	recent = max(recent, 0)
	if x.strategy() == agents.TruncateTools {
		return shortened(x.conv.Messages, recent), nil, nil
	}
	old, rest := divide(x.conv.Messages, recent)
	if len(old) == 0 {
		return nil, nil, nil
	}
	skills := stillLoaded(x.conv.Messages, rest)
	if x.strategy() == agents.Prune {
		if skills != "" {
			return slices.Concat([]providers.Message{providers.UserText(skills)}, rest), nil, nil
		}
		return slices.Clone(rest), nil, nil
	}
	summary, f, err := x.summarise(ctx, old, skills)
	if f != nil || err != nil {
		return nil, f, err
	}
	return slices.Concat([]providers.Message{summary}, rest), nil, nil
}

func (x *exchange) strategy() agents.Strategy {
	if s := x.agent.Context.Strategy; s != "" {
		return s
	}
	return agents.Summarise
}

// replace puts messages into the place of the whole conversation, on disk behind what waits to be stored of it, in a step.
func (x *exchange) replace(ctx context.Context, step string, as session.Type, messages []providers.Message) error {
	stored := redactMessages(x.run.link.redact, messages)
	before, done := len(x.conv.Messages), true // a step has an output
	ctx, cancel := finishing(ctx, lastHooks)
	defer cancel()
	err := x.now(ctx, x.step(step), &done, func(context.Context) error {
		if err := x.flush(); err != nil {
			return err
		}
		return x.store(session.Record{Type: as, Replaces: before, Messages: stored})
	})
	if err == nil {
		x.conv.Messages = messages
	}
	return err
}

// size is the tokens of the conversation: as the last answer reported, with an estimate of what came since.
func (x *exchange) size() int {
	if x.room.counted == 0 || x.room.counted > len(x.conv.Messages) { // a call that mended the conversation made it shorter
		return estimate(x.system, x.conv.Messages)
	}
	return x.room.used + estimate("", x.conv.Messages[x.room.counted:])
}
