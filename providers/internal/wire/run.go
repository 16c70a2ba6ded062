package wire

import (
	"context"
	"slices"

	"github.com/swarmrun/swarmrun/providers"
)

// queueLength is how many deltas may wait for the caller.
const queueLength = 64

// Run makes one exchange: send runs in a goroutine of its own, which has ended when Run returns, and must send x through a
// Tap. emit, if not nil, is called in the caller's goroutine. The outcome is that of the exchange and of ctx, never what send
// returns; a panic in it is kind unknown.
func Run(ctx context.Context, x *Exchange, emit func(providers.Delta) error, send func(context.Context) error) (*providers.Response, error) {
	queue := make(chan providers.Delta, queueLength)
	if emit != nil {
		x.deltas = queue
	}
	go func() {
		defer close(queue)
		defer func() {
			if recover() != nil {
				_ = x.fail(&providers.Error{Kind: providers.KindUnknown, Code: "adapter_panic"})
			}
		}()
		_ = send(ctx)
	}()
	shown, late := deliver(ctx, x, emit, queue)
	resp, err := x.settle(ctx)
	if resp != nil && late {
		resp.Message.Parts = shown.cut(resp.Message.Parts)
	}
	return resp, err
}

// extent is how much of an answer the caller was handed, in bytes.
type extent struct{ text, reasoning int }

// cut is parts without what the caller was not handed: a partial answer says what was shown and no more.
func (e extent) cut(parts []providers.Part) []providers.Part {
	var kept []providers.Part
	text, reasoning := e.text, e.reasoning
	for _, p := range parts {
		switch t := p.(type) {
		case providers.Text:
			t.Text = t.Text[:min(text, len(t.Text))]
			if text -= len(t.Text); t.Text != "" {
				kept = append(kept, t)
			}
		case providers.Reasoning:
			n := min(reasoning, len(t.Text))
			if reasoning -= n; n == len(t.Text) { // a piece of it would not go with its signature
				kept = append(kept, t)
			}
		default:
			kept = append(kept, p)
		}
	}
	return kept
}

// deliver hands the deltas to emit until the worker is done. What comes after the attempt was given up is counted only, and
// makes the answer late.
func deliver(ctx context.Context, x *Exchange, emit func(providers.Delta) error, queue <-chan providers.Delta) (shown extent, isLate bool) {
	late := 0
	defer func() { // also when emit panics: the worker must not be left behind
		if p := recover(); p != nil {
			x.Attempt.Abandon()
			for range queue {
			}
			panic(p)
		}
	}()
	for d := range queue {
		if ctx.Err() != nil && x.Attempt.DoneError(ctx) != nil {
			late += len(d.Text) + len(d.Reasoning)
			continue
		}
		shown.text += len(d.Text)
		shown.reasoning += len(d.Reasoning)
		if emit(d) != nil {
			x.Attempt.Abandon()
		}
	}
	x.Attempt.Late(late)
	return shown, late > 0
}

// settle is the outcome: deadlines, cancellations and timers first, then the tap's verdict, then the answer itself.
func (x *Exchange) settle(ctx context.Context) (*providers.Response, error) {
	done, e := x.outcome()
	if ended := x.Attempt.DoneError(ctx); ended != nil {
		e = ended
	}
	answer := x.Decoder.Answer()
	resp := &providers.Response{
		Message: providers.Message{Role: providers.Assistant, Parts: answer.Parts}, Usage: answer.Usage, Model: answer.Model,
	}
	if e == nil && !done {
		e = &providers.Error{Kind: providers.KindUnknown, Code: "adapter_sent_nothing"}
	}
	if e == nil {
		finish, err := x.Decoder.Finish()
		e = x.failure(err, nil)
		resp.Finish = finish
		resp.Message.Parts = answer.Parts
	}
	if e == nil && x.Window > 0 && resp.Usage.Input > x.Window {
		e = &providers.Error{Kind: providers.KindOverflow, Code: "window_exceeded"}
	}
	if e == nil {
		return resp, nil
	}
	committed := x.Attempt.Committed()
	e.Committed, e.Terminal = committed, e.Terminal || committed
	resp.Message.Parts = slices.DeleteFunc(resp.Message.Parts, func(p providers.Part) bool { // no call of a failed answer runs
		_, call := p.(providers.ToolCall)
		return call
	})
	cutShort := e.Kind == providers.KindTruncated && len(resp.Message.Parts) > 0 // a unary answer that ended early has a text
	if !committed && !cutShort {
		return nil, e
	}
	resp.Incomplete = true
	resp.Usage.Partial = resp.Usage != (providers.Usage{})
	return resp, e
}
