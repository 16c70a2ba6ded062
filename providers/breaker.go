package providers

import "time"

// breaker keeps calls away from a candidate that failed too often in a row, until one probe gets through.
type breaker struct {
	provider string
	failures int
	until    time.Time // zero = closed
	kind     Kind      // that opened it
	probing  bool
}

func (b *breaker) open(now time.Time) bool { return now.Before(b.until) || b.probing }

// breaker is the one of a candidate, nil where its provider has none. l.mu is held.
func (l *Limits) breaker(who Identity) (*breaker, LimitOptions) {
	g := l.gates[who.Provider]
	if g == nil {
		return nil, LimitOptions{}
	}
	g.mu.Lock()
	o := g.options
	g.mu.Unlock()
	if o.BreakerFailures <= 0 {
		return nil, o
	}
	b := l.breakers[who.Candidate]
	if b == nil {
		b = &breaker{provider: who.Provider}
		l.breakers[who.Candidate] = b
	}
	return b, o
}

// admit tells whether the candidate may be tried. After the open time exactly one caller is let through as the probe;
// observe says how it went.
func (l *Limits) admit(who Identity) bool {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b, _ := l.breaker(who)
	switch {
	case b == nil || b.until.IsZero():
		return true
	case b.open(time.Now()):
		return false
	}
	b.probing = true
	return true
}

// observe counts the end of an attempt. Cancellations, our own limits and kinds that say nothing about the provider's
// health leave the count as it is.
func (l *Limits) observe(who Identity, e *Error) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b, o := l.breaker(who)
	if b == nil {
		return
	}
	b.probing = false
	switch {
	case e == nil:
		b.failures, b.until = 0, time.Time{}
	case e.Kind.Transient() && e.Code != codeLimited:
		b.failures++
		if b.failures >= o.BreakerFailures {
			b.until, b.kind = time.Now().Add(o.BreakerOpenFor), e.Kind
		}
	}
}

// probe is how long until the first of the candidates may be probed, if all of them are open, and the kind that opened it.
func (l *Limits) probe(live []*member) (time.Duration, Kind) {
	if l == nil {
		return 0, ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	var first time.Duration
	var kind Kind
	for _, m := range live {
		b, _ := l.breaker(m.who)
		if b == nil || !b.open(now) {
			return 0, ""
		}
		if wait := max(time.Millisecond, b.until.Sub(now)); first == 0 || wait < first {
			first, kind = wait, b.kind
		}
	}
	return first, kind
}
