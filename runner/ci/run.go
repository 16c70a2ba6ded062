package ci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
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
	defer removeAll(r.temp)
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

// work runs the jobs in their order, each when those that it needs are over. Of a tape that records, the cases take their
// turns.
func (r *session) work(ctx context.Context) {
	slots := make(chan struct{}, r.o.Concurrency)
	turns := r.turns()
	r.passed = map[string]bool{}
	waiting := map[string]bool{} // jobs that are not over
	for _, j := range r.plan.jobs {
		waiting[j.Name] = true
	}
	ended := make(chan string, len(r.plan.jobs))
	for pending := slices.Clone(r.plan.jobs); len(pending) > 0; {
		next := slices.IndexFunc(pending, func(j *Job) bool {
			return !slices.ContainsFunc(r.plan.needs[j.Name], func(n string) bool { return waiting[n] })
		})
		if next < 0 {
			delete(waiting, <-ended)
			continue
		}
		j := pending[next]
		pending = slices.Delete(pending, next, next+1)
		over := r.job(ctx, j, slots, turns)
		go func() {
			over()
			ended <- j.Name
		}()
	}
	for len(waiting) > 0 {
		delete(waiting, <-ended)
	}
}

// turns are the order in which the cases of one recording run: each waits for the one before. nil = it waits for nobody.
func (r *session) turns() map[*unit]turn {
	out := map[*unit]turn{}
	if r.o.Mode != Record {
		return out
	}
	last := map[string]chan struct{}{}
	for _, j := range r.order() {
		for _, u := range r.plan.units[j] {
			if u.c.Tape == "" {
				continue
			}
			mine := turn{before: last[u.c.Tape], over: make(chan struct{})}
			last[u.c.Tape], out[u] = mine.over, mine
		}
	}
	return out
}

type turn struct{ before, over chan struct{} }

// order is the jobs with every job behind all that it needs.
func (r *session) order() []*Job {
	var out []*Job
	seen := map[string]bool{}
	byName := map[string]*Job{}
	for _, j := range r.plan.jobs {
		byName[j.Name] = j
	}
	var visit func(j *Job)
	visit = func(j *Job) {
		if j == nil || seen[j.Name] {
			return
		}
		seen[j.Name] = true
		for _, n := range r.plan.needs[j.Name] {
			visit(byName[n])
		}
		out = append(out, j)
	}
	for _, j := range r.plan.jobs {
		visit(j)
	}
	return out
}

// job begins the cases of a job, each when there is a slot for it, and returns when the last has begun; over waits for their
// end. A case whose turn comes later waits beside the others, so that it holds up nobody.
func (r *session) job(ctx context.Context, j *Job, slots chan struct{}, turns map[*unit]turn) (over func()) {
	if why := r.unmet(j); why != "" {
		j.Reason = why
		for _, u := range r.plan.units[j] {
			r.skip(u, why, turns)
		}
	}
	began := r.o.Now()
	var wg sync.WaitGroup
	for _, u := range r.plan.units[j] {
		if u.result.Outcome != "" {
			continue
		}
		if t := turns[u]; t.before != nil {
			wg.Go(func() {
				<-t.before
				if r.slot(ctx, slots) {
					defer func() { <-slots }()
				}
				r.unit(ctx, u, turns)
			})
			continue
		}
		held := r.slot(ctx, slots)
		wg.Go(func() {
			if held {
				defer func() { <-slots }()
			}
			r.unit(ctx, u, turns)
		})
	}
	return func() {
		wg.Wait()
		if j.Reason == "" {
			j.DurationMS = r.o.Now().Sub(began).Milliseconds()
		}
		r.settleJob(j)
	}
}

// slot waits for a place among the cases that run; false when the run was interrupted before there was one.
func (r *session) slot(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// unmet says which job that this one needs did not pass; "" = all did, or are not part of this run.
func (r *session) unmet(j *Job) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.plan.needs[j.Name] {
		if ok, known := r.passed[n]; known && !ok {
			return fmt.Sprintf("the job %q, which it needs, did not pass", n)
		}
	}
	return ""
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

// kind is that of the last attempt that did not pass.
func (c *Case) kind() string {
	for i := len(c.Attempts) - 1; i >= 0; i-- {
		if k := c.Attempts[i].Kind; k != "" {
			return k
		}
	}
	return event.KindAssertion
}
