package providers

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// LimitOptions are what one provider entry allows; zero means no limit, and no breaker.
type LimitOptions struct {
	Concurrency       int // attempts in flight, streams included
	RequestsPerMinute int
	TokensPerMinute   int
	BreakerFailures   int // transient failures in a row at one candidate that open it
	BreakerOpenFor    time.Duration
}

// Limits are the limits and breakers of the process, by provider entry, shared by all agents. A nil *Limits has none.
// Safe for concurrent use.
type Limits struct {
	mu       sync.Mutex
	gates    map[string]*gate
	breakers map[string]*breaker // by candidate
}

// NewLimits makes an empty set; Set fills it.
func NewLimits() *Limits {
	return &Limits{gates: map[string]*gate{}, breakers: map[string]*breaker{}}
}

// Set puts o in force for a provider, also for those who wait already. What was used so far stays counted.
func (l *Limits) Set(provider string, o LimitOptions) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g, ok := l.gates[provider]
	if !ok {
		g = &gate{}
		l.gates[provider] = g
	}
	g.set(o)
}

// LimitState is how one provider's limits stand, for a person to read.
type LimitState struct {
	Provider string
	Options  LimitOptions
	InFlight int
	Waiting  int
	Open     []string // candidates whose breaker is open
}

// State lists the providers with limits, sorted by name.
func (l *Limits) State() []LimitState {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []LimitState
	for name, g := range l.gates {
		s := g.state()
		s.Provider = name
		for candidate, b := range l.breakers {
			if b.provider == name && b.open(time.Now()) {
				s.Open = append(s.Open, candidate)
			}
		}
		slices.Sort(s.Open)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b LimitState) int { return strings.Compare(a.Provider, b.Provider) })
	return out
}

func (l *Limits) gate(provider string) *gate {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gates[provider]
}

// codeLimited marks a refusal of our own limits: it says nothing about the provider.
const codeLimited = "local_limit"

// lease is a place in a provider's limits for one attempt.
type lease struct {
	gate     *gate
	reserved float64
	waited   time.Duration
	settled  bool
}

// acquire waits until the provider's limits have room. Where the wait cannot end before the deadline it fails at once.
func (l *Limits) acquire(ctx context.Context, s *scope, provider string, req *Request) (lease, *Error) {
	g := l.gate(provider)
	if g == nil {
		return lease{}, nil
	}
	start := time.Now()
	if err := g.enter(ctx); err != nil {
		return lease{}, doneError(ctx)
	}
	out := lease{gate: g}
	var wait time.Duration
	wait, out.reserved = g.reserve(start, float64(req.EstimateTokens()+req.MaxOutput))
	if wait > 0 {
		fits := wait < s.remaining()
		if !fits || !sleep(ctx, wait) {
			g.giveBack(out.reserved)
			g.leave()
			if !fits {
				return lease{}, &Error{Kind: KindRateLimit, Code: codeLimited, NoRepeat: true, RetryAfter: wait}
			}
			return lease{}, doneError(ctx)
		}
	}
	out.waited = time.Since(start)
	return out, nil
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// settle replaces the estimate by what was used.
func (l *lease) settle(u Usage) {
	if l.gate != nil && u != (Usage{}) && !l.settled {
		l.settled = true
		l.gate.correct(l.reserved - float64(u.Input+u.Output))
	}
}

// refund gives the whole estimate back.
func (l *lease) refund() {
	if l.gate != nil && !l.settled {
		l.settled = true
		l.gate.correct(l.reserved)
	}
}

func (l *lease) release() {
	if l.gate != nil {
		l.gate.leave()
	}
}

// EstimateTokens is a rough size of the request: four bytes of text a token, a thousand tokens an image.
func (r *Request) EstimateTokens() int {
	bytes, images := len(r.System)+len(r.Output), 0
	for _, t := range r.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case Text:
				bytes += len(p.Text)
			case Reasoning:
				bytes += max(len(p.Text), len(p.Raw))
			case ToolCall:
				bytes += len(p.Name) + len(p.Args)
			case ToolResult:
				bytes += len(p.Content)
				images += len(p.Blobs)
			case Blob:
				images++
			case Opaque:
				bytes += len(p.Raw)
			}
		}
	}
	return bytes/4 + images*1000
}
