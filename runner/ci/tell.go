package ci

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/swarmrun/swarmrun/runner/event"
)

// say tells an event to whoever listens, one at a time.
func (r *session) say(e event.Event) {
	if r.o.Sink == nil {
		return
	}
	r.sink.Lock()
	defer r.sink.Unlock()
	r.o.Sink(e)
}

func (r *session) start() event.Event {
	e := &event.CIStart{Header: event.Header{Time: r.began, Generation: r.g.Generation()}, Jobs: []string{}, Cases: r.plan.count, Concurrency: r.o.Concurrency}
	for _, j := range r.plan.jobs {
		e.Jobs = append(e.Jobs, j.Name)
	}
	return e
}

func (r *Report) stop(now time.Time) event.Event {
	t := r.Totals
	return &event.CIStop{
		Header: event.Header{Time: now}, Cases: t.Cases, Passed: t.Passed, Failed: t.Failed, Errors: t.Errors, Flaky: t.Flaky, Skipped: t.Skipped,
		Usage: t.Usage, DurationMS: r.DurationMS,
	}
}

func (u *unit) head(now time.Time) event.Header {
	return event.Header{Time: now, Agent: u.result.Target, Job: u.job.Name, Case: u.result.Name}
}

func (u *unit) matrix() map[string]json.RawMessage {
	if len(u.result.Matrix) == 0 {
		return nil
	}
	out := map[string]json.RawMessage{}
	for _, a := range u.result.Matrix {
		out[a.Name] = a.Value
	}
	return out
}

func caseStop(u *unit, now time.Time) event.Event {
	c := u.result
	e := &event.CaseStop{
		Header: u.head(now), Matrix: u.matrix(), Outcome: string(c.Outcome), Reason: c.Reason, Failures: []event.CaseFailure{}, Usage: c.Usage, DurationMS: c.DurationMS,
	}
	if n := len(c.Attempts); n > 0 {
		last := c.Attempts[n-1]
		e.Cassette = last.Cassette
		for _, k := range last.Checks {
			if !k.OK {
				e.Failures = append(e.Failures, event.CaseFailure{Assertion: k.Name, Expected: k.Expected, Got: k.Got, At: fmt.Sprintf("%s:%d:%d", k.File, k.Line, k.Column)})
			}
		}
	}
	return e
}
