package providers

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Defaults of a scope.
const (
	DefaultDeadline       = 90 * time.Second
	DefaultChildDeadline  = 180 * time.Second
	DefaultAnswerDeadline = 600 * time.Second
	DefaultAttempts       = 4
)

// ScopeOptions are the limits of one logical request. In a non-nil value Deadline must be above 0.
type ScopeOptions struct {
	Deadline       time.Duration    // sends, waits and reading up to the commit of a stream
	AnswerDeadline time.Duration    // from the opening, once a stream has committed; 0 = 600 s, at least Deadline
	Attempts       int              // counted sends of all calls in the scope together; 0 = 4
	Child          bool             // a child agent: opens a scope of its own below an outer one
	Wall           func() time.Time // wall clock, to notice that the machine slept; nil = time.Now
}

// Scope is the record of one logical request: deadline, cancellation, budget of attempts and what became of them. It
// travels in the ctx that OpenScope returns and is shared by all calls under it. Safe for concurrent use.
type Scope struct {
	*scope
	owner bool
}

// AttemptRecord is one finished send.
type AttemptRecord struct {
	N         int
	Candidate string
	Kind      Kind // "" = answered
	Status    int
	Resend    bool
}

type scope struct {
	ctxErr func() *Error // why the scope's context ended; nil while it has not
	cancel context.CancelCauseFunc
	until  func() time.Time // the caller's own deadline; zero = none

	mu        sync.Mutex
	start     time.Time
	wallStart time.Time
	wall      func() time.Time
	total     time.Duration
	answer    time.Duration
	timer     *time.Timer
	committed bool
	limit     int
	used      int
	log       []AttemptRecord
}

type scopeKey struct{}

// OpenScope opens a scope, or joins the one in ctx: then o is ignored unless it asks for a child's scope. nil o means the
// defaults. The error is an *Error: invalid_request for a deadline ≤ 0, deadline or cancelled when the outer scope is over.
func OpenScope(ctx context.Context, o *ScopeOptions) (context.Context, *Scope, error) {
	outer, _ := ctx.Value(scopeKey{}).(*scope)
	if outer != nil {
		if err := outer.check(); err != nil {
			return ctx, nil, err
		}
	}
	if err := o.validate(); err != nil {
		return ctx, nil, err
	}
	if outer != nil && (o == nil || !o.Child) {
		return ctx, &Scope{scope: outer}, nil
	}
	if e := doneError(ctx); e != nil {
		return ctx, nil, e
	}
	inner, s := newScope(ctx, o)
	return inner, &Scope{scope: s, owner: true}, nil
}

func (o *ScopeOptions) validate() error {
	if o != nil && (o.Deadline <= 0 || o.AnswerDeadline < 0 || o.Attempts < 0) {
		return &Error{Kind: KindInvalidRequest, Code: "invalid_scope", Terminal: true, Hint: "a deadline must be above 0"}
	}
	return nil
}

func newScope(ctx context.Context, o *ScopeOptions) (context.Context, *scope) {
	if o == nil {
		o = &ScopeOptions{Deadline: DefaultDeadline}
	}
	s := &scope{total: o.Deadline, answer: o.AnswerDeadline, limit: o.Attempts, wall: o.Wall}
	if s.answer == 0 {
		s.answer = DefaultAnswerDeadline
	}
	s.answer = max(s.answer, s.total)
	if s.limit == 0 {
		s.limit = DefaultAttempts
	}
	if s.wall == nil {
		s.wall = time.Now
	}
	s.start, s.wallStart = time.Now(), s.wall().Round(0)
	s.until = func() time.Time { t, _ := ctx.Deadline(); return t }
	inner, cancel := context.WithCancelCause(context.WithValue(ctx, scopeKey{}, s))
	s.cancel = cancel
	s.ctxErr = func() *Error { return doneError(inner) }
	s.timer = time.AfterFunc(s.total, func() { cancel(causeDeadline) })
	return inner, s
}

// Check tells whether work in the scope may go on: nil, or an *Error of kind deadline or cancelled, both terminal.
func (s *Scope) Check() error { return s.check() }

// Close ends the scope. The owner's Close cancels what still runs under it; that of a joined scope does nothing.
func (s *Scope) Close() {
	if s.owner {
		s.timer.Stop()
		s.cancel(causeClosed)
	}
}

// Remaining is the time until the deadline of the scope or of its caller, whichever is first.
func (s *Scope) Remaining() time.Duration { return s.remaining() }

// Attempts is the number of counted sends so far.
func (s *Scope) Attempts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Log is what became of the sends so far, in the order in which they ended.
func (s *Scope) Log() []AttemptRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]AttemptRecord(nil), s.log...)
}

func (s *scope) check() error {
	if e := s.done(); e != nil {
		return e
	}
	return nil
}

func (s *scope) done() *Error {
	if e := s.ctxErr(); e != nil {
		return e
	}
	s.mu.Lock()
	slept := s.wall().Round(0).Sub(s.wallStart) > s.total && time.Since(s.start) < s.total
	s.mu.Unlock()
	if slept {
		s.cancel(causeDeadline)
		return s.ctxErr()
	}
	return nil
}

func (s *scope) remaining() time.Duration {
	s.mu.Lock()
	end := s.start.Add(s.total)
	s.mu.Unlock()
	if t := s.until(); !t.IsZero() && t.Before(end) {
		end = t
	}
	return time.Until(end)
}

func (s *scope) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limit - s.used
}

// take takes one unit of the budget.
func (s *scope) take() *Error {
	if e := s.done(); e != nil {
		return e
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used >= s.limit {
		return &Error{Kind: KindBudget, Code: "attempt_limit_exceeded", Terminal: true}
	}
	s.used++
	return nil
}

// commit moves the deadline to that of the answer, once.
func (s *scope) commit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.committed {
		return
	}
	s.committed = true
	if s.timer.Stop() {
		s.total = s.answer
		s.timer.Reset(s.answer - time.Since(s.start))
	}
}

func (s *scope) record(r AttemptRecord) {
	s.mu.Lock()
	s.log = append(s.log, r)
	s.mu.Unlock()
}

// cause is why we ended a context: a private value, so that no text decides.
type cause struct {
	kind     Kind
	terminal bool
	verdict  *Error
}

func (c *cause) Error() string { return string(c.kind) }
func (c *cause) Unwrap() error { return c.kind.Sentinel() }

var (
	causeDeadline  = &cause{kind: KindDeadline, terminal: true}
	causeClosed    = &cause{kind: KindCancelled, terminal: true}
	causeAbandoned = &cause{kind: KindCancelled, terminal: true}
	causeAttempt   = &cause{kind: KindTimeout}
	causeIdle      = &cause{kind: KindTimeout, terminal: true}
)

// doneError is why ctx ended: the deadline, a cancellation, a timer of an attempt; nil while it has not, or when it was
// ended by an attempt's own verdict.
func doneError(ctx context.Context) *Error {
	if ctx.Err() == nil {
		return nil
	}
	var c *cause
	switch {
	case errors.As(context.Cause(ctx), &c):
		if c.verdict != nil {
			return nil
		}
		return &Error{Kind: c.kind, Terminal: c.terminal}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Kind: KindDeadline, Terminal: true}
	}
	return &Error{Kind: KindCancelled, Terminal: true}
}
