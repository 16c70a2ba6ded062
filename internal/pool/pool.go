package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed is the error of Get on a lease that was given back.
var ErrClosed = errors.New("pool: the lease was given back")

// Pool holds resources by fingerprint. The zero Pool is empty and ready, and safe for concurrent use.
type Pool struct {
	mu      sync.Mutex
	entries map[string]*entry
}

// entry is one resource of a fingerprint, from the first claim on it to its end. The fields below gate are guarded by
// Pool.mu.
type entry struct {
	gate    <-chan struct{} // closed when the predecessor of the same fingerprint is gone; nil = there was none
	holders int
	opening *opening
	ended   chan struct{} // closed when the resource is gone; made by the last Close
}

// opening is one attempt to open a resource. Its results are read after done is closed.
type opening struct {
	done   chan struct{}
	cancel context.CancelFunc
	value  any
	close  func() error
	err    error
}

// Lease is one holder's claim on a resource. Taking it opens nothing: Get does, once for all holders.
type Lease[T any] struct {
	pool   *Pool
	key    string
	open   func(context.Context) (T, func() error, error)
	entry  *entry
	closed bool // guarded by pool.mu
}

// Take claims the resource of a fingerprint. A fingerprint says all that open depends on, the type T included. open
// returns the resource and what closes it (nil = nothing to do); its context carries no values, is cancelled when the last
// holder leaves and not before, so whatever it starts may live as long.
func Take[T any](p *Pool, key string, open func(context.Context) (T, func() error, error)) *Lease[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.entries[key]
	if e == nil || e.ended != nil {
		fresh := &entry{}
		if e != nil {
			fresh.gate = e.ended
		}
		if p.entries == nil {
			p.entries = map[string]*entry{}
		}
		p.entries[key] = fresh
		e = fresh
	}
	e.holders++
	return &Lease[T]{pool: p, key: key, open: open, entry: e}
}

// Get opens the resource at the first call of any holder and returns it. Opening goes on for the other holders when the
// caller that began it is cancelled. After a failure, which everybody who waits hears of, the next Get tries again.
func (l *Lease[T]) Get(ctx context.Context) (T, error) {
	var none T
	o, err := l.begin()
	if err != nil {
		return none, err
	}
	select {
	case <-ctx.Done():
		return none, context.Cause(ctx)
	case <-o.done:
	}
	if o.err != nil {
		return none, o.err
	}
	v, ok := o.value.(T)
	if !ok && o.value != nil {
		return none, fmt.Errorf("pool: %q holds a %T, not a %T", l.key, o.value, none)
	}
	return v, nil
}

// begin joins the opening that is under way or done, or starts one.
func (l *Lease[T]) begin() (*opening, error) {
	p, e := l.pool, l.entry
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	if e.opening != nil {
		return e.opening, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := &opening{done: make(chan struct{}), cancel: cancel}
	e.opening = o
	go func() {
		defer close(o.done)
		if o.err = wait(ctx, e.gate); o.err == nil {
			o.value, o.close, o.err = openAny(ctx, l.open)
		}
		if o.err != nil {
			cancel()
			p.forget(e, o)
		}
	}()
	return o, nil
}

// forget lets the next Get try again.
func (p *Pool) forget(e *entry, o *opening) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.opening == o && e.ended == nil {
		e.opening = nil
	}
}

func wait(ctx context.Context, gate <-chan struct{}) error {
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func openAny[T any](ctx context.Context, open func(context.Context) (T, func() error, error)) (any, func() error, error) {
	v, c, err := open(ctx)
	if err != nil {
		return nil, nil, err
	}
	return v, c, nil
}

// Close gives the claim back. The last holder's Close ends an opening that is under way, closes the resource if it was
// opened, and returns what that said; whoever takes the same fingerprint meanwhile waits. A second Close does nothing.
func (l *Lease[T]) Close() error {
	p, e := l.pool, l.entry
	p.mu.Lock()
	if l.closed {
		p.mu.Unlock()
		return nil
	}
	l.closed = true
	e.holders--
	if e.holders > 0 {
		p.mu.Unlock()
		return nil
	}
	ended := make(chan struct{})
	e.ended = ended
	o, gate := e.opening, e.gate
	p.mu.Unlock()
	err := finish(o)
	if gate != nil {
		<-gate
	}
	p.mu.Lock()
	if p.entries[l.key] == e {
		delete(p.entries, l.key)
	}
	p.mu.Unlock()
	close(ended)
	return err
}

// finish waits for an opening and closes what it opened.
func finish(o *opening) error {
	if o == nil {
		return nil
	}
	defer o.cancel()
	select {
	case <-o.done:
	default:
		o.cancel()
		<-o.done
	}
	if o.err != nil || o.close == nil {
		return nil
	}
	return o.close()
}

// Len counts the fingerprints that somebody claims or whose resource is still being closed.
func (p *Pool) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.entries)
}
