package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// How often a server that ends is started again: the pause doubles with each failure in a row.
const (
	maxFailures = 5
	firstPause  = 200 * time.Millisecond
	longPause   = 30 * time.Second
	settle      = 100 * time.Millisecond // for changes of a list that come together
)

// link is a server that may run: one process or one session, started when somebody needs it, and again after it ended.
type link struct {
	server    Server
	options   Options
	key       string
	workspace string
	access    func() sandbox.Access
	quit      chan struct{} // closed when the last holder leaves

	slot chan struct{} // a sampling server takes one call at a time; nil = any number

	mu        sync.Mutex
	live      *session
	starting  *starting
	failures  int // in a row
	last      error
	notBefore time.Time
	known     *listing
	hears     map[*listener]struct{}
	calls     map[*flight]struct{}
	serial    int  // of calls
	asking    bool // for a list that changed
	stale     bool // it changed again since it was asked for
	closed    bool
	watchers  sync.WaitGroup
}

// listener is a run that hears of what happens to the server.
type listener struct{ tell func(tools.Event) }

func (l *link) tell(e tools.Event) {
	l.mu.Lock()
	var all []*listener
	for h := range l.hears {
		all = append(all, h)
	}
	l.mu.Unlock()
	for _, h := range all {
		h.tell(e)
	}
}

// hear registers a listener until the result is called.
func (l *link) hear(f func(tools.Event)) func() {
	h := &listener{f}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hears[h] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.hears, h)
	}
}

// running tells whether the server answers by now.
func (l *link) running() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live != nil
}

// forgive lets a server that failed too often be tried once more.
func (l *link) forgive() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failures >= maxFailures {
		l.failures, l.notBefore = maxFailures-1, time.Time{}
	}
}

// session gives the server, which is started where it does not run.
func (l *link) session(ctx context.Context) (*session, error) {
	l.mu.Lock()
	if l.live != nil {
		defer l.mu.Unlock()
		return l.live, nil
	}
	if l.closed {
		l.mu.Unlock()
		return nil, errors.New("the program is ending")
	}
	st := l.starting
	if st == nil {
		if l.failures >= maxFailures {
			defer l.mu.Unlock()
			return nil, fmt.Errorf("it failed %d times in a row and is left alone; the last time: %w", l.failures, l.last)
		}
		st = &starting{done: make(chan struct{})}
		l.starting = st
		l.watchers.Add(1)
		go l.begin(st, time.Until(l.notBefore))
	}
	l.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-st.done:
		return st.session, st.err
	}
}

// life is a context that ends when the link does.
func (l *link) life() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-l.quit:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// close ends the server for good and waits for it.
func (l *link) close() error {
	l.mu.Lock()
	l.closed = true
	close(l.quit)
	s := l.live
	l.mu.Unlock()
	if s != nil {
		s.close()
	}
	l.watchers.Wait()
	return nil
}

// list is what the server offers as far as it is known; nil = it never said.
func (l *link) list() *listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}
