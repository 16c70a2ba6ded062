package providers

import (
	"context"
	"strconv"
	"sync/atomic"
)

// The events of a model call, with the fields of the catalogue (docs/events.md). Call joins the events of one call.
// Between the first event and CallEnd a sink is called by one goroutine at a time per call; after CallEnd nothing of the
// call follows.
type (
	// AttemptStarted is one send. N counts the sends of the call from 1; a resend after an orphan repair repeats the N
	// of the attempt it repairs.
	AttemptStarted struct {
		Call      string `json:"call"`
		N         int    `json:"n"`
		Candidate string `json:"candidate"`
		Provider  string `json:"provider"`
		Model     string `json:"model"`
		Resend    bool   `json:"resend,omitempty"`
		QueuedMS  int64  `json:"queued_ms,omitempty"` // waited for a slot of the provider's limits
	}
	// AttemptFailed is the end of a send without an answer.
	AttemptFailed struct {
		Call         string `json:"call"`
		N            int    `json:"n"`
		Candidate    string `json:"candidate"`
		Kind         Kind   `json:"kind"`
		Status       int    `json:"status,omitempty"`
		Code         string `json:"code,omitempty"`
		RetryAfterMS int64  `json:"retry_after_ms,omitempty"`
		Committed    bool   `json:"committed"`
		Resend       bool   `json:"resend,omitempty"`
	}
	// RetryWait is the pause before the next round. Round counts the rounds that are over. Kind is of the failure just seen.
	RetryWait struct {
		Call   string `json:"call"`
		Round  int    `json:"round"`
		MS     int64  `json:"ms"`
		Source string `json:"source"` // backoff, retry_after or ratelimit_reset
		Kind   Kind   `json:"kind"`
		N      int    `json:"n"`  // of the attempt that follows
		Of     int    `json:"of"` // attempts that the policy allows
	}
	// FellBack says that the next attempt is at another candidate than the last one. Kind is of the failure just seen.
	FellBack struct {
		Call string `json:"call"`
		From string `json:"from"`
		To   string `json:"to"`
		Kind Kind   `json:"kind"`
	}
	// StreamCommitted says that the first data of a stream came: from now on nothing is repeated.
	StreamCommitted struct {
		Call string `json:"call"`
		N    int    `json:"n"`
	}
	// Skipped says that a candidate was left out because its breaker is open.
	Skipped struct {
		Call      string `json:"call"`
		Candidate string `json:"candidate"`
		Reason    string `json:"reason"`
	}
	// LateOutputDropped counts text that came for an attempt that was already given up.
	LateOutputDropped struct {
		Call  string `json:"call"`
		Bytes int    `json:"bytes"`
	}
	// CallEnd is the last event of a call.
	CallEnd struct {
		Call       string       `json:"call"`
		OK         bool         `json:"ok"`
		Kind       Kind         `json:"kind,omitempty"`
		Attempts   int          `json:"attempts"`
		Candidate  string       `json:"candidate"`
		Usage      *PricedUsage `json:"usage,omitempty"`
		DurationMS int64        `json:"duration_ms"`
		Replayed   bool         `json:"replayed,omitempty"`
		Rule       string       `json:"rule,omitempty"`
	}
	// OrphansPruned says that the history had calls without result, or results without call, and was repaired.
	OrphansPruned struct {
		Call  string   `json:"call"`
		Count int      `json:"count"`
		Names []string `json:"names"`
	}
)

// Type is the event's name in the catalogue.
func (AttemptStarted) Type() string { return "provider.attempt" }

// Type is the event's name in the catalogue.
func (AttemptFailed) Type() string { return "provider.attempt_failed" }

// Type is the event's name in the catalogue.
func (RetryWait) Type() string { return "provider.retry_wait" }

// Type is the event's name in the catalogue.
func (FellBack) Type() string { return "provider.fallback" }

// Type is the event's name in the catalogue.
func (StreamCommitted) Type() string { return "provider.stream_committed" }

// Type is the event's name in the catalogue.
func (Skipped) Type() string { return "provider.skipped" }

// Type is the event's name in the catalogue.
func (LateOutputDropped) Type() string { return "provider.late_output_dropped" }

// Type is the event's name in the catalogue.
func (CallEnd) Type() string { return "provider.call_end" }

// Type is the event's name in the catalogue.
func (OrphansPruned) Type() string { return "orphan_tool_calls_pruned" }

// PricedUsage is a usage with its price: CostUSD is nil and CostKnown false when the price is not known.
type PricedUsage struct {
	Usage
	CostUSD   *float64 `json:"cost_usd"`
	CostKnown bool     `json:"cost_known"`
}

// Priced is the usage at a price; nil means the price is unknown.
func (u Usage) Priced(p *Price) PricedUsage {
	if p == nil {
		return PricedUsage{Usage: u}
	}
	cost := p.Cost(u)
	return PricedUsage{Usage: u, CostUSD: &cost, CostKnown: true}
}

type (
	sinkKey    struct{}
	numbersKey struct{}
)

type sink struct {
	tell  func(Event)
	calls *atomic.Int64
}

// Numbered numbers the model calls under ctx together, whatever sinks they have, so that the names in their events are
// unique. It does nothing where an outer ctx is numbered.
func Numbered(ctx context.Context) context.Context {
	if ctx.Value(numbersKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, numbersKey{}, new(atomic.Int64))
}

// WithSink sends the events of all model calls under ctx to tell, in order of happening per call; calls that run side by
// side call it side by side. tell must not block. An inner sink replaces an outer one.
func WithSink(ctx context.Context, tell func(Event)) context.Context {
	ctx = Numbered(ctx)
	calls, _ := ctx.Value(numbersKey{}).(*atomic.Int64)
	return context.WithValue(ctx, sinkKey{}, &sink{tell, calls})
}

// Emit hands an event to the sink of ctx, if there is one. It is for implementations of Model.
func Emit(ctx context.Context, ev Event) {
	if s, ok := ctx.Value(sinkKey{}).(*sink); ok {
		s.tell(ev)
	}
}

// NewCall is a name for a model call that starts now, unique under the Numbered ctx or the outermost sink; "" without one.
// It is for implementations of Model that report their own CallEnd.
func NewCall(ctx context.Context) string {
	s, ok := ctx.Value(sinkKey{}).(*sink)
	if !ok {
		return ""
	}
	return "c" + strconv.FormatInt(s.calls.Add(1), 10)
}
