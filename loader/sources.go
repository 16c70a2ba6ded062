package loader

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/watch"
	"github.com/swarmrun/swarmrun/internal/wholefile"
)

// digest is what a file held; the zero digest stands for a file that is not there.
type digest [sha256.Size]byte

// digestOf is the digest of what was read, and of what was wrong with it.
func digestOf(data []byte, err error) digest {
	if err == nil {
		return sha256.Sum256(data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return digest{}
	}
	d := digest(sha256.Sum256(append([]byte(err.Error()), data...)))
	d[0] ^= 1 // no file that holds the same words
	return d
}

// sources are the files of one load: what was read, so that a watcher knows where to look, and what it said, so that the next
// load parses what changed and nothing else. Safe for concurrent use.
type sources struct {
	before  *sources                // of the load before, until this one is done; nil = none
	earlier func() map[parseKey]int // where its definitions are in its parsed
	only    map[string]bool         // the files that changed since then; nil = it is not known
	found   *tree                   // what was discovered
	told    diag.List               // what was wrong with it
	parsed  []*pristine             // the files of found, in their order; nil = none are kept
	keep    bool                    // definitions are kept
	world   *world                  // what came of all

	mu      sync.Mutex
	common  map[string]digest // what discover read: settings, those of foreign trees, answers "always"
	looked  map[string]digest // that definitions named, such as what prompts include
	later   bool              // all is discovered: what is read from now on is looked at
	trees   map[string]bool
	folders map[string]bool
}

// parseKey is a file as a definition of one kind.
type parseKey struct {
	kind config.Kind
	path string
}

// pristine is a definition as parseFile made it, and the file that it was made of.
type pristine struct {
	sum    digest
	stamp  stamp
	parsed *parsed
}

// newSources begins a load after another one; keep = its definitions may be used again.
func newSources(before *sources, keep bool) *sources {
	s := &sources{
		before: before, keep: keep, common: map[string]digest{}, looked: map[string]digest{}, trees: map[string]bool{}, folders: map[string]bool{},
	}
	s.earlier = sync.OnceValue(func() map[parseKey]int {
		at := make(map[parseKey]int, len(before.parsed))
		for i, f := range before.found.files {
			at[parseKey{f.kind, f.path}] = i
		}
		return at
	})
	return s
}

// settle ends the load: what the next one takes over is kept, and the load before is let go.
func (s *sources) settle(w *world) {
	s.before, s.earlier = nil, nil
	if s.keep {
		s.world = w
	}
}

// share takes what came of a load that read the same, so that it is held once.
func (s *sources) share(o *sources) {
	s.found, s.told, s.world, s.common, s.looked = o.found, o.told, o.world, o.common, o.looked
	for i, p := range s.parsed {
		if was := o.parsed[i].parsed; p.parsed != was {
			s.parsed[i] = &pristine{p.sum, p.stamp, was}
		}
	}
}

// discovered notes the tree. What was read so far is what its definitions have in common.
func (s *sources) discovered(t *tree, told diag.List) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found, s.told, s.later = t.clone(), told, true
	if s.keep {
		s.parsed = make([]*pristine, len(t.files))
	}
}

// read reads a file whole.
func (s *sources) read(path string) ([]byte, error) { return s.readBy(path, readFile) }

// lstat is lstatFile.
func (s *sources) lstat(path string) ([]byte, error) { return s.readBy(path, lstatFile) }

func (s *sources) readBy(path string, read func(path string) ([]byte, error)) ([]byte, error) {
	data, err := read(path)
	s.note(path, digestOf(data, err))
	return data, err
}

func (s *sources) note(path string, sum digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.later {
		s.looked[path] = sum
		return
	}
	s.common[path] = sum
}

// tree notes a folder all of which was looked at.
func (s *sources) tree(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trees[path] = true
}

// definition is the i-th file of the tree, read as its kind: from the load before where neither the file nor anything else about
// it changed.
func (s *sources) definition(i int, f *file, env []string) *parsed {
	if !s.keep {
		src, err := readFile(f.path)
		return parseFile(f, src, err, env)
	}
	if s.only != nil && !s.only[f.path] {
		return s.parsed[i].parsed.fresh()
	}
	now, p := look(f.path), s.kept(i, f)
	if p == nil || !p.stamp.same(now) {
		src, err := readFile(f.path)
		next := &pristine{sum: digestOf(src, err), stamp: now}
		if p != nil && p.sum == next.sum {
			next.parsed = p.parsed
		} else {
			next.parsed = parseFile(f, src, err, env)
		}
		p = next
	}
	s.parsed[i] = p
	return p.parsed.fresh()
}

// kept is a definition of the load before, found in the same place; nil = none.
func (s *sources) kept(i int, f *file) *pristine {
	o := s.before
	if o == nil {
		return nil
	}
	if i >= len(o.parsed) || *o.found.files[i] != *f {
		var ok bool
		if i, ok = s.earlier()[parseKey{f.kind, f.path}]; !ok || *o.found.files[i] != *f {
			return nil
		}
	}
	return o.parsed[i]
}

// equal tells whether two loads read the same.
func (s *sources) equal(o *sources) bool {
	return slices.EqualFunc(s.parsed, o.parsed, (*pristine).equal) && maps.Equal(s.common, o.common) && maps.Equal(s.looked, o.looked) &&
		slices.EqualFunc(s.told, o.told, func(a, b diag.Diagnostic) bool {
			return a.Code == b.Code && a.Range == b.Range && a.Summary == b.Summary
		})
}

// equal tells whether two definitions are of the same text in the same place.
func (p *pristine) equal(o *pristine) bool {
	return p.parsed == o.parsed || p.sum == o.sum && *p.parsed.file == *o.parsed.file
}

// samePlaces tells whether two loads have the same places.
func (s *sources) samePlaces(o *sources) bool {
	return (s.found == o.found || slices.EqualFunc(s.found.files, o.found.files, func(a, b *file) bool { return a.path == b.path })) &&
		sameKeys(s.common, o.common) && sameKeys(s.looked, o.looked) && sameKeys(s.trees, o.trees) && sameKeys(s.folders, o.folders)
}

func sameKeys[V any](a, b map[string]V) bool {
	return maps.EqualFunc(a, b, func(V, V) bool { return true })
}

// places are what has to be watched for the next load to be needed.
func (s *sources) places() watch.Places {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := slices.AppendSeq(slices.Collect(maps.Keys(s.common)), maps.Keys(s.looked))
	for _, f := range s.found.files {
		files = append(files, f.path)
	}
	slices.Sort(files)
	return watch.Places{Trees: slices.Sorted(maps.Keys(s.trees)), Folders: slices.Sorted(maps.Keys(s.folders)), Files: slices.Compact(files)}
}

// dir is a folder as a file system whose reads are noted.
func (s *sources) dir(path string) fs.FS { return noted{wholefile.Dir(path, maxFileSize), path, s} }

type noted struct {
	fs.FS
	path string
	s    *sources
}

// ReadFile reads a file once, and notes it. Its bounds are those of definitions.
func (n noted) ReadFile(name string) ([]byte, error) {
	data, err := n.s.read(filepath.Join(n.path, filepath.FromSlash(name)))
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		fault.Path = name
	}
	return data, err
}

// Open notes what is opened: a folder as one whose entries count, a file with what it holds.
func (n noted) Open(name string) (fs.File, error) {
	path := filepath.Join(n.path, filepath.FromSlash(name))
	f, err := n.FS.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			n.s.note(path, digest{})
		}
		return nil, err
	}
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		n.s.mu.Lock()
		n.s.folders[path] = true
		n.s.mu.Unlock()
	} else {
		_, _ = n.s.read(path)
	}
	return f, nil
}
