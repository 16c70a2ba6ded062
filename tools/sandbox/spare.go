package sandbox

import (
	"sync"
	"time"
)

// spareFor is how long a launching process waits for a command.
const spareFor = time.Minute

// spare is a launching process that waits, so that the next command does not wait for the start of a program. From the first
// command on there is one at most.
type spare struct {
	mu      sync.Mutex
	ready   *launching // nil = there is none
	expires *time.Timer
	coming  bool // one is being started
	closed  bool
	starts  sync.WaitGroup
}

// take is the spare, if there is one of this kind.
func (s *spare) take(kind launchingKind) *launching {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.ready
	if p == nil || p.kind != kind {
		return nil
	}
	s.ready = nil
	s.expires.Stop()
	select {
	case <-p.gone:
		p.drop()
		return nil
	default:
		return p
	}
}

// refill starts a spare in the background, unless there is one.
func (s *spare) refill(kind launchingKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready != nil || s.coming || s.closed {
		return
	}
	s.coming = true
	s.starts.Go(func() {
		p, err := newLaunching(kind)
		if err == nil { // else the next command says why
			s.put(p)
		}
		s.mu.Lock()
		s.coming = false
		s.mu.Unlock()
	})
}

// put makes a launching process the spare, unless there is one.
func (s *spare) put(p *launching) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready != nil || s.closed {
		p.drop()
		return
	}
	s.ready = p
	s.expires = time.AfterFunc(spareFor, func() { s.expire(p) })
}

func (s *spare) expire(p *launching) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready == p {
		s.ready = nil
		p.drop()
	}
}

// close ends the spare. There is none afterwards.
func (s *spare) close() {
	s.mu.Lock()
	s.closed = true
	if p := s.ready; p != nil {
		s.ready = nil
		s.expires.Stop()
		p.drop()
	}
	s.mu.Unlock()
	s.starts.Wait()
}
