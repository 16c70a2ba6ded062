package runner

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// Run is Do as a stream: every event in order, then, when the run failed, its error with a nil event. Leaving the loop
// cancels the run and waits for it.
func (r *Runner) Run(ctx context.Context, req Request, w *RunOptions) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		events := make(chan event.Event, 64)
		defer func() {
			cancel()
			for range events { // what the run still tells is nobody's; it ends when the run has
			}
		}()
		var opts RunOptions
		if w != nil {
			opts = *w
		}
		opts.also = func(e event.Event) { events <- e }
		var err error
		go func() {
			defer close(events)
			_, err = r.Do(ctx, req, &opts)
		}()
		for e := range events {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// Do runs a request to its end. The result is never nil; the error is a *RunError, nil exactly when the result is OK. The
// graph is leased and the session held for as long.
func (r *Runner) Do(ctx context.Context, req Request, w *RunOptions) (*Result, error) {
	run := &run{r: r, req: req, started: r.o.Now()}
	if w != nil {
		run.w = *w
	}
	if run.w.Steps == nil {
		run.w.Steps = direct{r}
	}
	if run.w.link == nil {
		run.w.link = r.newLink(run.w.Sink, run.w.also)
	}
	run.link = run.w.link
	return run.do(ctx)
}

// link is what a run shares with those above it in one process.
type link struct {
	stream  *stream
	meter   *meter // made for the run by the one above
	redact  *providers.Redactor
	exports *exports
	session *session.Handle
	model   providers.Model // the caller's, for agents that inherit it
}

// newLink is that of a run which has none above it.
func (r *Runner) newLink(sinks ...func(event.Event)) *link {
	return &link{
		stream: newStream(r.o.Now, append([]func(event.Event){r.o.Sink}, sinks...)...), meter: newMeter(nil), redact: providers.NewRedactor(), exports: &exports{},
	}
}

// below is what a run under this one shares with it.
func (r *run) below(model providers.Model) *link {
	return &link{stream: r.link.stream, meter: newMeter(r.link.meter), redact: r.link.redact, exports: r.link.exports, session: r.session, model: model}
}

// run is one request on its way.
type run struct {
	r       *Runner
	req     Request
	w       RunOptions
	link    *link
	started time.Time

	id      string
	graph   *agents.Graph
	target  *agents.Agent
	model   providers.Model
	session *session.Handle
	voice   *voice
	begun   bool // run_start was told
	agent   string
	turns   int

	working    *exchange // what is to be closed; nil = it did not come so far
	finishedBy string    // the hook that ended the run with its answer
}

func (r *run) do(ctx context.Context) (*Result, error) {
	release, f := r.lease()
	defer release()
	var output []byte
	if f == nil {
		output, f = r.work(ctx)
	}
	res := r.result(output, f)
	if err := r.close(res); err != nil && res.OK {
		f = storing(err)
		res = r.result(nil, f)
	}
	if r.begun {
		if r.working != nil {
			r.working.close(ctx, res)
		}
		r.voice.last(&event.RunStop{Result: res, LastAgent: r.agent})
	}
	if f == nil {
		return res, nil
	}
	return res, &RunError{Kind: f.kind, Message: res.Message, Agent: r.agent, Turn: r.turns, Err: f.cause}
}

// work holds the session, tells that the run begins and lets the target work.
func (r *run) work(ctx context.Context) ([]byte, *failure) {
	r.target.Hooks.Prepare()
	if f := r.open(); f != nil {
		return nil, f
	}
	r.voice = &voice{stream: r.link.stream, head: event.Header{
		Run: r.id, Agent: r.target.Name, Session: r.sessionID(), Generation: r.graph.Generation(),
	}}
	source := "user"
	if p := r.req.Parent; p != nil {
		r.voice.head.Depth, r.voice.head.ParentRun = len(p.Path), p.Run
		source = "delegation"
	}
	r.agent, r.begun = r.target.Name, true
	r.voice.say(&event.RunStart{
		Target: r.target.Name, Kind: "agent", Prompt: r.link.redact.Text(r.req.asked()), Source: source,
		SessionResumed: r.session.Resumed() && r.req.Parent == nil,
	})
	r.tellDamage()
	r.bound()
	ctx, leave, f := r.joinQueue(ctx)
	if f != nil {
		return nil, f
	}
	defer leave()
	ctx, cancel := r.deadline(providers.Numbered(ctx))
	defer cancel()
	x := &exchange{run: r, agent: r.target, model: r.model, source: source, hooks: r.target.Hooks}
	output, f := x.work(ctx)
	r.turns = x.turn
	return output, f
}

// bound sets the limits on tokens and money. A child of a run in this process is bound by the one above.
func (r *run) bound() {
	m := r.link.meter
	m.warn = func(limit string, used, max float64) {
		r.voice.say(&event.LimitWarning{Limit: limit, Used: used, Max: max})
	}
	if m.up == nil {
		m.bound(r.req.Budget)
		if r.req.Parent == nil {
			m.bound(r.graph.Budget())
		}
	}
	m.bound(r.target.Limits.Budget)
}

// deadline bounds the run's time, and warns when most of it is over.
func (r *run) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := r.req.Timeout
	if limit == 0 {
		limit = r.target.Limits.Timeout
	}
	var cancels []func()
	if !r.req.Deadline.IsZero() {
		c, cancel := context.WithDeadlineCause(ctx, r.req.Deadline, &timeUp{"stopped: the time that the caller gave is over"})
		ctx, cancels = c, append(cancels, cancel)
	}
	if limit > 0 {
		c, cancel := context.WithTimeoutCause(ctx, limit, &timeUp{"stopped: the time limit of " + limit.String() + " is over"})
		warning := time.AfterFunc(time.Duration(float64(limit)*warnAt), func() {
			r.voice.say(&event.LimitWarning{Limit: "time", Used: limit.Seconds() * warnAt, Max: limit.Seconds()})
		})
		ctx, cancels = c, append(cancels, cancel, func() { warning.Stop() })
	}
	return ctx, func() {
		for _, f := range cancels {
			f()
		}
	}
}

// result is how the run ended.
func (r *run) result(output []byte, f *failure) *Result {
	res := &Result{
		OK: f == nil, Agent: r.agent, Session: r.sessionID(), Output: output, Duration: r.r.o.Now().Sub(r.started),
		FinishedBy: r.finishedBy,
	}
	r.link.meter.sum(res)
	if f == nil {
		return res
	}
	res.FinishedBy = ""
	res.Output, res.Kind, res.Message = nil, f.kind, r.link.redact.Text(f.message)
	res.ExitCode = event.ExitCode(f.kind)
	if errors.Is(f.cause, ErrTerminated) {
		res.ExitCode = event.ExitTerminated
	}
	return res
}
