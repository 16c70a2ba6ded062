package ci

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

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

// turns are the order in which the cases of one recording run: each waits for the one before.
func (r *session) turns() map[*unit]turn {
	out := map[*unit]turn{}
	if r.o.Mode != Record {
		return out
	}
	last := map[string]chan struct{}{}
	for _, j := range r.order() {
		for _, u := range r.plan.units[j] {
			tapes := tapesOf(u.c)
			if len(tapes) == 0 {
				continue
			}
			mine := turn{over: make(chan struct{})}
			for _, path := range tapes {
				if earlier := last[path]; earlier != nil {
					mine.before = append(mine.before, earlier)
				}
				last[path] = mine.over
			}
			out[u] = mine
		}
	}
	return out
}

type turn struct {
	before []chan struct{} // closed when the cases are over that come first
	over   chan struct{}
}

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
		if t := turns[u]; len(t.before) > 0 {
			wg.Go(func() {
				for _, over := range t.before {
					<-over
				}
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
