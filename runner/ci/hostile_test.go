//go:build unix

package ci

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/swarmrun/swarmrun/internal/wholefile"
)

// TestFilesThatAreNone: an agent may leave a pipe that nobody writes to, and a file that only seems to be full.
func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "huge"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := look(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600), os.Truncate(filepath.Join(dir, "huge"), 1<<40)); err != nil {
		t.Fatal(err)
	}
	after, err := look(dir, before)
	if err != nil {
		t.Fatal(err)
	}
	got := changes(before, after)
	if len(got) != 2 || got[0].Path != "huge" || got[0].Status != "changed" || got[1].Path != "pipe" || got[1].Status != "added" {
		t.Errorf("%+v", got)
	}
	a := &attempt{place: place{dir: dir}}
	if _, err := a.read("pipe"); !errors.Is(err, wholefile.ErrIrregular) {
		t.Errorf("the pipe: %v", err)
	}
	if _, err := a.read("huge"); err == nil {
		t.Error("the huge file was read")
	}
}

// TestInterruptedBeforeItsTurn: a signal comes when a case begins.
func TestInterruptedBeforeItsTurn(t *testing.T) {
	g, _ := project(t, &reader{}, 2, false)
	r := &session{g: g, o: (&Options{}).settle(), books: newShelf()}
	p := newPlan(g, r.o)
	units := p.units[p.jobs[0]]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.repeat(ctx, units[0])
	if c := units[0].result; c.Outcome != Skipped || c.Reason != reasonInterrupted {
		t.Errorf("%s: %s", c.Outcome, c.Reason)
	}
}

// TestInterruptedRepetitions: what was not certain yet has not failed.
func TestInterruptedRepetitions(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := &reader{}
	m.fail = func(n int64) bool {
		if n == 4 {
			cancel()
		}
		return false
	}
	g, _ := project(t, m, 1, false)
	g.Jobs()[0].Cases[0].Repeat = 5
	r := &session{g: g, o: (&Options{}).settle(), books: newShelf()}
	p := newPlan(g, r.o)
	u := p.units[p.jobs[0]][0]
	r.plan, r.temp = p, t.TempDir()
	if ds := r.prepare(ctx); ds.HasErrors() {
		t.Fatal(ds)
	}
	r.repeat(ctx, u)
	if c := u.result; c.Outcome != Errored || c.Reason != reasonInterrupted || c.Rate.Run != 1 || c.Rate.Passed != 1 {
		t.Errorf("%s: %s, %+v", c.Outcome, c.Reason, c.Rate)
	}
}
