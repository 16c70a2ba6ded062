package ci

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// Why a case was not run.
const (
	reasonInterrupted = "interrupted"
	reasonFailFast    = "a case failed before it (--fail-fast)"
)

// Run runs jobs of the current graph of a source, which is leased for as long. The report is complete whatever happened, and
// nil only with an error: a *diag.ListError when something that the chosen cases need is wrong, which is found before
// anything runs, or what the system says about the temporary folder.
func Run(ctx context.Context, source runner.Source, o *Options) (*Report, error) {
	g, release, err := source.Acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	r := &session{g: g, o: o.settle(), books: newShelf()}
	r.began = r.o.Now()
	r.plan = newPlan(g, r.o)
	if ds := r.prepare(ctx); ds.HasErrors() {
		return nil, &diag.ListError{List: ds.Sort()}
	}
	if r.temp, err = os.MkdirTemp(r.o.Temp, "swarmrun-ci-"); err != nil {
		return nil, fmt.Errorf("folder of the cases: %w", err)
	}
	defer sandbox.RemoveAll(r.temp)
	if r.o.Planned != nil {
		var cases []*Case
		for _, j := range r.plan.jobs {
			cases = append(cases, j.Cases...)
		}
		r.o.Planned(cases)
	}
	r.say(r.start())
	r.work(ctx)
	out := r.report(ctx)
	r.say(out.stop(r.o.Now()))
	return out, nil
}

// Check counts the cases that Run would run, and finds what would keep them from it, and keys in cassettes: a *diag.ListError.
// Nothing runs.
func Check(ctx context.Context, source runner.Source, o *Options) (cases int, err error) {
	g, release, err := source.Acquire()
	if err != nil {
		return 0, err
	}
	defer release()
	r := &session{g: g, o: o.settle(), books: newShelf(), thorough: true}
	r.plan = newPlan(g, r.o)
	if ds := r.prepare(ctx); ds.HasErrors() {
		return 0, &diag.ListError{List: ds.Sort()}
	}
	return r.plan.count, nil
}

// session is one run of jobs.
type session struct {
	g     *agents.Graph
	o     *Options
	plan  *plan
	books *shelf
	temp  string
	began time.Time

	thorough bool // cassettes are searched for keys

	mu      sync.Mutex // of what follows, and of Told
	done    int
	stopped bool // --fail-fast
	passed  map[string]bool
	sink    sync.Mutex
}

func (r *session) unit(ctx context.Context, u *unit, turns map[*unit]turn) {
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		r.skip(u, reasonInterrupted, turns)
	case u.c.Skip != "":
		r.skip(u, u.c.Skip, turns)
	case stopped:
		r.skip(u, reasonFailFast, turns)
	default:
		r.repeat(ctx, u)
		r.end(u, turns)
	}
}

func (r *session) skip(u *unit, why string, turns map[*unit]turn) {
	u.result.Outcome, u.result.Reason = Skipped, why
	r.end(u, turns)
}

// end tells of a case that has its outcome.
func (r *session) end(u *unit, turns map[*unit]turn) {
	if t := turns[u]; t.over != nil {
		close(t.over)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.o.FailFast && (u.result.Outcome == Failed || u.result.Outcome == Errored) {
		r.stopped = true
	}
	r.say(caseStop(u, r.o.Now()))
	if r.o.Told != nil {
		r.o.Told(Progress{Case: u.result, Done: r.done, Of: r.plan.count, Left: r.left()})
	}
}

// begin tells of an attempt.
func (r *session) begin(u *unit, n int) {
	r.say(&event.CaseStart{Header: u.head(r.o.Now()), Matrix: u.matrix(), Attempt: n})
	if r.o.Told == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.Told(Progress{Case: u.result, Begun: n == 1, Attempt: n, Done: r.done, Of: r.plan.count, Left: r.left()})
}

// left is how long the rest takes at the pace so far.
func (r *session) left() time.Duration {
	if r.done == 0 {
		return 0
	}
	return r.o.Now().Sub(r.began) / time.Duration(r.done) * time.Duration(r.plan.count-r.done)
}
