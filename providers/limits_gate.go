package providers

import (
	"context"
	"sync"
	"time"
)

// gate is the limits of one provider: slots for attempts in flight, and two buckets that fill with time.
type gate struct {
	mu       sync.Mutex
	options  LimitOptions
	inFlight int
	waiting  []chan struct{} // first come first served; closed when a slot is theirs
	requests bucket
	tokens   bucket
}

func (g *gate) set(o LimitOptions) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.options = o
	now := time.Now()
	g.requests.resize(now, max(1, float64(o.RequestsPerMinute)/10), float64(o.RequestsPerMinute)/60)
	g.tokens.resize(now, float64(o.TokensPerMinute), float64(o.TokensPerMinute)/60)
	g.wake()
}

func (g *gate) state() LimitState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return LimitState{Options: g.options, InFlight: g.inFlight, Waiting: len(g.waiting)}
}

func (g *gate) free() bool { return g.options.Concurrency <= 0 || g.inFlight < g.options.Concurrency }

// wake gives free slots to those who wait longest.
func (g *gate) wake() {
	for len(g.waiting) > 0 && g.free() {
		g.inFlight++
		close(g.waiting[0])
		g.waiting = g.waiting[1:]
	}
}

func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	if len(g.waiting) == 0 && g.free() {
		g.inFlight++
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, w := range g.waiting {
		if w == turn {
			g.waiting = append(g.waiting[:i:i], g.waiting[i+1:]...)
			return ctx.Err()
		}
	}
	g.inFlight-- // the slot came at the same moment
	g.wake()
	return ctx.Err()
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inFlight--
	g.wake()
}

// reserve takes one request and so many tokens; the caller waits as long as it says. A request larger than the bucket
// passes when the bucket is full.
func (g *gate) reserve(now time.Time, tokens float64) (time.Duration, float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	tokens = min(tokens, g.tokens.size)
	return max(g.requests.take(now, 1), g.tokens.take(now, tokens)), tokens
}

// giveBack undoes a reservation that was not used.
func (g *gate) giveBack(tokens float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests.level++
	g.tokens.level += tokens
}

// correct adds what a reservation had too much, or takes what it had too little.
func (g *gate) correct(tokens float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens.level += tokens
}

// bucket fills with rate per second up to size. A reservation may take it below zero: who comes later waits longer.
type bucket struct {
	size, rate, level float64
	at                time.Time
}

func (b *bucket) resize(now time.Time, size, rate float64) {
	if b.at.IsZero() || b.rate == 0 {
		b.level = size
	} else {
		b.fill(now)
		b.level = min(b.level, size)
	}
	b.size, b.rate, b.at = size, rate, now
}

func (b *bucket) fill(now time.Time) {
	b.level = min(b.size, b.level+now.Sub(b.at).Seconds()*b.rate)
	b.at = now
}

func (b *bucket) take(now time.Time, n float64) time.Duration {
	if b.rate <= 0 {
		return 0
	}
	b.fill(now)
	missing := n - b.level
	b.level -= n
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / b.rate * float64(time.Second))
}
