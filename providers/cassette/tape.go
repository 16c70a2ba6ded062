package cassette

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

// Options say what of this machine stays out of a cassette. nil means nothing but what looks like a secret.
type Options struct {
	Workspace string              // folder that is stored as $WORKSPACE
	Home      string              // $HOME
	Temp      string              // $TMP
	Redactor  *providers.Redactor // takes out secrets; nil = those of known shapes
	Now       func() time.Time    // clock of a new recording; nil = time.Now
	Strict    bool                // a replay answers a call with what the same models said, not with what others did
}

// Tape is one recording while one run plays it or adds to it. Equal requests are answered in recorded order, each entry once,
// so a tape belongs to one run; a repetition has its own. Safe for concurrent use.
type Tape struct {
	book   *Book
	record bool
	strict bool
	scrub  *scrubber

	mu     sync.Mutex
	used   map[*entry]bool
	missed *Miss
}

// Replay opens a cassette to answer from it. A file with faults is a *diag.ListError.
func Replay(path string, o *Options) (*Tape, error) {
	b, err := Open(path)
	if err != nil {
		return nil, err
	}
	return b.Replay(o), nil
}

// Record opens a cassette to complete it: entries that a file at path has answer as in a replay, other calls are made and
// recorded. Save writes it.
func Record(path string, o *Options) (*Tape, error) {
	b, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		now := time.Now
		if o != nil && o.Now != nil {
			now = o.Now
		}
		b, err = New(path, now()), nil
	}
	if err != nil {
		return nil, err
	}
	return b.Record(o), nil
}

// Recorded is when the cassette was begun: the clock and the seed of a run that replays it.
func (t *Tape) Recorded() time.Time { return t.book.rec.recorded }

// Save writes a recording; a tape that replays has nothing to save. Entries that the run did not use are dropped if it came
// to its end, and kept if it did not, since it might have used them. The file is replaced in one step or not at all.
func (t *Tape) Save(ended bool) error {
	if !t.record {
		return nil
	}
	return t.book.Save(ended)
}

type tapeKey struct{}

// With makes model calls under ctx use a tape; nil takes one out again.
func With(ctx context.Context, t *Tape) context.Context { return context.WithValue(ctx, tapeKey{}, t) }

// take finds the entry that answers and marks it used. Of equal keys the first of the same models comes first; a replay that
// is not strict takes one of other models where there is none, a recording does not.
func (t *Tape) take(key string, models []string) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found *entry
	for _, e := range t.book.answering(key) {
		if t.used[e] {
			continue
		}
		if slices.Equal(e.models, models) {
			found = e
			break
		}
		if found == nil && !t.record && !t.strict {
			found = e
		}
	}
	if found != nil {
		t.use(found)
	}
	return found
}

// use marks an entry; t.mu is held.
func (t *Tape) use(e *entry) {
	if t.used == nil {
		t.used = map[*entry]bool{}
	}
	t.used[e] = true
	t.book.keep(e)
}

// add takes a new entry in, which later tapes of the book find.
func (t *Tape) add(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.book.add(e)
	t.use(e)
}
