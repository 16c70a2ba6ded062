package runner

import (
	"context"
	"encoding/json"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// turns asks the model until it has no more calls.
func (x *exchange) turns(ctx context.Context) (json.RawMessage, *failure) {
	for {
		if f := x.mayGoOn(ctx); f != nil {
			return nil, f
		}
		x.turn++
		if f := x.beforeModel(ctx); f != nil {
			return nil, f
		}
		a, f := x.thinkSmaller(ctx)
		if f == nil {
			f = x.afterModel(ctx, a)
		}
		if f != nil {
			return nil, f
		}
		calls := a.Message.ToolCalls()
		if len(calls) > 0 {
			if f := x.act(ctx, calls); f != nil {
				return nil, f
			}
			if x.ending != nil {
				return x.finishEarly()
			}
			if _, f := x.steer(ctx, false); f != nil {
				return nil, f
			}
			continue
		}
		output, problems := x.answer(a.Message.Text())
		switch {
		case len(problems) == 0:
			if more, f := x.wanted(ctx); more || f != nil {
				if x.repaired = false; f != nil {
					return nil, f
				}
				continue
			}
			output, done, f := x.onStop(ctx, a.Message.Text(), output)
			if done || f != nil {
				return output, f
			}
			continue
		case x.repaired:
			return nil, failed(event.KindOutputInvalid, "the answer does not match its schema, also after one repair: %s", problems[0])
		}
		x.repair(problems)
	}
}

// wanted tells whether somebody has more for the agent to do where it would stop: whoever steers it, or a hook beside it.
func (x *exchange) wanted(ctx context.Context) (bool, *failure) {
	if more, f := x.steer(ctx, true); more || f != nil {
		return more, f
	}
	return x.wake(ctx)
}

// mayGoOn checks the limits before a turn.
func (x *exchange) mayGoOn(ctx context.Context) *failure {
	if f := ended(ctx); f != nil {
		return f
	}
	limit := x.limits.MaxTurns
	if x.turn >= limit {
		return failed(event.KindTurnLimit, "stopped after %d turns, the limit (max_turns)", limit)
	}
	if !x.warned && x.turn > 0 && float64(x.turn) >= float64(limit)*warnAt {
		x.warned = true
		x.say(&event.LimitWarning{Limit: "turns", Used: float64(x.turn), Max: float64(limit)})
	}
	return x.run.link.meter.over()
}

// act runs the calls of an answer and puts their results into the conversation.
func (x *exchange) act(ctx context.Context, calls []providers.ToolCall) *failure {
	results, f := x.calls(ctx, calls)
	x.turnOver()
	parts := make([]providers.Part, len(results))
	for i, r := range results {
		parts[i] = r
	}
	x.conv.Messages = append(x.conv.Messages, providers.Message{Role: providers.Tool, Parts: parts})
	x.settleSkills()
	if f != nil {
		return f
	}
	if f := ended(ctx); f != nil {
		x.interrupted("tool", false)
		return f
	}
	for i, r := range results {
		if x.guard.sees(calls[i], r) {
			return failed(event.KindLoopGuard, "stopped: %s was called %d times in a row with the same input and the same result", calls[i].Name, guardLimit)
		}
	}
	return nil
}
