package providers

import (
	"context"
	"errors"
	"slices"
	"time"
)

// call is one Generate of a chain.
type call struct {
	chain    *chain
	id       string
	req      *Request
	emit     func(Delta) error
	scope    *scope
	sends    int // counted sends of this call
	unsent   int // transient failures without a send, of models that have none to count
	last     *member
	lastErr  *Error
	outcomes []CandidateError
	repaired bool
	gone     map[*member]bool
	hints    map[*member]hint // of this round
}

func (r *call) open(ctx context.Context) (*Response, *Error) {
	p := &r.chain.policy
	if err := p.Validate(); err != nil || len(r.chain.members) == 0 {
		return nil, &Error{Kind: KindInvalidRequest, Code: "invalid_policy", Terminal: true}
	}
	o := ScopeOptions{Deadline: p.Deadline, AnswerDeadline: max(p.AnswerDeadline, p.ChildDeadline), Attempts: p.Attempts}
	if r.req.Caller.Depth > 0 {
		o.Deadline = p.ChildDeadline
	}
	inner, s, err := OpenScope(ctx, &o)
	if err != nil {
		var e *Error
		errors.As(err, &e)
		return nil, e
	}
	defer s.Close()
	r.scope = s.scope
	return r.rounds(inner)
}

// rounds tries the live candidates in order, again and again, until one answers or nothing may be tried any more.
func (r *call) rounds(ctx context.Context) (*Response, *Error) {
	for round := 1; ; round++ {
		resp, e, done := r.round(ctx)
		if done {
			return resp, e
		}
		if len(r.live()) == 0 || r.spent() {
			return nil, r.report()
		}
		if e := r.pause(ctx, round); e != nil {
			return nil, e
		}
	}
}

func (r *call) round(ctx context.Context) (*Response, *Error, bool) {
	clear(r.hints)
	for _, m := range r.live() {
		if e := r.scope.done(); e != nil {
			return nil, r.fill(e), true
		}
		if r.spent() {
			return nil, r.report(), true
		}
		if r.gone[m] {
			continue
		}
		if !r.chain.policy.Limits.admit(m.who) {
			Emit(ctx, Skipped{Call: r.id, Candidate: m.who.Candidate, Reason: "open"})
			continue
		}
		resp, e := r.try(ctx, m)
		if e == nil {
			return resp, nil, true
		}
		r.note(m, e)
		if !r.goesOn(m, e) {
			return resp, r.report(), true
		}
	}
	return nil, nil, false
}

// goesOn tells whether anything may be tried after this failure, and drops candidates that may not.
func (r *call) goesOn(m *member, e *Error) bool {
	switch {
	case e.Terminal || e.Committed:
		return false
	case r.chain.policy.advances(e.Kind):
		r.drop(m)
		if e.Kind == KindAuth && m.credential != "" {
			for _, other := range r.chain.members {
				if other.credential == m.credential {
					r.drop(other)
				}
			}
		}
		return true
	case !e.Kind.Transient():
		return false
	case e.NoRepeat:
		r.drop(m)
	}
	return true
}

func (r *call) live() []*member {
	if len(r.gone) == 0 {
		return r.chain.members
	}
	return slices.DeleteFunc(slices.Clone(r.chain.members), func(m *member) bool { return r.gone[m] })
}

func (r *call) drop(m *member) {
	if r.gone == nil {
		r.gone = map[*member]bool{}
	}
	r.gone[m] = true
}

// spent tells whether no unit is left. Failures of models that send nothing (scripts) are counted as if they had.
func (r *call) spent() bool {
	return r.scope.left() <= 0 || r.sends+r.unsent >= r.chain.policy.Attempts
}

// try asks one candidate, and once per call again after a repair of the history.
func (r *call) try(ctx context.Context, m *member) (*Response, *Error) {
	if r.last != nil && r.last != m {
		Emit(ctx, FellBack{Call: r.id, From: r.last.who.Candidate, To: m.who.Candidate, Kind: r.lastErr.Kind})
	}
	r.last = m
	resp, e := r.send(ctx, m, false)
	if e == nil || e.Kind != KindOrphan || e.Committed || r.repaired {
		return resp, e
	}
	fixed, pruned := RepairOrphans(r.req)
	if pruned == nil {
		return resp, e
	}
	r.repaired = true
	pruned.Call = r.id
	Emit(ctx, *pruned)
	if j := r.req.Journal; j != nil {
		if err := j.Repaired(fixed.Messages); err != nil {
			return resp, e
		}
	}
	r.req = fixed
	return r.send(ctx, m, true)
}

// send makes one attempt and gives its verdict.
func (r *call) send(ctx context.Context, m *member, resend bool) (*Response, *Error) {
	p := &r.chain.policy
	lease, e := p.Limits.acquire(ctx, r.scope, m.who.Provider, r.req)
	if e != nil {
		p.Limits.observe(m.who, e)
		return nil, e
	}
	actx, a := newAttempt(ctx, r.scope, m.who)
	a.call, a.resend, a.queued = r.id, resend, lease.waited
	a.idle, a.strictIdle = p.IdleTimeout, p.StrictIdle
	a.timeout = p.attemptTimeout(r.scope.remaining(), len(r.live()))
	a.n = func() int {
		if !resend {
			r.sends++
		}
		return r.sends
	}
	shown := false
	emit := r.emit
	if emit != nil {
		emit = func(d Delta) error {
			shown = true
			err := r.emit(d)
			if err != nil {
				a.Abandon()
			}
			return err
		}
	}
	resp, err := m.model.Generate(actx, r.req, emit)
	e = verdict(actx, a, err)
	if e != nil && (shown || a.Committed()) {
		e.Committed, e.Terminal = true, true
	}
	if resp != nil {
		resp.Candidate, resp.Provider, resp.Model = m.who.Candidate, m.who.Provider, firstOf(resp.Model, m.who.Model)
		if resp.Incomplete = e != nil; resp.Incomplete {
			resp.Usage.Partial = resp.Usage != (Usage{})
		}
		lease.settle(resp.Usage)
	}
	if e != nil && !e.Committed && e.Status >= 400 {
		lease.refund() // refused: nothing was used
	}
	lease.release()
	p.Limits.observe(m.who, e)
	if sent := a.end(e); !sent && e != nil && e.Kind.Transient() {
		r.unsent++
	}
	if e != nil && !e.Committed && e.Kind != KindTruncated {
		resp = nil
	}
	return resp, e
}

// verdict is how an attempt ended. Deadlines, cancellations and timers are asked before any error, also when there is none.
func verdict(ctx context.Context, a *Attempt, err error) *Error {
	if e := a.DoneError(ctx); e != nil {
		return e
	}
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		mine := *e
		return &mine
	}
	return &Error{Kind: KindOf(err)}
}

// note keeps what is reported at the end.
func (r *call) note(m *member, e *Error) {
	r.fill(e)
	if e.Kind != KindBudget || r.lastErr == nil {
		r.lastErr = e
	}
	if e.RetryAfter > 0 {
		if r.hints == nil {
			r.hints = map[*member]hint{}
		}
		r.hints[m] = hint{e.RetryAfter, e.HintSource}
	}
	one := CandidateError{Candidate: m.who.Candidate, Kind: e.Kind, Status: e.Status}
	for i := range r.outcomes {
		if r.outcomes[i].Candidate == one.Candidate {
			r.outcomes[i] = one
			return
		}
	}
	r.outcomes = append(r.outcomes, one)
}

func (r *call) fill(e *Error) *Error {
	if r.last != nil {
		e.Candidate, e.Provider = firstOf(e.Candidate, r.last.who.Candidate), firstOf(e.Provider, r.last.who.Provider)
		e.Model = firstOf(e.Model, r.last.who.Model)
	}
	e.Attempts = r.sends
	return e
}

// report is the last informative failure, with what became of every candidate.
func (r *call) report() *Error {
	e := r.lastErr
	if e == nil {
		e = &Error{Kind: KindBudget, Code: "attempt_limit_exceeded", Terminal: true}
	}
	e.Attempts = r.sends
	if len(r.chain.members) > 1 {
		e.Candidates = r.outcomes
	}
	return r.fill(e)
}

// hint is how long a server asked to be left alone.
type hint struct {
	wait   time.Duration
	source string
}

// largestHint is that of the candidates which are asked again.
func (r *call) largestHint() hint {
	var h hint
	for m, one := range r.hints {
		if !r.gone[m] && one.wait > h.wait {
			h = one
		}
	}
	return h
}

// pause waits before the next round; the error ends the call.
func (r *call) pause(ctx context.Context, round int) *Error {
	h := r.largestHint()
	d, source := r.chain.policy.wait(round, h.wait, h.source)
	if probe, kind := r.chain.policy.Limits.probe(r.live()); probe > d || probe > 0 && r.lastErr == nil {
		d, source = probe, SourceBackoff
		if r.lastErr == nil {
			r.lastErr = &Error{Kind: kind}
		}
	}
	if d >= r.scope.remaining() {
		e := r.report()
		e.Terminal = true
		return e
	}
	Emit(ctx, RetryWait{Call: r.id, Round: round, MS: d.Milliseconds(), Source: source, Kind: r.lastErr.Kind, N: r.sends + r.unsent + 1, Of: r.chain.policy.Attempts})
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return r.fill(doneError(ctx))
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
