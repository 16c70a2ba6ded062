package ci

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/cassette"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
)

// attempt is one time that a case runs, and the evidence of it.
type attempt struct {
	s      *session
	u      *unit
	out    *Attempt
	place  place
	redact *providers.Redactor
	scrub  *strings.Replacer // folders of the attempt, which differ from run to run

	tape   *cassette.Tape
	before snapshot // of an own folder, when the agent began
	after  snapshot // when it had ended
	result *event.Result
	output string
	evidence
}

// attempt runs a case once.
func (r *session) attempt(ctx context.Context, u *unit, n, try int) *Attempt {
	began := r.o.Now()
	t := &attempt{s: r, u: u, redact: providers.NewRedactor(r.g.Secrets()...), out: &Attempt{
		Repetition: n, Try: try, Outcome: Passed, Started: event.Time{Time: began}, Tape: "", Checks: []Result{},
	}}
	t.evidence.began, t.evidence.now = began, r.o.Now
	ended := t.work(ctx)
	if err := r.save(u.c, ended && n == u.c.Repeat); err != nil {
		t.fail(Errored, event.KindIO, "the cassette cannot be written: %v", err)
	}
	t.close()
	t.out.DurationMS = r.o.Now().Sub(began).Milliseconds()
	return t.out
}

// fail settles the outcome, unless it is settled for a worse reason.
func (t *attempt) fail(o Outcome, kind, format string, args ...any) {
	if t.out.Outcome == Errored || t.out.Outcome == Failed && o == Failed && t.out.Message != "" {
		return
	}
	t.out.Outcome, t.out.Kind = o, kind
	if text := fmt.Sprintf(format, args...); text != "" {
		t.out.Message = t.text(text)
	}
}

// work is setup, agent, checks and what follows. It tells whether the run came to its end.
func (t *attempt) work(ctx context.Context) (ended bool) {
	c := t.u.c
	var err error
	if t.place, err = t.s.settle(ctx, t.u); err == nil {
		t.scrubbing()
		err = t.shell(ctx, "setup", c.Setup.Run)
	}
	if err == nil {
		err = t.shell(ctx, "a step before", c.Before)
	}
	if err == nil && t.place.own {
		t.before, err = look(t.place.dir, nil)
	}
	if err != nil {
		t.interrupted(ctx)
		t.fail(Errored, event.KindStepFailed, "setup failed: %v", err)
	} else {
		ended = t.run(ctx)
		if t.out.Outcome != Errored {
			t.check(ctx)
		}
	}
	if t.place.dir != "" {
		if err := t.shell(context.WithoutCancel(ctx), "a step after", c.After); err != nil {
			t.fail(Errored, event.KindStepFailed, "%v", err)
		}
	}
	return ended
}

// interrupted settles the outcome of an attempt that a signal ended.
func (t *attempt) interrupted(ctx context.Context) {
	if ctx.Err() != nil {
		t.fail(Errored, event.KindCancelled, "interrupted")
	}
}

// scrubbing makes texts equal wherever the attempt works.
func (t *attempt) scrubbing() {
	pairs := []string{t.place.dir, "$WORKSPACE"}
	if t.s.temp != "" {
		pairs = append(pairs, t.s.temp, "$TMP")
	}
	t.scrub = strings.NewReplacer(pairs...)
}

// text is a text as the report shows it: without secrets and folders of the attempt.
func (t *attempt) text(s string) string {
	if t.scrub != nil {
		s = t.scrub.Replace(s)
	}
	return t.redact.Text(s)
}

// run lets the target work. It tells whether it came to its end.
func (t *attempt) run(ctx context.Context) bool {
	c := t.u.c
	tape, missing := t.s.tape(c.Tape, t.place.dir, t.redact)
	if c.Tape != "" {
		t.out.Tape = t.s.display(c.Tape)
	}
	if missing {
		t.out.Cassette = cassetteStale
		t.fail(Failed, event.KindAssertion, "%s", t.s.stale(t.u, c.Tape, nil))
		return false
	}
	t.tape = tape
	o := &runner.Options{Now: t.s.o.Now, Environ: t.s.o.Environ}
	if tape != nil {
		began := t.s.o.Now()
		o.Clock = tape.Recorded
		o.Now = func() time.Time { return tape.Recorded().Add(t.s.o.Now().Sub(began)) }
	}
	req := runner.Request{
		Target: c.Target, Input: c.Prompt, Vars: c.Vars, Model: c.Model, Roots: tools.Roots{Workspace: t.place.dir, Dir: t.place.dir},
		MaxTurns: c.Limits.Turns, Timeout: c.Limits.Timeout, Budget: c.Limits.Budget,
	}
	began := t.s.o.Now()
	res, _ := runner.New(agents.Static(t.s.g), o).Do(cassette.With(ctx, tape), req, &runner.RunOptions{Sink: t.hear})
	t.out.RunMS = t.s.o.Now().Sub(began).Milliseconds()
	t.redact.Add(t.s.g.Secrets()...) // keys are looked up at the first send
	t.result = res
	t.output = res.Text()
	t.out.Usage, t.out.Turns = res.Usage, res.Turns
	t.out.Model = strings.Join(t.models(), ", ")
	t.out.Cassette = t.source()
	if t.place.own {
		after, err := look(t.place.dir, t.before)
		if err != nil {
			t.fail(Errored, event.KindIO, "the files of the case cannot be read: %v", err)
			return res.OK
		}
		t.after, t.out.Changed = after, changes(t.before, after)
	}
	t.judgeRun(ctx, res)
	return res.OK
}

// judgeRun settles what a run that failed means for the case.
func (t *attempt) judgeRun(ctx context.Context, res *event.Result) {
	if t.tape != nil && t.tape.Missed() != nil {
		t.out.Cassette = cassetteStale
		t.fail(Failed, event.KindAssertion, "%s", t.s.stale(t.u, t.u.c.Tape, t.tape.Missed()))
		return
	}
	expected := slices.ContainsFunc(t.u.c.Checks, func(k agents.Check) bool { return k.Kind == "exit_code" })
	if res.OK || expected && res.Kind != event.KindCancelled {
		return
	}
	outcome, kind := blame(res)
	t.interrupted(ctx)
	t.fail(outcome, kind, "%s: %s", strings.ReplaceAll(kind, "_", " "), res.Message)
}

// models are those that answered the run, sorted.
func (t *attempt) models() []string {
	var out []string
	for _, a := range t.result.PerAgent {
		for m := range a.Models {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	slices.Sort(out)
	return out
}

// source says where the answers came from.
func (t *attempt) source() string {
	switch {
	case t.replayed+t.asked == 0:
		return ""
	case t.tape == nil:
		return cassetteLive
	case t.asked > 0:
		return cassetteRecorded
	}
	return cassetteReplayed
}

// close makes the report's part of the evidence, and removes the folder.
func (t *attempt) close() {
	limit := keptFailed
	if t.out.Outcome == Passed {
		limit = keptPassed
	}
	t.out.Transcript, t.out.Cut = bounded(t.entries, limit)
	output, cut := cutText(t.text(t.output), limit/4)
	t.out.Output = output
	t.out.Cut += cut
	t.place.close()
}
