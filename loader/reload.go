package loader

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
)

// Reload loads the workspace again and publishes it as the next generation. Files whose content did not change are not
// parsed again. With an error that the served generation did not begin with, that one stays, and the diagnostics say so with
// W-STALE; where nothing that was read changed, it stays as well, without a word. The error is for a workspace that is gone
// or closed, and for the end of ctx.
func (l *Live) Reload(ctx context.Context) (agents.Change, error) { return l.reload(ctx, nil) }

// reload is Reload after a change of these files, and of no other; nil = of any.
func (l *Live) reload(ctx context.Context, changed []string) (agents.Change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	served := l.current.Load()
	if served == nil {
		return agents.Change{}, ErrClosed
	}
	began := time.Now()
	number := served.graph.Generation()
	got, err := inspect(ctx, l.dir, l.settled, l.last, changed)
	if err != nil {
		return agents.Change{}, err
	}
	if got.sources.equal(served.sources) {
		got.sources.share(served.sources)
		l.last = got.sources
		return agents.Change{Generation: number, Diagnostics: served.report.Diagnostics, Kept: len(served.report.Definitions)}, nil
	}
	l.last = got.sources
	c := compare(served, got)
	c.Generation, c.Diagnostics = number, slices.Clone(got.report.Diagnostics)
	if fresh := newErrors(served.report.Diagnostics, got.report.Diagnostics); len(fresh) > 0 || !got.report.Ready && !l.settled.partial {
		c.Rejected = true
		c.Diagnostics.Add(stale(number, fresh))
		return c, nil
	}
	if err := got.compile(l.settled, number+1); err != nil {
		return agents.Change{}, err
	}
	next := publish(got)
	if !l.current.CompareAndSwap(served, next) {
		return agents.Change{}, errors.Join(ErrClosed, next.leases.end())
	}
	l.settled.env.limit(got.report.Settings)
	c.Generation, c.Published, c.Duration = number+1, true, time.Since(began)
	return c, served.leases.end()
}

// stale says that the served generation stays, at the first error that keeps the save from being published.
func stale(generation int, fresh diag.List) diag.Diagnostic {
	at := diag.At(SettingsFile, 1, 1, 0)
	if len(fresh) > 0 {
		at = fresh[0].Range
	}
	return diag.New("W-STALE", at, "still on generation %d", generation).Suggest("mend the error and save again")
}

// newErrors are the errors of now that were not there before. One that only moved is an old one.
func newErrors(before, now diag.List) diag.List {
	type fault struct {
		code       diag.Code
		file, text string
	}
	of := func(d diag.Diagnostic) fault { return fault{d.Code, d.Range.File, d.Summary} }
	known := map[fault]int{}
	for _, d := range errorsOf(before) {
		known[of(d)]++
	}
	var fresh diag.List
	for _, d := range errorsOf(now) {
		if f := of(d); known[f] > 0 {
			known[f]--
			continue
		}
		fresh.Add(d)
	}
	return fresh
}
