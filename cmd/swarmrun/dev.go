package main

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
)

func (a *app) devCommand() *cobra.Command {
	var rerun, poll bool
	var model, job string
	cmd := &cobra.Command{
		Use:   "dev [TARGET] [PROMPT…]",
		Short: "Watch the workspace: check every save, show what it changes, run the prompt again",
		Long: "Watch the workspace. Every save is checked; what is right is published as the next generation and what it changes is\n" +
			"shown, what is wrong is told while the last good generation stays.\n\n" +
			"A line on stdin is a prompt for the target; an empty line (Enter) runs the last one again, --rerun does so after every\n" +
			"save. Ctrl-C ends it.",
		ValidArgsFunction: a.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSONL); err != nil {
				return err
			}
			if job != "" && (len(args) > 0 || model != "" || a.output != formatText) {
				return usagef("--case runs a job: it goes with no target, prompt, -m or -o")
			}
			d := &dev{app: a, rerun: rerun || job != "", model: model, job: job}
			return d.work(cmd.Context(), args, &loader.WatchOptions{Poll: poll, Note: func(text string) { a.note("%s", text) }})
		},
	}
	cmd.Flags().BoolVar(&rerun, "rerun", false, "run the last prompt again after every save that is published")
	cmd.Flags().StringVar(&job, "case", "", "run a `job`, or one case of it (JOB/CASE), now and after every save that is published")
	cmd.Flags().BoolVar(&poll, "poll", false, "look for changes each second instead of waiting for events of the system")
	cmd.Flags().StringVarP(&model, "model", "m", "", "`model` instead of the agent's: a name of models:, or provider/model")
	return cmd
}

// dev is a workspace under development.
type dev struct {
	app            *app
	rerun          bool
	model          string
	target, prompt string
	job            string        // of --case, which is run instead of a prompt
	fixtures       chan struct{} // of the job: one has changed
	unfollow       func()        // ends the watch over them
	poll           bool

	w       *workspace
	r       *runner.Runner
	cancel  context.CancelCauseFunc
	lines   *event.Writer // of -o jsonl
	input   chan string   // lines of stdin; closed at its end
	changes chan agents.Change
	kept    atomic.Bool // an answer "always" was written down: that it is published is no reason to run again
	missed  bool        // a generation was published while the last run was at work
}

// work watches until the person or a signal ends it.
func (d *dev) work(ctx context.Context, args []string, o *loader.WatchOptions) error {
	a := d.app
	w, err := a.openWorkspace(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	d.w, d.poll = w, o.Poll
	words := []string(nil)
	d.target, words = splitTarget(args)
	d.prompt = strings.Join(words, " ")
	if d.job != "" {
		if err := w.checkCase(d.job); err != nil {
			return err
		}
		d.prompt = d.job
	} else if err := w.checkTarget(d.target); err != nil {
		return err
	}
	if err := w.demanded(d.target); err != nil {
		return err
	}
	w.release() // from here on each run leases its own generation
	d.r = runner.New(w.live, &runner.Options{Sessions: w.sessions, Home: a.env("HOME"), Environ: a.environ, Sink: d.graphEvent})
	d.openLines()
	ctx, d.cancel = context.WithCancelCause(ctx)
	d.begin("every save is checked, Ctrl-C ends")
	watching := d.watch(ctx, o)
	d.follow(ctx)
	d.input = make(chan string)
	go readLines(ctx, a.stdin, d.input)
	if d.prompt != "" {
		err = d.run(ctx)
	}
	if err == nil {
		err = d.loop(ctx)
	}
	d.cancel(nil)
	<-watching
	d.unfollow()
	return d.end(err, &event.Result{OK: true})
}

func (d *dev) openLines() {
	if d.app.output == formatJSONL {
		d.lines = event.NewWriter(d.app.stdout)
	}
}

// watch hands saves on until ctx ends.
func (d *dev) watch(ctx context.Context, o *loader.WatchOptions) (over <-chan error) {
	watching := make(chan error, 1)
	d.changes = make(chan agents.Change)
	go func() {
		watching <- d.w.live.Watch(ctx, func(c agents.Change) {
			select {
			case d.changes <- c:
			case <-ctx.Done():
			}
		}, o)
	}()
	return watching
}

// loop takes saves and lines as they come.
func (d *dev) loop(ctx context.Context) error {
	for {
		again, err := d.next(ctx)
		if err == nil && again {
			err = d.run(ctx)
		}
		if errors.Is(err, errQuit) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// next waits for something to happen and tells whether it is a reason to run. What was typed meanwhile comes before a save: it may
// be another prompt.
func (d *dev) next(ctx context.Context) (again bool, err error) {
	select {
	case line, open := <-d.input:
		return d.typed(line, open)
	default:
	}
	if d.missed && d.rerun && d.prompt != "" {
		return true, nil
	}
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case c := <-d.changes:
		d.take(ctx, c, nil)
		return false, nil
	case <-d.fixtures:
		d.app.note("a fixture has changed")
		return true, nil
	case line, open := <-d.input:
		return d.typed(line, open)
	}
}

// typed takes a line of the person, or the end of them.
func (d *dev) typed(line string, open bool) (again bool, err error) {
	if !open {
		d.input = nil // a pipe has said what it had to say
		if terminal(d.app.stdin) {
			err = errQuit
		}
		return false, err
	}
	if line = strings.TrimSpace(line); line != "" && d.job == "" {
		d.prompt = line
	}
	if d.prompt == "" {
		d.app.note("there is no prompt yet: write one and press Enter")
	}
	return d.prompt != "", nil
}

// take tells of a save, beside what is at work on a screen; nil = nothing is.
func (d *dev) take(ctx context.Context, c agents.Change, at *screen) {
	d.changed(c, at)
	if c.Published {
		d.follow(ctx)
		d.missed = !d.answered(c) || d.missed
	}
}

// run runs the prompt on the generation that is served now, and tells of saves meanwhile. Its error is that of stdout.
func (d *dev) run(ctx context.Context) error {
	d.missed = false
	if d.job != "" {
		return d.runJob(ctx)
	}
	view, err := d.app.newView(d.cancel)
	if err != nil {
		return err
	}
	defer view.close()
	view.lines = d.lines // one writer counts the events of all runs
	gone := make(chan struct{})
	defer close(gone)
	ask := view.asker(d.w.root)
	if p, ok := ask.(*person); ok {
		p.in = &lineReader{lines: d.input, over: gone}
		p.keep = d.keep
	}
	req := runner.Request{Target: d.target, Input: d.prompt, Model: d.model}
	over := beside(ctx, d, view.screen, func() turnOver {
		res, err := d.r.Do(ctx, req, &runner.RunOptions{Ask: ask, Sink: view.event})
		return turnOver{res, err}
	})
	return d.show(view, over.res, over.err)
}

// beside tells of saves while work is done.
func beside[T any](ctx context.Context, d *dev, at *screen, work func() T) T {
	done := make(chan T, 1)
	go func() { done <- work() }()
	for {
		select {
		case result := <-done:
			return result
		case c := <-d.changes:
			d.take(ctx, c, at)
		}
	}
}

// keep writes down an answer that always holds.
func (d *dev) keep(rule, comment string) error {
	wrote, err := loader.KeepRule(d.w.root, "", rule, comment)
	if wrote {
		d.kept.Store(true)
	}
	return err
}

// answered tells whether a generation came of nothing but an answer to the run before.
func (d *dev) answered(c agents.Change) bool {
	return d.kept.Swap(false) && len(c.Added)+len(c.Changed)+len(c.Removed) == 0
}

// show tells how a run ended. Its error is that of stdout.
func (d *dev) show(view *view, res *event.Result, err error) error {
	if d.lines == nil {
		return view.finish(res, err)
	}
	if view.broken == nil {
		d.app.outcome(res, err)
	}
	return view.broken
}
