package main

import (
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/runner/event"
)

// begin says what is there.
func (d *dev) begin(how string) {
	report := d.w.live.Report()
	d.w.known = effectsOf(report)
	d.app.diagnostics(visible(report.Diagnostics, d.app.verbose))
	if d.lines != nil {
		counts := report.Counts()
		d.tell(&event.GraphLoaded{
			Header: event.Header{Time: time.Now(), Generation: 1},
			Counts: event.Counts{
				Loaded: counts[config.Loaded], Repaired: counts[config.Repaired], Skipped: counts[config.Skipped], Broken: counts[config.Broken],
			},
			Diagnostics: report.Diagnostics,
		})
	}
	d.app.note("generation 1: %s; %s", plural(len(report.List(config.KindAgent)), "agent"), how)
}

// changed tells of a save, beside what is at work on a screen; nil = nothing is.
func (d *dev) changed(c agents.Change, at *screen) {
	d.r.Reloaded(c) // and its hooks, which may take a while
	head, details, faults := d.w.saved(c, d.app.verbose)
	at.aside(func() {
		d.app.printed = nil // a fault that is still there is told again
		d.app.diagnostics(faults)
		d.app.note("%s", head)
		for _, line := range details {
			d.app.note("  %s", line)
		}
	})
}

// graphEvent writes what belongs to no run; the events of runs reach the stream with them.
func (d *dev) graphEvent(e event.Event) {
	if d.lines != nil && e.Head().Run == "" {
		d.tell(e)
	}
}

// tell writes an event. Where that fails, because the reader is gone or the disk is full, nothing is left to work for.
func (d *dev) tell(e event.Event) {
	if err := d.lines.Write(e); err != nil {
		d.cancel(err)
	}
}

// end writes the last line of -o jsonl.
func (d *dev) end(err error, res *event.Result) error {
	code := 0
	if err != nil {
		if brokenPipe(err) {
			return err
		}
		res = &event.Result{}
		res.Kind, res.Message = event.KindCancelled, "interrupted"
		code = exitCode(res.Kind, err)
		res.ExitCode = code
	}
	if d.lines != nil {
		if werr := d.lines.Result(res); werr != nil {
			return werr
		}
	}
	if code != 0 {
		return told{code}
	}
	return nil
}
