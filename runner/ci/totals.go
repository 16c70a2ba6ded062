package ci

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
)

// settleJob sums a job up.
func (r *session) settleJob(j *Job) {
	for _, c := range j.Cases {
		j.Totals.add(c)
	}
	j.Outcome = j.Totals.outcome()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed[j.Name] = j.Reason == "" && j.Totals.Failed+j.Totals.Errors == 0
}

func (t *Totals) add(c *Case) {
	t.Cases++
	switch c.Outcome {
	case Passed:
		t.Passed++
	case Failed:
		t.Failed++
	case Errored:
		t.Errors++
	case Flaky:
		t.Flaky++
	default:
		t.Skipped++
	}
	t.Usage = t.Usage.Add(c.Usage)
}

func (t *Totals) outcome() Outcome {
	switch {
	case t.Errors > 0:
		return Errored
	case t.Failed > 0:
		return Failed
	case t.Skipped > 0:
		return Skipped
	case t.Flaky > 0:
		return Flaky
	}
	return Passed
}

// report puts everything together.
func (r *session) report(ctx context.Context) *Report {
	out := &Report{
		Version: ReportVersion, Program: r.o.Program, Workspace: r.g.Name(), Started: event.Time{Time: r.began},
		DurationMS: r.o.Now().Sub(r.began).Milliseconds(), Concurrency: r.o.Concurrency, Jobs: r.plan.jobs,
		Interrupted: ctx.Err() != nil,
	}
	if s := r.o.Shard; s.Of > 1 {
		out.Shard = fmt.Sprintf("%d/%d", s.Index, s.Of)
	}
	if out.Jobs == nil {
		out.Jobs = []*Job{}
	}
	for _, j := range out.Jobs {
		for _, c := range j.Cases {
			out.Totals.add(c)
		}
	}
	out.Kind = out.failure()
	out.Message = out.inWords()
	out.OK = out.Kind == ""
	out.ExitCode = event.ExitCode(out.Kind)
	if out.Kind == event.KindCancelled && errors.Is(context.Cause(ctx), runner.ErrTerminated) {
		out.ExitCode = event.ExitTerminated
	}
	return out
}

// failure is the kind of the whole: an interruption, no case at all, wrong definitions, a case that failed; a limit only
// where nothing else went wrong.
func (r *Report) failure() string {
	switch {
	case r.Interrupted:
		return event.KindCancelled
	case r.Totals.Cases == 0:
		return event.KindNoCases
	case r.Totals.Failed+r.Totals.Errors == 0:
		return ""
	}
	limit := ""
	for _, j := range r.Jobs {
		for _, c := range j.Cases {
			if c.Outcome != Failed && c.Outcome != Errored {
				continue
			}
			switch kind := c.kind(); {
			case kind == event.KindDefinitions:
				return kind
			case event.ExitCode(kind) == event.ExitCode(event.KindTurnLimit):
				limit = kind
			default:
				return event.KindAssertion
			}
		}
	}
	return limit
}

// inWords says what failure means.
func (r *Report) inWords() string {
	switch r.Kind {
	case "":
		return ""
	case event.KindCancelled:
		return "the jobs were interrupted"
	case event.KindNoCases:
		return "no case was chosen"
	}
	return fmt.Sprintf("%d of %d cases did not pass", r.Totals.Failed+r.Totals.Errors, r.Totals.Cases)
}

// kind is that of the last attempt that did not pass.
func (c *Case) kind() string {
	for i := len(c.Attempts) - 1; i >= 0; i-- {
		if k := c.Attempts[i].Kind; k != "" {
			return k
		}
	}
	return event.KindAssertion
}
