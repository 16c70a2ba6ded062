package providers

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrSecondSend refuses a send that an adapter wants to make after its attempt's only one.
var ErrSecondSend = errors.New("one attempt sends once")

// Identity is what a client says of itself for events and errors.
type Identity struct {
	Candidate string // Model.Name
	Provider  string
	Model     string
}

// Identified is a Model of one provider. Every family client is one.
type Identified interface {
	Identity() Identity
}

// Credentialed is a Model with a credential. When one is refused, all candidates of the same id are dropped.
type Credentialed interface {
	CredentialID() string // hash of the key's reference, never of the key; "" = none
}

// Attempt is the one send that a client may make in one Generate. It belongs to whoever writes a family: Join gets it, the
// transport calls Send before the send and Commit at the first data, and no layer below sends a second time.
type Attempt struct {
	scope  *scope
	cancel context.CancelCauseFunc
	emit   func(Event)
	who    Identity
	call   string
	n      func() int // numbers the send
	queued time.Duration
	resend bool

	timeout    time.Duration // 0 = the deadline guards alone
	idle       time.Duration
	strictIdle bool

	mu        sync.Mutex
	sent      bool
	number    int
	committed bool
	timer     *time.Timer
	verdict   *Error

	idleTimer *time.Timer // the rest is used by the reading goroutine alone
	idleLeft  time.Duration
	waitStart time.Time
}

type attemptKey struct{}

// Join gives a client the attempt that its caller opened, or, for a client that is used on its own, one in a new scope of
// the defaults. The client works under the returned ctx and calls end when nothing of the call is left.
func Join(ctx context.Context, who Identity) (inner context.Context, a *Attempt, end func(), err error) {
	if a, ok := ctx.Value(attemptKey{}).(*Attempt); ok {
		return ctx, a, func() {}, nil
	}
	ctx, s, err := OpenScope(ctx, nil)
	if err != nil {
		return ctx, nil, nil, err
	}
	inner, a = newAttempt(ctx, s.scope, who)
	a.idle = DefaultIdleTimeout
	sends := 0
	a.n = func() int { sends++; return sends }
	return inner, a, func() { a.end(nil); s.Close() }, nil
}

func newAttempt(ctx context.Context, s *scope, who Identity) (context.Context, *Attempt) {
	a := &Attempt{scope: s, who: who, emit: func(ev Event) { Emit(ctx, ev) }}
	inner, cancel := context.WithCancelCause(context.WithValue(ctx, attemptKey{}, a))
	a.cancel = cancel
	return inner, a
}

// Send takes the attempt's unit of the budget, starts its timer and reports it. Whoever gets an error must not send: it is
// ErrSecondSend, or an *Error of kind budget_exhausted, deadline or cancelled.
func (a *Attempt) Send() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sent {
		return ErrSecondSend
	}
	if a.resend {
		if e := a.scope.done(); e != nil {
			return e
		}
	} else if e := a.scope.take(); e != nil {
		return e
	}
	a.sent = true
	a.number = a.n()
	if a.timeout > 0 {
		a.timer = time.AfterFunc(a.timeout, func() { a.cancel(causeAttempt) })
	}
	a.emit(AttemptStarted{
		Call: a.call, N: a.number, Candidate: a.who.Candidate, Provider: a.who.Provider, Model: a.who.Model,
		Resend: a.resend, QueuedMS: a.queued.Milliseconds(),
	})
	return nil
}

// Commit says that the first data of a stream is here: the attempt timer stops, the idle timer takes over, the deadline
// moves to that of the answer. Later calls do nothing.
func (a *Attempt) Commit() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.committed {
		return
	}
	a.committed = true
	if a.timer != nil {
		a.timer.Stop()
	}
	a.idleLeft = a.idle
	a.scope.commit()
	a.emit(StreamCommitted{Call: a.call, N: a.number})
}

// Committed tells whether Commit was called.
func (a *Attempt) Committed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.committed
}

// Reject ends the attempt's context with the verdict of the transport, so that an adapter that waits or wants to send
// again gives up.
func (a *Attempt) Reject(e *Error) {
	a.mu.Lock()
	if a.verdict == nil {
		a.verdict = e
	}
	a.mu.Unlock()
	a.cancel(&cause{kind: e.Kind, verdict: e})
}

// Abandon ends the attempt because the consumer left, and with it the whole logical request.
func (a *Attempt) Abandon() {
	a.cancel(causeAbandoned)
	a.scope.cancel(causeAbandoned)
}

// Waiting runs the idle clock while the transport waits for bytes; Received stops it. A slow consumer costs nothing.
func (a *Attempt) Waiting() {
	if a.idleLeft <= 0 {
		return
	}
	a.waitStart = time.Now()
	if a.idleTimer == nil {
		a.idleTimer = time.AfterFunc(a.idleLeft, func() { a.cancel(causeIdle) })
		return
	}
	a.idleTimer.Reset(a.idleLeft)
}

// Received stops the idle clock: bytes came, but not yet an event.
func (a *Attempt) Received() {
	if a.idleTimer == nil || a.idleLeft <= 0 {
		return
	}
	if a.idleTimer.Stop() {
		a.idleLeft = max(1, a.idleLeft-time.Since(a.waitStart))
	}
}

// Progress winds the idle clock back: a data event came, or a comment, which counts unless the policy is strict.
func (a *Attempt) Progress(comment bool) {
	if a.idleLeft > 0 && (!comment || !a.strictIdle) {
		a.idleLeft = a.idle
	}
}

// Late reports text that came after the attempt was given up and is not shown.
func (a *Attempt) Late(bytes int) {
	if bytes > 0 {
		a.emit(LateOutputDropped{Call: a.call, Bytes: bytes})
	}
}

// DoneError is why the attempt ended from outside: deadline, cancellation or one of its timers. It is asked before any
// error is looked at, and after a call without one. nil while ctx, which is the attempt's, runs.
func (a *Attempt) DoneError(ctx context.Context) *Error {
	if e := a.scope.done(); e != nil {
		return e
	}
	return doneError(ctx)
}

// end stops the timers and reports a failure of a send that was made; it tells whether one was.
func (a *Attempt) end(e *Error) (sent bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
	}
	if a.idleTimer != nil {
		a.idleTimer.Stop()
	}
	a.cancel(causeClosed)
	if !a.sent {
		return false
	}
	r := AttemptRecord{N: a.number, Candidate: a.who.Candidate, Resend: a.resend}
	if e != nil {
		r.Kind, r.Status = e.Kind, e.Status
		a.emit(AttemptFailed{
			Call: a.call, N: a.number, Candidate: a.who.Candidate, Kind: e.Kind, Status: e.Status, Code: e.Code,
			RetryAfterMS: e.RetryAfter.Milliseconds(), Committed: a.committed, Resend: a.resend,
		})
	}
	a.scope.record(r)
	return true
}
