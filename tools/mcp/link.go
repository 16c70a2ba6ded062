package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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
	closed    bool
	watchers  sync.WaitGroup
}

// session is a server that answers.
type session struct {
	cs      *sdk.ClientSession
	program *program // nil = behind HTTP
	drop    func()   // ends what the connection keeps open; nil = nothing
	ended   chan struct{}
}

// starting is a start under way. Its results are read after done.
type starting struct {
	done    chan struct{}
	session *session
	err     error
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

// begin starts the server after a pause.
func (l *link) begin(st *starting, pause time.Duration) {
	defer l.watchers.Done()
	defer close(st.done)
	if pause > 0 {
		select {
		case <-time.After(pause):
		case <-l.quit:
		}
	}
	ctx, cancel := l.life()
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, l.server.startTimeout())
	defer stop()
	s, known, err := l.start(ctx)
	if err == nil && ctx.Err() != nil { // it was ready too late, for whatever reason
		s.close()
		err = context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starting = nil
	if err != nil {
		l.failed(err)
		st.err = err
		return
	}
	l.live, l.known, st.session = s, known, s
	l.watchers.Add(1)
	go l.watch(s)
	if l.closed {
		go s.close() // close has looked already; watch ends with it
	}
}

// failed counts a failure; the caller holds mu.
func (l *link) failed(err error) {
	pause := min(firstPause<<l.failures, longPause)
	l.failures++
	l.last, l.notBefore = err, time.Now().Add(pause)
}

// start connects and asks for the list of tools.
func (l *link) start(ctx context.Context) (*session, *listing, error) {
	s, err := l.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	known, err := list(ctx, s.cs)
	if err != nil {
		err = l.explain(ctx, s.program, err)
		s.close()
		return nil, nil, err
	}
	_ = l.options.keep(l.key, known) // asked for again where it cannot be stored
	return s, known, nil
}

// watch waits for the end of a session and notes it.
func (l *link) watch(s *session) {
	defer l.watchers.Done()
	err := s.cs.Wait()
	close(s.ended)
	l.mu.Lock()
	closed := l.closed
	if l.live == s {
		l.live = nil
	}
	if !closed {
		l.failed(l.ending(s, err))
	}
	pause := time.Until(l.notBefore)
	again := l.failures < maxFailures
	l.mu.Unlock()
	if closed {
		return
	}
	e := Stopped{ServerName: l.server.Name, Reason: "closed"}
	if s.program != nil {
		e.Reason = "exit"
	} else if err != nil {
		e.Reason = "error"
	}
	if again {
		e.RestartInMS = max(pause.Milliseconds(), 1)
	}
	s.close()
	l.tell(e)
}

// ending says how a session ended by itself.
func (l *link) ending(s *session, err error) error {
	if s.program == nil {
		if err == nil {
			return errors.New("the server closed the connection")
		}
		return errors.New("the connection ended: " + short(err.Error(), maxMessage))
	}
	return errors.New("the server " + s.program.fate())
}

// fate says how a program ended, with what it wrote last.
func (p *program) fate() string {
	text := "closed its stdout"
	select {
	case <-p.process.Done():
		text = "ended with exit code 0"
		if err := p.process.Err(); err != nil {
			text = err.Error()
		}
	case <-time.After(settle):
	}
	if words := p.words(); words != "" {
		text += "; stderr: " + words
	}
	if noise := p.filter.dropped(); noise != "" {
		text += "; " + noise
	}
	return text
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

// close ends a session: its program, or its connection.
func (s *session) close() {
	if s.drop != nil {
		defer s.drop()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.cs.Close() // of a server that goes anyway
	}()
	if s.program != nil {
		_ = s.program.process.Close() // never fails
	}
	select {
	case <-done:
	case <-time.After(2 * time.Second):
	}
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

// changed asks for the list again after the server said that it changed. Changes that come together are asked for once.
func (l *link) changed(cs *sdk.ClientSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.asking || l.live == nil || l.live.cs != cs {
		return
	}
	l.asking = true
	l.watchers.Add(1)
	go func() {
		defer l.watchers.Done()
		select {
		case <-time.After(settle):
		case <-l.quit:
			return
		}
		l.mu.Lock()
		l.asking = false
		l.mu.Unlock()
		ctx, cancel := l.life()
		defer cancel()
		ctx, stop := context.WithTimeout(ctx, l.server.timeout())
		defer stop()
		if known, err := list(ctx, cs); err == nil {
			l.learn(known)
		}
	}()
}

// learn takes a new list over and tells what is different.
func (l *link) learn(known *listing) {
	l.mu.Lock()
	before := map[string]string{}
	if l.known != nil {
		before = l.known.digests()
	}
	l.known = known
	l.mu.Unlock()
	e := ToolsChanged{ServerName: l.server.Name, Added: []string{}, Removed: []string{}, Changed: []string{}}
	after := known.digests()
	for _, n := range slices.Sorted(maps.Keys(after)) {
		switch was, ok := before[n]; {
		case !ok:
			e.Added = append(e.Added, l.server.ToolName(n))
		case was != after[n]:
			e.Changed = append(e.Changed, l.server.ToolName(n))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[n]; !ok {
			e.Removed = append(e.Removed, l.server.ToolName(n))
		}
	}
	if len(e.Added)+len(e.Removed)+len(e.Changed) == 0 {
		return
	}
	_ = l.options.keep(l.key, known)
	l.tell(e)
}

// list is what the server offers as far as it is known; nil = it never said.
func (l *link) list() *listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}
