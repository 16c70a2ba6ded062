package main

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/watch"
	"github.com/swarmrun/swarmrun/runner/ci"
)

// checkCase says what could have been meant when there is no such job, or no such case of it. A broken file may have any.
func (w *workspace) checkCase(id string) error {
	name, _, one := strings.Cut(id, "/")
	if err := w.checkJobs([]string{name}); err != nil || !one {
		return err
	}
	jobs := w.graph.Jobs()
	i := slices.IndexFunc(jobs, func(j *agents.Job) bool { return j.Name == name })
	if i < 0 {
		return nil
	}
	known := make([]string, len(jobs[i].Cases))
	for k, c := range jobs[i].Cases {
		known[k] = ci.CaseID(jobs[i], c)
	}
	if slices.ContainsFunc(known, caseFilter(id).MatchString) {
		return nil
	}
	return usagef("no case %q", id).near(id, known, "cases here")
}

// caseFilter fits a case, whatever its matrix.
func caseFilter(id string) *regexp.Regexp {
	return regexp.MustCompile("^" + regexp.QuoteMeta(id) + `( \[|$)`)
}

// runJob runs the job of --case, or the cases of it that are meant, on the generation that is served now. Its error is that
// of stdout, or of ctx.
func (d *dev) runJob(ctx context.Context) error {
	a := d.app
	g, release, err := d.w.live.Acquire()
	if err != nil {
		return err
	}
	defer release()
	name, _, one := strings.Cut(d.job, "/")
	o := &ci.Options{Jobs: []string{name}, Concurrency: runtime.GOMAXPROCS(0)}
	a.lend(d.w, o)
	if one {
		o.Filter = caseFilter(d.job)
	}
	view := a.newCIView()
	var r *ci.Report
	err = beside(ctx, d, view.screen, func() (err error) {
		r, err = view.run(ctx, g, o)
		return err
	})
	if list, ok := errors.AsType[*diag.ListError](err); ok {
		a.diagnostics(list.List)
		return nil // the next save may mend it
	}
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err = a.finishCI(r, view)
	if _, failed := errors.AsType[told](err); failed {
		return nil // told, and the next save may mend it
	}
	return err
}

// follow watches the fixtures of the job of --case as it is now, which no generation is made of. It takes the place of an
// earlier watch.
func (d *dev) follow(ctx context.Context) {
	if d.unfollow != nil {
		d.unfollow()
	}
	d.unfollow = func() {}
	g, release, err := d.w.live.Acquire()
	if err != nil || d.job == "" {
		return
	}
	defer release()
	var places watch.Places
	name, _, _ := strings.Cut(d.job, "/")
	for _, j := range g.Jobs() {
		for _, c := range j.Cases {
			if j.Name == name && c.Setup.Files != "" && !slices.Contains(places.Trees, c.Setup.Files) {
				places.Trees = append(places.Trees, c.Setup.Files)
			}
		}
	}
	if len(places.Trees) == 0 {
		return
	}
	var mode watch.Mode
	if d.poll {
		mode = watch.Poll
	}
	w := watch.New(&watch.Options{Mode: mode})
	w.Follow(places)
	ctx, cancel := context.WithCancel(ctx)
	over, fixtures := make(chan struct{}), make(chan struct{})
	d.fixtures, d.unfollow = fixtures, func() { cancel(); <-over }
	go func() {
		defer close(over)
		defer w.Close()
		_ = w.Run(ctx, func(watch.Change) { // it ends with ctx
			select {
			case fixtures <- struct{}{}:
			case <-ctx.Done():
			}
		})
	}()
}
