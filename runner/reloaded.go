package runner

import (
	"context"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// reloadHooks is how long hooks of a new generation may take in all; the next save waits for them.
const reloadHooks = 10 * time.Second

// Reloaded tells of a save: an event for the runner's sink, then, of a new generation, the workspace's hooks. It is made for
// loader's Live.Watch. A hook can stop nothing here, and one that fails is told and forgotten.
func (r *Runner) Reloaded(c agents.Change) {
	s := newStream(r.o.Now, r.o.Sink)
	v := &voice{stream: s, head: event.Header{Generation: c.Generation}}
	switch {
	case c.Rejected:
		v.say(&event.GraphRejected{Diagnostics: c.Diagnostics})
	case c.Published:
		v.say(&event.GraphReloaded{
			Added: listed(c.Added), Changed: listed(c.Changed), Removed: listed(c.Removed), Kept: c.Kept,
			Diagnostics: warnings(c.Diagnostics), DurationMS: c.Duration.Milliseconds(),
		})
		r.reloadHooks(c, v)
	}
}

func listed(ds []agents.Definition) []agents.Definition {
	if ds == nil {
		return []agents.Definition{}
	}
	return ds
}

func warnings(ds diag.List) diag.List {
	out := diag.List{}
	for _, d := range ds {
		if d.Severity == diag.Warning {
			out.Add(d)
		}
	}
	return out
}

// reloadHooks fires graph_reloaded on the generation that is served.
func (r *Runner) reloadHooks(c agents.Change, v *voice) {
	g, release, err := r.source.Acquire()
	if err != nil || !g.Hooks().Has(hook.GraphReloaded) {
		if err == nil {
			release()
		}
		return
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), reloadHooks)
	defer cancel()
	roots := tools.Roots{Workspace: g.Root(), Dir: g.Root()}
	in := &hook.Input{
		Event: hook.GraphReloaded, Name: g.Name(), Roots: roots, Generation: c.Generation,
		Access: func() sandbox.Access { return (&tools.Rules{}).Access(roots) },
		Added:  namesOf(c.Added), Changed: namesOf(c.Changed), Removed: namesOf(c.Removed),
	}
	r.fireApart(ctx, g.Hooks(), in, v, providers.NewRedactor(g.Secrets()...))
}

func namesOf(ds []agents.Definition) []string {
	out := make([]string, len(ds))
	for i, d := range ds {
		out[i] = d.Kind + ":" + d.Name
	}
	return out
}
