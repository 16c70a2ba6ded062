package main

import (
	"context"
	"os"
	"time"

	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/cassette"
)

// tape is the cassette of --record or --replay, nil without either. While it is in, tools see the clock stand still at the
// moment when it was begun, since what they say of the time is part of later requests.
type tape struct {
	*cassette.Tape
	redactor *providers.Redactor
}

func (a *app) openTape(f runFlags) (*tape, error) {
	if f.record == "" && f.replay == "" {
		return nil, nil
	}
	root, err := loader.Root(a.dir)
	if err != nil {
		return nil, err
	}
	t := &tape{redactor: providers.NewRedactor()}
	o := &cassette.Options{Workspace: root, Home: a.env("HOME"), Temp: os.TempDir(), Redactor: t.redactor}
	if f.record != "" {
		t.Tape, err = cassette.Record(a.path(f.record), o)
	} else {
		if err := a.exists(f.replay); err != nil {
			return nil, err
		}
		t.Tape, err = cassette.Replay(a.path(f.replay), o)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// clock is what tools are told; nil = the real time.
func (t *tape) clock() func() time.Time {
	if t == nil {
		return nil
	}
	return t.Recorded
}

// now is the clock of the run: it goes on from the moment of the recording; nil = the real time.
func (t *tape) now() func() time.Time {
	if t == nil {
		return nil
	}
	began := time.Now()
	return func() time.Time { return t.Recorded().Add(time.Since(began)) }
}

// under makes the model calls of a run use the tape.
func (t *tape) under(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return cassette.With(ctx, t.Tape)
}

// know tells the tape what must never be on it.
func (t *tape) know(secrets []string) {
	if t != nil {
		t.redactor.Add(secrets...)
	}
}

// save writes a recording; ended says that the run came to its end.
func (t *tape) save(ended bool) error {
	if t == nil {
		return nil
	}
	return t.Save(ended)
}
