package ci

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/cassette"
)

// The values of Attempt.Cassette.
const (
	cassetteReplayed = "replayed"
	cassetteRecorded = "recorded"
	cassetteStale    = "stale"
	cassetteLive     = "live"
)

// shelf is the cassettes of a session.
type shelf struct {
	mu    sync.Mutex
	books map[string]*volume
}

// volume is one cassette, and who uses it.
type volume struct {
	path  string
	at    diag.Range            // where it is named
	err   error                 // of reading it
	book  *cassette.Book        // nil = it is not there, and nothing was recorded yet
	users int                   // cases of all jobs, whether they run or not
	ended map[*agents.Case]bool // of these, those that came to their end
}

func newShelf() *shelf { return &shelf{books: map[string]*volume{}} }

// open reads the cassettes of the plan, side by side. What is wrong with one is told at its own place.
func (r *session) open() diag.List {
	if r.o.Mode == Live {
		return nil
	}
	var volumes []*volume
	named := func(path string, at diag.Range) {
		if path != "" && r.books.books[path] == nil {
			v := &volume{path: path, at: at, ended: map[*agents.Case]bool{}}
			r.books.books[path] = v
			volumes = append(volumes, v)
		}
	}
	for _, j := range r.plan.jobs {
		for _, u := range r.plan.units[j] {
			named(u.c.Tape, u.c.TapeAt)
			for _, k := range u.c.Checks {
				if k.Kind == "judge" {
					named(k.File, k.Origin)
				}
			}
		}
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(volumes)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(volumes); i = int(next.Add(1)) - 1 {
				volumes[i].book, volumes[i].err = cassette.Open(volumes[i].path)
			}
		})
	}
	wg.Wait()
	for _, j := range r.g.Jobs() {
		for _, c := range j.Cases {
			for _, path := range tapesOf(c) {
				if v := r.books.books[path]; v != nil {
					v.users++
				}
			}
		}
	}
	var ds diag.List
	for _, v := range volumes {
		ds.Add(r.faults(v)...)
	}
	return ds
}

// faults is what is wrong with a cassette that was read; one that is not there is none.
func (r *session) faults(v *volume) diag.List {
	var ds diag.List
	var list *diag.ListError
	switch {
	case v.err == nil && r.thorough:
		for _, line := range v.book.Leaks(providers.NewRedactor(r.g.Secrets()...)) {
			ds.Add(diag.New("E-CASSETTE", diag.At(r.display(v.path), line, 1, 0), "this call holds what looks like a key").
				Suggest("take it back where it was given, and record the cassette anew").Note(v.at, "it is named here"))
		}
	case errors.As(v.err, &list):
		for _, d := range list.List {
			d.Range.File = r.display(d.Range.File)
			ds.Add(d.Note(v.at, "it is named here"))
		}
	case v.err != nil && !errors.Is(v.err, fs.ErrNotExist):
		ds.Add(diag.New("E-CASSETTE", v.at, "the cassette cannot be read: %v", v.err))
	}
	return ds
}

// tapesOf are the cassettes of a case, each once.
func tapesOf(c *agents.Case) []string {
	var out []string
	if c.Tape != "" {
		out = append(out, c.Tape)
	}
	for _, k := range c.Checks {
		if k.Kind == "judge" && k.File != "" && !slices.Contains(out, k.File) {
			out = append(out, k.File)
		}
	}
	return out
}

// tape is what a case plays from or records into; nil = it is live. missing: there is no cassette, and none is to be made.
func (r *session) tape(path, dir string, redact *providers.Redactor) (t *cassette.Tape, missing bool) {
	if path == "" || r.o.Mode == Live {
		return nil, false
	}
	v := r.books.books[path]
	o := &cassette.Options{Workspace: dir, Home: r.o.Home, Temp: os.TempDir(), Redactor: redact, Strict: true}
	r.books.mu.Lock()
	defer r.books.mu.Unlock()
	if v.book == nil {
		if r.o.Mode != Record {
			return nil, true
		}
		v.book = cassette.New(path, r.o.Now())
	}
	if r.o.Mode == Record {
		return v.book.Record(o), false
	}
	return v.book.Replay(o), false
}

// save writes what was recorded. Entries that no case uses go once every case of the cassette has come to its end.
func (r *session) save(c *agents.Case, ended bool) error {
	if r.o.Mode != Record {
		return nil
	}
	r.books.mu.Lock()
	defer r.books.mu.Unlock()
	var errs []error
	for _, path := range tapesOf(c) {
		v := r.books.books[path]
		if v == nil || v.book == nil {
			continue
		}
		if ended {
			v.ended[c] = true
		}
		if v.book.Len() > 0 {
			errs = append(errs, v.book.Save(len(v.ended) == v.users))
		}
	}
	return errors.Join(errs...)
}

// stale says in one line why a recording does not fit any more, and what to do.
func (r *session) stale(u *unit, path string, m *cassette.Miss) string {
	again := "record it: swarmrun ci --record " + quoteWord(u.job.Name) + " --filter " + quoteWord("^"+regexp.QuoteMeta(u.result.ID)+"$")
	if m == nil {
		return "there is no cassette " + r.display(path) + " yet; " + again
	}
	what := "it asks more than was recorded"
	if len(m.Changed) > 0 {
		what = strings.Join(m.Changed, " and ") + " changed since it was recorded"
	}
	return "the cassette " + r.display(path) + " is stale: at call " + strconv.Itoa(m.Call) + " of " + m.Agent + " " + what + "; " + again + "\n" +
		strings.ReplaceAll(m.Text, r.g.Root()+"/", "")
}

// quoteWord is a text as one word of a shell.
func quoteWord(s string) string {
	if !strings.ContainsAny(s, " \t\n'\"\\$`[](){}*?|&;<>#~!^") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
