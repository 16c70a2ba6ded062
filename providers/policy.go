package providers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// DefaultIdleTimeout is the longest gap between data events of a committed stream.
const DefaultIdleTimeout = 60 * time.Second

// Policy is how a chain repeats, waits and advances. Begin with DefaultPolicy: the zero value is invalid.
type Policy struct {
	Attempts       int           // counted sends per call, over all candidates; 1–20
	Deadline       time.Duration // of a call of a run's target
	ChildDeadline  time.Duration // of a call of a delegated agent (Caller.Depth > 0)
	AnswerDeadline time.Duration // of a stream that has committed, from the opening of the scope
	AttemptTimeout time.Duration // send to commit, or to the complete unary answer; 0 = a share of what remains
	IdleTimeout    time.Duration // between data events after commit
	StrictIdle     bool          // comments do not count as data
	Fixed          bool          // wait Base every time instead of doubling
	Base           time.Duration
	MaxWait        time.Duration  // caps our own backoff, never a server's hint
	Jitter         time.Duration  // upper end of the uniform addition to a wait
	FallbackOn     []Kind         // more kinds that advance: content_filter
	Limits         *Limits        // of the process; nil = none
	Rand           func() float64 // uniform in [0, 1); nil = math/rand
}

// DefaultPolicy is what holds where nothing is configured.
func DefaultPolicy() Policy {
	return Policy{
		Attempts: DefaultAttempts, Deadline: DefaultDeadline, ChildDeadline: DefaultChildDeadline, AnswerDeadline: DefaultAnswerDeadline,
		IdleTimeout: DefaultIdleTimeout, Base: time.Second, MaxWait: 60 * time.Second, Jitter: time.Second,
	}
}

// SwarmSDKv2Policy is `preset: swarmsdk-v2`: ten sends and nine pauses of exactly ten seconds.
func SwarmSDKv2Policy() Policy {
	p := DefaultPolicy()
	p.Attempts, p.Fixed, p.Base, p.Jitter = 10, true, 10*time.Second, 0
	p.Deadline, p.ChildDeadline = 600*time.Second, 600*time.Second
	return p
}

// Validate names the first value that is out of range. Deadlines have no upper end here: the configuration has.
func (p *Policy) Validate() error {
	switch {
	case p.Attempts < 1 || p.Attempts > 20:
		return fmt.Errorf("attempts: %d is not in 1–20", p.Attempts)
	case p.Deadline <= 0, p.ChildDeadline <= 0, p.IdleTimeout <= 0:
		return fmt.Errorf("deadline, child_deadline and idle_timeout must be above 0")
	case p.AnswerDeadline < p.Deadline:
		return fmt.Errorf("answer_deadline: %v is below deadline %v", p.AnswerDeadline, p.Deadline)
	case p.AttemptTimeout < 0, p.Base < 0, p.Jitter < 0:
		return fmt.Errorf("attempt_timeout, base and jitter must not be negative")
	case p.MaxWait < p.Base:
		return fmt.Errorf("max_wait: %v is below base %v", p.MaxWait, p.Base)
	}
	for _, k := range p.FallbackOn {
		if k != KindContentFilter {
			return fmt.Errorf("fallback_on: %s cannot advance", k)
		}
	}
	return nil
}

func (p *Policy) advances(k Kind) bool { return k.Advances() || slices.Contains(p.FallbackOn, k) }

// backoff is our own wait after so many rounds, without jitter.
func (p *Policy) backoff(rounds int) time.Duration {
	d := p.Base
	for i := 1; i < rounds && !p.Fixed && d < p.MaxWait; i++ {
		d *= 2
	}
	return min(d, p.MaxWait)
}

// wait is the pause after so many rounds, given the largest hint, and what named its length.
func (p *Policy) wait(rounds int, hint time.Duration, source string) (time.Duration, string) {
	d := p.backoff(rounds)
	if hint > d {
		d = hint
	} else {
		source = SourceBackoff
	}
	if p.Jitter > 0 {
		u := p.Rand
		if u == nil {
			u = rand.Float64
		}
		d += time.Duration(u() * float64(p.Jitter))
	}
	return d, source
}

// attemptTimeout is the attempt's own limit when so many candidates are live; 0 when the deadline comes first anyway.
func (p *Policy) attemptTimeout(remaining time.Duration, live int) time.Duration {
	d := p.AttemptTimeout
	if d == 0 {
		if live <= 1 {
			return 0
		}
		d = max(15*time.Second, remaining/time.Duration(live))
	}
	if d >= remaining {
		return 0
	}
	return d
}

// What named the length of a wait.
const (
	SourceBackoff        = "backoff"
	SourceRetryAfter     = "retry_after"
	SourceRateLimitReset = "ratelimit_reset"
)
