package cassette

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
)

// Options say what of this machine stays out of a cassette. nil means nothing but what looks like a secret.
type Options struct {
	Workspace string              // folder that is stored as $WORKSPACE
	Home      string              // $HOME
	Temp      string              // $TMP
	Redactor  *providers.Redactor // takes out secrets; nil = those of known shapes
	Now       func() time.Time    // clock of a new recording; nil = time.Now
}

// Tape is one recording while it plays or grows. Equal requests are answered in recorded order, each entry once, so a tape
// belongs to one run; a repetition opens its own. Safe for concurrent use.
type Tape struct {
	path   string
	record bool
	scrub  *scrubber

	mu   sync.Mutex
	rec  *recording
	made []*entry // recording: what was used or is new, in order of the calls
}

// Replay opens a cassette to answer from it. A file with faults is a *diag.ListError.
func Replay(path string, o *Options) (*Tape, error) {
	rec, err := read(path)
	if err != nil {
		return nil, err
	}
	return newTape(path, rec, o, false), nil
}

// Record opens a cassette to complete it: entries that a file at path has answer as in a replay, other calls are made and
// recorded. Save writes it.
func Record(path string, o *Options) (*Tape, error) {
	rec, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		now := time.Now
		if o != nil && o.Now != nil {
			now = o.Now
		}
		rec, err = &recording{recorded: now()}, nil
	}
	if err != nil {
		return nil, err
	}
	return newTape(path, rec, o, true), nil
}

func newTape(path string, rec *recording, o *Options, record bool) *Tape {
	if o == nil {
		o = &Options{}
	}
	s := newScrubber(o)
	s.mask = rec.patterns
	return &Tape{path: path, record: record, scrub: s, rec: rec}
}

func read(path string) (*recording, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rec, ds := parse(src, path)
	if ds.HasErrors() {
		return nil, &diag.ListError{List: ds}
	}
	return rec, nil
}

// Recorded is when the cassette was begun: the clock and the seed of a run that replays it.
func (t *Tape) Recorded() time.Time { return t.rec.recorded }

// Save writes a recording; a tape that replays has nothing to save. Entries that the run did not use are dropped if it came
// to its end, and kept if it did not, since it might have used them. The file is replaced in one step or not at all.
func (t *Tape) Save(ended bool) error {
	if !t.record {
		return nil
	}
	t.mu.Lock()
	rec := &recording{recorded: t.rec.recorded, mask: t.rec.mask, entries: slices.Clone(t.made)}
	if !ended {
		for _, e := range t.rec.entries {
			if !e.used {
				rec.entries = append(rec.entries, e)
			}
		}
	}
	t.mu.Unlock()
	src, err := rec.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	return replaceFile(t.path, src)
}

func replaceFile(path string, src []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(src)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

type tapeKey struct{}

// With makes model calls under ctx use a tape; nil takes one out again.
func With(ctx context.Context, t *Tape) context.Context { return context.WithValue(ctx, tapeKey{}, t) }

// take finds the entry that answers and marks it used. Of equal keys the first of the same models comes first; a replay
// takes one of other models where there is none, a recording does not.
func (t *Tape) take(key string, models []string) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found *entry
	for _, e := range t.rec.entries {
		if !e.answers(key) {
			continue
		}
		if slices.Equal(e.models, models) {
			found = e
			break
		}
		if found == nil && !t.record {
			found = e
		}
	}
	if found != nil {
		found.used = true
		t.made = append(t.made, found)
	}
	return found
}

func (t *Tape) add(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made = append(t.made, e)
}
