package cassette

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/providers"
)

// Book is a cassette file of which several runs have a tape each. Tapes that record follow one another, so that the order of
// new entries is theirs. Safe for concurrent use.
type Book struct {
	path string

	mu    sync.Mutex
	rec   *recording
	byKey map[string][]*entry
	kept  map[*entry]bool // that a tape has used
}

// maxCassette is the largest file that is read, in bytes.
const maxCassette = 64 << 20

// Open reads a cassette. A file with faults is a *diag.ListError; one that is not there is fs.ErrNotExist.
func Open(path string) (*Book, error) {
	src, err := wholefile.Read(path, maxCassette)
	if err != nil {
		return nil, err
	}
	rec, ds := parse(src, path)
	if ds.HasErrors() {
		return nil, &diag.ListError{List: ds}
	}
	return newBook(path, rec), nil
}

// New is a cassette that is not there yet, begun at a moment.
func New(path string, at time.Time) *Book { return newBook(path, &recording{recorded: at}) }

func newBook(path string, rec *recording) *Book {
	b := &Book{path: path, rec: rec, byKey: map[string][]*entry{}, kept: map[*entry]bool{}}
	for _, e := range rec.entries {
		b.index(e)
	}
	return b
}

// index makes an entry known by the key that is written and the one that its request has. b.mu is held, or nobody has b yet.
func (b *Book) index(e *entry) {
	b.byKey[e.key] = append(b.byKey[e.key], e)
	if e.made != e.key {
		b.byKey[e.made] = append(b.byKey[e.made], e)
	}
}

// Replay is a tape that answers from the book only.
func (b *Book) Replay(o *Options) *Tape { return b.tape(o, false) }

// Record is a tape that completes the book: what it has answers, other calls are made and recorded.
func (b *Book) Record(o *Options) *Tape { return b.tape(o, true) }

func (b *Book) tape(o *Options, record bool) *Tape {
	if o == nil {
		o = &Options{}
	}
	s := newScrubber(o)
	s.mask = b.rec.patterns
	return &Tape{book: b, record: record, strict: o.Strict, scrub: s}
}

// Len is how many answers the book has.
func (b *Book) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.rec.entries)
}

func (b *Book) answering(key string) []*entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.byKey[key])
}

func (b *Book) entries() []*entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.rec.entries)
}

func (b *Book) add(e *entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rec.entries = append(b.rec.entries, e)
	b.index(e)
}

func (b *Book) keep(e *entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept[e] = true
}

// Save writes the book where that changes the file. Entries stay in their order, new ones come behind. With ended those that no
// tape has used are dropped. The file is replaced in one step or not at all.
func (b *Book) Save(ended bool) error {
	b.mu.Lock()
	rec := &recording{recorded: b.rec.recorded, mask: b.rec.mask}
	for _, e := range b.rec.entries {
		if !ended || b.kept[e] {
			rec.entries = append(rec.entries, e)
		}
	}
	b.mu.Unlock()
	src, err := rec.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", b.path, err)
	}
	if was, err := wholefile.Read(b.path, maxCassette); err == nil && bytes.Equal(was, src) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(b.path), 0o755); err != nil {
		return err
	}
	return wholefile.Replace(b.path, 0o644, src)
}

// Leaks are the lines of calls that hold what a redactor would take out. Recording has it taken out, so somebody wrote it.
func (b *Book) Leaks(r *providers.Redactor) []int {
	var lines []int
	for _, e := range b.entries() {
		same := func(s string) string { return s }
		if !bytes.Equal(eachText(compact(e.answer), r.Text), eachText(compact(e.answer), same)) ||
			e.request.rewritten(r.Text).key() != e.request.key() {
			lines = append(lines, e.line)
		}
	}
	return lines
}
