package mcp

import (
	"context"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// errEnded is why a session ended until more is known.
var errEnded = errors.New("the server ended")

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
		l.failed(errEnded)
	}
	pause := time.Until(l.notBefore)
	again := l.failures < maxFailures
	l.mu.Unlock()
	if closed {
		return
	}
	why := l.ending(s, err) // takes a moment, in which nobody has to wait for mu
	l.mu.Lock()
	if l.live == nil && l.starting == nil {
		l.last = why
	}
	l.mu.Unlock()
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
	return text + p.told()
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
