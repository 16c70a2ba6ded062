package loader

import (
	"context"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/watch"
)

// again is how long after a save that could not be published the files are looked at once more, before it is told: some
// programs leave a file half-written for longer than the watcher waits.
const again = 300 * time.Millisecond

// WatchOptions are how Watch notices changes; nil means events where the system gives them.
type WatchOptions struct {
	Poll bool              // look for changes each second instead
	Note func(text string) // hears once that changes are looked for since the system gives no events; nil = nobody
}

// Watch reloads the workspace whenever its files change, until ctx ends, whose error it returns. told hears of every change
// of what is read: a new generation, or why there is none. It runs in Watch's goroutine. Of a save that changes nothing it
// hears nothing.
func (l *Live) Watch(ctx context.Context, told func(agents.Change), o *WatchOptions) error {
	return l.watch(ctx, told, o, func() {})
}

// watch is Watch; ready is called when whatever changes from then on will be told.
func (l *Live) watch(ctx context.Context, told func(agents.Change), o *WatchOptions, ready func()) error {
	var settings watch.Options
	if o != nil {
		if o.Note != nil {
			settings.Told = func(n watch.Notice) { o.Note(n.String()) }
		}
		if o.Poll {
			settings.Mode = watch.Poll
		}
	}
	w := watch.New(&settings)
	defer w.Close()
	followed := l.tried()
	w.Follow(followed.places())
	step := func(what watch.Change) {
		changed := what.Paths
		if what.All {
			changed = nil
		}
		c, quiet := l.settleChange(ctx, changed)
		now := l.tried()
		if !now.samePlaces(followed) {
			w.Follow(now.places())
		}
		followed = now // what came of the loads before is let go
		if !quiet && told != nil {
			told(c)
		}
	}
	step(watch.Change{All: true}) // what changed since the last load, before anything was watched
	ready()
	return w.Run(ctx, step)
}

// settleChange reloads after a change of these files, or of any (nil), and of any once more where the first try did not come
// to a new generation. quiet: there is nothing to tell.
func (l *Live) settleChange(ctx context.Context, changed []string) (c agents.Change, quiet bool) {
	before := l.tried()
	c, err := l.reload(ctx, changed)
	if ctx.Err() == nil && (err != nil || c.Rejected) {
		wait := time.NewTimer(again)
		defer wait.Stop()
		select {
		case <-ctx.Done():
			return c, true
		case <-wait.C:
		}
		c, err = l.Reload(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return c, true
		}
		l.lost = true
		return l.gone(err), false
	}
	back := l.lost
	l.lost = false
	return c, !back && !c.Published && before != nil && before.equal(l.tried())
}

// gone is the change of a workspace that cannot be read at all.
func (l *Live) gone(err error) agents.Change {
	c := agents.Change{Rejected: true}
	if served := l.current.Load(); served != nil {
		c.Generation = served.graph.Generation()
	}
	c.Diagnostics.Add(diag.New("E-FILE-READ", diag.At(SettingsFile, 1, 1, 0), "%s", err).Suggest("put the folder back, or end this"), stale(c.Generation, nil))
	return c
}

// tried are the sources of the last load.
func (l *Live) tried() *sources {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Unwatched says why the system would give no events of changes to the workspace, and the command that helps, if one does;
// "" = it gives them.
func (r *Report) Unwatched() (why, way string) {
	w := watch.New(&watch.Options{Told: func(n watch.Notice) { why, way = n.Why, n.Way }})
	defer w.Close()
	w.Follow(r.world.sources.places())
	return why, way
}
