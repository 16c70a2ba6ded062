package loader

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/watch"
)

// digest is what a file held; the zero digest stands for a file that could not be read.
type digest [sha256.Size]byte

// sources are the files of one load: what was read, so that a watcher knows where to look, and what it said, so that the next
// load parses what changed and nothing else. Safe for concurrent use.
type sources struct {
	before *sources          // of the load before, until this one is done; nil = none
	only   map[string]bool   // the files that changed since then; nil = it is not known
	shared map[string]digest // of files, those that are no definitions: settings, those of foreign trees
	found  *tree             // what was discovered
	told   diag.List         // what was wrong with it
	world  *world            // what came of all

	mu      sync.Mutex
	files   map[string]digest      // that were discovered and parsed, by path as it was asked for
	looked  map[string]digest      // that definitions named, such as what prompts include
	later   bool                   // they are parsed: what is read from now on is looked at
	parsed  map[parseKey]*pristine // nil: nothing is kept
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
	s := &sources{before: before, files: map[string]digest{}, looked: map[string]digest{}, trees: map[string]bool{}, folders: map[string]bool{}}
	if keep {
		s.parsed = map[parseKey]*pristine{}
	}
	return s
}

// settle ends the load: what the next one takes over is kept, and the load before is let go.
func (s *sources) settle(w *world) {
	s.before = nil
	if s.parsed != nil {
		s.world = w
	}
}

// discovered notes the tree. What was read so far is what its definitions have in common.
func (s *sources) discovered(t *tree, told diag.List) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found, s.told, s.shared = t.clone(), told, maps.Clone(s.files)
}

// complete notes that all definitions were parsed.
func (s *sources) complete() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later = true
}

// read reads a file whole.
func (s *sources) read(path string) ([]byte, error) {
	data, err := readFile(path)
	sum := digest{}
	if err == nil {
		sum = sha256.Sum256(data)
	}
	s.note(path, sum)
	return data, err
}

func (s *sources) note(path string, sum digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.later {
		s.looked[path] = sum
		return
	}
	s.files[path] = sum
}

// tree notes a folder all of which was looked at.
func (s *sources) tree(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trees[path] = true
}

// definition is a file read as its kind: from the load before where neither the file nor anything else about it changed.
func (s *sources) definition(f *file, env []string) *parsed {
	if s.parsed == nil {
		src, err := readFile(f.path)
		return parseFile(f, src, err, env)
	}
	if s.only != nil && !s.only[f.path] {
		return s.before.parsed[parseKey{f.kind, f.path}].parsed.fresh()
	}
	now := look(f.path)
	old := s.before.kept(f)
	if old == nil || !old.stamp.same(now) {
		src, err := readFile(f.path)
		sum := digest{}
		if err == nil {
			sum = sha256.Sum256(src)
		}
		if old == nil || old.sum != sum || err != nil {
			old = &pristine{parsed: parseFile(f, src, err, env)}
		}
		old = &pristine{sum: sum, stamp: now, parsed: old.parsed}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[f.path], s.parsed[parseKey{f.kind, f.path}] = old.sum, old
	return old.parsed.fresh()
}

// kept is a definition of the load before, found in the same place; nil = none.
func (s *sources) kept(f *file) *pristine {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.parsed[parseKey{f.kind, f.path}]; old != nil && *old.parsed.file == *f {
		return old
	}
	return nil
}

// equal tells whether two loads read the same.
func (s *sources) equal(o *sources) bool {
	return maps.Equal(s.files, o.files) && maps.Equal(s.looked, o.looked)
}

// samePlaces tells whether two loads have the same places.
func (s *sources) samePlaces(o *sources) bool {
	return sameKeys(s.files, o.files) && sameKeys(s.looked, o.looked) && sameKeys(s.trees, o.trees) && sameKeys(s.folders, o.folders)
}

func sameKeys[V any](a, b map[string]V) bool {
	return maps.EqualFunc(a, b, func(V, V) bool { return true })
}

// places are what has to be watched for the next load to be needed.
func (s *sources) places() watch.Places {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := slices.AppendSeq(slices.Collect(maps.Keys(s.files)), maps.Keys(s.looked))
	slices.Sort(files)
	return watch.Places{Trees: slices.Sorted(maps.Keys(s.trees)), Folders: slices.Sorted(maps.Keys(s.folders)), Files: slices.Compact(files)}
}

// dir is a folder as a file system whose reads are noted.
func (s *sources) dir(path string) fs.FS { return noted{os.DirFS(path), path, s} }

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
	if fi, err := os.Stat(path); err == nil && !fi.IsDir() && !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular} // opening a pipe would wait for whoever writes to it
	}
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
	} else if _, err := n.s.read(path); err != nil {
		n.s.note(path, digest{})
	}
	return f, nil
}
