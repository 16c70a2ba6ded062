package main

import (
	"context"
	"sync"
	"time"
)

// frame is how long what happens is collected before the screen is drawn again.
const frame = 20 * time.Millisecond

// pump hands what happens to the screen in order, in one piece for each frame. Who puts something in never waits.
type pump struct {
	mu    sync.Mutex
	items []any
	wake  chan struct{}
}

func newPump() *pump { return &pump{wake: make(chan struct{}, 1)} }

func (p *pump) put(item any) {
	p.mu.Lock()
	p.items = append(p.items, item)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *pump) take() []any {
	p.mu.Lock()
	defer p.mu.Unlock()
	items := p.items
	p.items = nil
	return items
}

// work sends what was put in until ctx ends.
func (p *pump) work(ctx context.Context, send func([]any)) {
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		send(p.take())
		t.Reset(frame)
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
