package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/tools"
)

// Chain fires entries in order. Context, notices, allow, ask and new input are collected and the chain goes on; the first
// decision of another kind ends it. Entries of a Claude location that follow each other run side by side, and there the
// strongest decision counts.
type Chain []Entry

// Has tells whether anybody listens to an event, so that for nobody nothing needs to be put together.
func (c Chain) Has(ev Event) bool {
	return slices.ContainsFunc(c, func(e Entry) bool {
		return slices.ContainsFunc(e.On, func(name string) bool { return hears(name, ev) })
	})
}

// Aside tells whether a hook runs on beside the run.
func (c Chain) Aside() bool {
	return slices.ContainsFunc(c, func(e Entry) bool { return e.Async })
}

// Prepare begins in the background what hooks would wait for. It returns at once.
func (c Chain) Prepare() {
	for _, e := range c {
		if p, ok := e.Hook.(tools.Preparer); ok {
			p.Prepare()
		}
	}
}

// Fire runs what matches; told is called after each hook, one at a time. A hook that changes the input of a call changes it
// for those behind it, and those before it and beside it see it again: all of them have seen what will run. Of those that run
// side by side the input of the last one counts. The error is that of a context that ended; no decision of a hook that was
// cut off is in the result.
func (c Chain) Fire(ctx context.Context, in *Input, host Host, told func(name string, r Result)) (Result, error) {
	f := &firing{in: *in, host: host, told: told}
	changer, err := f.pass(ctx, c, -1)
	if err != nil || changer < 0 || f.out.Decision.final() {
		return f.out, err
	}
	earlier := c[:changer+f.beside(c, changer)]
	for f.settled = changer; f.settled > 0 && c[changer].Lenient && c[f.settled-1].Lenient; f.settled-- {
	}
	f.again = true
	again, err := f.pass(ctx, earlier, changer)
	if err == nil && again >= 0 && !f.out.Decision.final() {
		f.out.Decision, f.out.Hook = Halt, earlier[again].Name
		f.out.Message = fmt.Sprintf("the hooks %s and %s each change the input of this call after the other", c[changer].Name, earlier[again].Name)
	}
	return f.out, err
}

// firing is one event on its way through a chain.
type firing struct {
	in   Input
	host Host
	told func(string, Result)
	out  Result

	again   bool // entries see an input that was changed after they had spoken
	settled int  // then: from this one on they have had their say about it
}

// pass runs the entries but one, and tells which of them changed the input last.
func (f *firing) pass(ctx context.Context, c Chain, but int) (changer int, err error) {
	changer = -1
	for i := 0; i < len(c); {
		n := f.beside(c, i)
		results, err := f.batch(ctx, c[i:i+n], but-i)
		if err != nil {
			return changer, err
		}
		best := -1
		for j := range results {
			if results[j] == nil {
				continue
			}
			if f.again && i+j >= f.settled {
				results[j].Input = nil
			}
			if f.collect(&c[i+j], results[j]) {
				changer = i + j
			}
			if best < 0 || results[j].Decision.weight() > results[best].Decision.weight() {
				best = j
			}
		}
		if best >= 0 {
			f.decide(&c[i+best], results[best])
		}
		if f.out.Decision.final() {
			return changer, nil
		}
		i += n
	}
	return changer, nil
}

// beside is how many entries from i on run side by side.
func (f *firing) beside(c Chain, i int) int {
	n := 1
	for c[i].Lenient && i+n < len(c) && c[i+n].Lenient {
		n++
	}
	return n
}

// batch runs entries side by side; nil = the entry does not listen.
func (f *firing) batch(ctx context.Context, c Chain, but int) ([]*Result, error) {
	results := make([]*Result, len(c))
	if len(c) == 1 {
		if but != 0 {
			results[0] = f.run(ctx, &c[0])
		}
	} else {
		var wg sync.WaitGroup
		for i := range c {
			if i != but {
				wg.Go(func() { results[i] = f.run(ctx, &c[i]) })
			}
		}
		wg.Wait()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, r := range results {
		if r != nil && f.told != nil {
			f.told(c[i].Name, *r)
		}
	}
	return results, nil
}

// run runs one entry and settles what a failure means.
func (f *firing) run(ctx context.Context, e *Entry) *Result {
	name, ok := e.listens(&f.in)
	if !ok {
		return nil
	}
	in := f.in
	in.as = name
	if a, ok := f.host.(Aside); ok && e.Async {
		entry, host := *e, f.host
		if in.Call != nil { // which goes on, and may be changed
			call := *in.Call
			in.Call = &call
		}
		a.Aside(in.Event, e.Name, func(ctx context.Context) Result { return entry.aside(ctx, &in, host) })
		return nil
	}
	return e.perform(ctx, &in, f.host)
}

// aside runs an entry that nobody waits for. What it objects to is a text like others, unless it may wake the agent.
func (e *Entry) aside(ctx context.Context, in *Input, host Host) Result {
	r := *e.perform(ctx, in, host)
	if r.Decision == Halt && !e.Rewake {
		r.Decision = Continue
		r.add(r.Message)
	}
	return r
}

// perform runs an entry that listens.
func (e *Entry) perform(ctx context.Context, in *Input, host Host) *Result {
	began := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, e.timeout(), errTimeUp)
	r, err := guarded(limited, e.Hook, in, host)
	cancel()
	r.Duration = time.Since(began)
	switch {
	case err != nil || e.Async:
	case e.Lenient && r.Decision == Halt && in.shown(): // its reason is for the person
		r.Notices = append(r.Notices, fmt.Sprintf("the hook %s: %s", e.Name, r.Message))
		r.Decision = Continue
	case !in.takes(r.Decision):
		r.Notices = append(r.Notices, fmt.Sprintf("the hook %s says %s, which has no effect on %s", e.Name, r.Decision, in.Event))
		r.Decision = Continue
	}
	if err == nil {
		return &r
	}
	r.Decision, r.Input, r.Context = Continue, nil, nil
	var failure *Failure
	switch {
	case errors.Is(err, errTimeUp) || errors.Is(context.Cause(limited), errTimeUp):
		r.Failed, r.Message = "timeout", fmt.Sprintf("the hook %s took longer than %s", e.Name, e.timeout())
	case errors.As(err, &failure):
		r.Failed, r.Message = failure.Reason, fmt.Sprintf("the hook %s failed: %s", e.Name, failure.Text)
	default:
		r.Failed, r.Message = "error", fmt.Sprintf("the hook %s failed: %v", e.Name, err)
	}
	if e.denies(in.Event) && in.Event.takes(Halt) {
		r.Decision = Halt
		r.Message += "; a hook that fails here denies (on_error: allow in its file changes that)"
	} else {
		r.Notices = append(r.Notices, r.Message)
	}
	return &r
}

var errTimeUp = errors.New("the time of the hook is over")

// guarded runs a hook; a panic is a failure.
func guarded(ctx context.Context, h Hook, in *Input, host Host) (r Result, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &Failure{"panic", fmt.Sprintf("it broke down: %v", fault)}
		}
	}()
	return h.Run(ctx, in, host)
}

// collect takes what does not end the chain, and tells whether the input was changed.
func (f *firing) collect(e *Entry, r *Result) (changed bool) {
	f.out.Context, f.out.Notices = f.heard(f.out.Context, r.Context), f.heard(f.out.Notices, r.Notices)
	if r.Output != nil {
		f.out.Output = r.Output
	}
	f.out.Env = append(f.out.Env, r.Env...)
	if len(r.Input) == 0 || r.Decision.final() || f.in.Call == nil {
		return false
	}
	if f.in.changed != "" && f.in.changed != e.Name && e.Lenient {
		f.out.Notices = append(f.out.Notices, fmt.Sprintf("the hooks %s and %s both change the input; that of %s counts", f.in.changed, e.Name, e.Name))
	}
	call := *f.in.Call
	call.Input = r.Input
	f.in.Call, f.in.changed, f.out.Input = &call, e.Name, r.Input
	return true
}

// heard adds texts. What an entry says a second time of the same call is not added.
func (f *firing) heard(texts, more []string) []string {
	for _, text := range more {
		if !f.again || !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// decide takes over a decision that is stronger than what was decided.
func (f *firing) decide(e *Entry, r *Result) {
	if r.Decision.weight() <= f.out.Decision.weight() {
		return
	}
	f.out.Decision, f.out.Message, f.out.Value, f.out.Hook, f.out.Lenient = r.Decision, r.Message, r.Value, e.Name, e.Lenient
	if f.out.Message == "" && (r.Decision == Halt || r.Decision == End) {
		f.out.Message = "blocked by the hook " + e.Name
	}
}
