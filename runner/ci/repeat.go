package ci

import (
	"context"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/runner/event"
)

// repeat runs a case as often as its job says, and settles its outcome.
func (r *session) repeat(ctx context.Context, u *unit) {
	began := r.o.Now()
	c := u.result
	rate := Rate{Wanted: u.c.PassRate, Planned: u.c.Repeat}
	passed, retried, number := 0, 0, 0
	for n := 1; n <= rate.Planned && ctx.Err() == nil; n++ {
		for try := 1; ; try++ {
			number++
			r.begin(u, number)
			a := r.attempt(ctx, u, n, try)
			c.Attempts = append(c.Attempts, *a)
			c.Turns += a.Turns
			c.Usage = c.Usage.Add(a.Usage)
			if a.Outcome == Passed {
				passed++
				if try > 1 {
					retried++
				}
				break
			}
			live := u.c.Tape == "" || r.o.Mode == Live // a recording says the same again
			if try > r.o.Retries || !live || ctx.Err() != nil {
				break
			}
		}
		if c.Attempts[len(c.Attempts)-1].Kind == event.KindCancelled {
			break // it says nothing
		}
		rate.judge(passed, n)
		if u.c.StopEarly && n < rate.Planned && rate.certain() {
			rate.Stopped = true
			break
		}
	}
	if c.Rate != nil {
		*c.Rate = rate
	}
	if len(c.Attempts) == 0 || ctx.Err() != nil && !rate.certain() {
		c.cutShort()
	} else {
		c.settle(&rate, retried)
	}
	c.DurationMS = r.o.Now().Sub(began).Milliseconds()
}

// cutShort gives a case its outcome that was interrupted before its repetitions said one.
func (c *Case) cutShort() {
	c.Outcome, c.Reason = Errored, reasonInterrupted
	if len(c.Attempts) == 0 {
		c.Outcome = Skipped
	}
}

// settle gives a case the outcome of its attempts.
func (c *Case) settle(rate *Rate, retried int) {
	last := c.Attempts[len(c.Attempts)-1]
	switch {
	case rate.Passed >= rate.needed() && retried > 0:
		c.Outcome, c.Reason = Flaky, fmt.Sprintf("passed only when it was tried again (%d of %d attempts passed)", rate.Passed, len(c.Attempts))
	case rate.Passed >= rate.needed():
		c.Outcome = Passed
	default:
		c.Outcome, c.Reason = last.Outcome, last.reason()
		if c.Outcome == Passed || rate.Planned > 1 {
			c.Outcome = Failed
			if rate.Passed == 0 && c.allErrored() {
				c.Outcome = Errored
			}
			c.Reason = fmt.Sprintf("%d of %d passed, %d are needed (95 %% interval of the rate: %.2f to %.2f)", rate.Passed, rate.Run, rate.needed(), rate.Low, rate.High)
		}
	}
}

func (c *Case) allErrored() bool {
	for _, a := range c.Attempts {
		if a.Outcome != Errored {
			return false
		}
	}
	return true
}

// reason is why an attempt did not pass, on one line.
func (a *Attempt) reason() string {
	if a.Message != "" {
		line, _, _ := strings.Cut(a.Message, "\n")
		return line
	}
	bad := 0
	first := ""
	for _, k := range a.Checks {
		if !k.OK {
			if bad++; first == "" {
				first = k.Name
			}
		}
	}
	switch bad {
	case 0:
		return ""
	case 1:
		return first + " failed"
	}
	return fmt.Sprintf("%s and %d more checks failed", first, bad-1)
}

// blame says what became of a run that failed.
func blame(res *event.Result) (Outcome, string) {
	switch res.ExitCode {
	case event.ExitCode("auth"), event.ExitCode("transport"), event.ExitCode(event.KindDefinitions), event.ExitCode(event.KindUsage), event.ExitCode(event.KindCancelled), event.ExitTerminated:
		return Errored, res.Kind
	}
	if res.Kind == event.KindIO || res.Kind == event.KindInternal || res.Kind == event.KindMCPRequired {
		return Errored, res.Kind
	}
	return Failed, res.Kind
}
