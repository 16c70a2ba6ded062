package main

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner/ci"
)

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
		o.Filter = regexp.MustCompile("^" + regexp.QuoteMeta(d.job) + `( \[|$)`)
	}
	r, view, err := a.runJobs(ctx, g, o)
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
