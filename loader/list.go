package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/wholefile"
)

// Bounds of what a folder may hold, so that a hostile one cannot make a load endless.
const (
	maxDepth    = 64
	maxFolders  = 2000    // below one place
	maxFileSize = 4 << 20 // bytes
)

// lister lists files below folders. Links are followed; every real file is listed once, under the name that was met first,
// and a folder that a link leads back to is not entered again.
type lister struct {
	root  string
	home  string            // of the person; "" = unknown
	seen  map[identity]bool // files by kind and real path
	files []*file
	diags diag.List

	sources *sources
}

// identity is one kind of definition in one file, by its real path: a file may hold several kinds.
type identity struct {
	kind config.Kind
	path string
}

func newLister(root, home string, s *sources) *lister {
	return &lister{root: root, home: home, seen: map[identity]bool{}, sources: s}
}

func (l *lister) display(path string) string { return slash(l.root, path) }

// folder lists the files of one place, each like as; one that is not there has none.
func (l *lister) folder(base string, f config.Folder, as file) {
	path := filepath.Join(base, filepath.FromSlash(f.Path))
	l.sources.tree(path)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		l.unreadable(path, "the folder", err)
		return
	}
	as.kind = f.Kind
	if f.Plugin.Name != "" {
		as.plugin = config.Plugin{Name: f.Plugin.Name, Root: filepath.Join(base, filepath.FromSlash(f.Plugin.Root))}
		if l.home != "" {
			as.plugin.Data = filepath.Join(l.home, ".claude", "plugins", "data", f.Plugin.Name)
		}
	}
	home, err := filepath.EvalSymlinks(base)
	if err != nil {
		home = base
	}
	w := walk{lister: l, as: as, base: home, place: l.display(path), kind: f.Kind, ending: f.Ending, entered: map[string]bool{}}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		l.unreadable(path, "the folder", err)
	case info.IsDir() && f.Kind == config.KindSkill:
		w.skills(path, real)
	case info.IsDir():
		w.dir(path, real, 0)
	case info.Mode().IsRegular():
		w.file(path, real, 0)
	}
}

// unreadable tells of a folder or a link that is there and cannot be read.
func (l *lister) unreadable(path, what string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		l.diags.Add(config.Unreadable(diag.At(l.display(path), 1, 1, 0), what, err))
	}
}

// walk is the way through one place.
type walk struct {
	*lister
	as      file   // what all files have in common
	base    string // of the tree, without links
	place   string // where the walk begins, as diagnostics call it
	kind    config.Kind
	ending  string          // of names; "" = that of the kind
	entered map[string]bool // real paths of folders
}

// dir lists a folder in the order of its names: path is how it was reached, real is where it lies.
func (w *walk) dir(path, real string, depth int) {
	if w.entered[real] || depth > maxDepth {
		return
	}
	if len(w.entered) == maxFolders {
		w.entered[""] = true // told once
		w.diags.Add(diag.New("E-DIR-LARGE", diag.At(w.place, 1, 1, 0), "%s holds more than %d folders; what lies in %s and behind it was not read", w.place, maxFolders, w.display(path)).
			Suggest("a link may lead out of the workspace: keep definitions in a folder of their own"))
	}
	if len(w.entered) > maxFolders {
		return
	}
	w.entered[real] = true
	entries, err := os.ReadDir(real)
	if err != nil {
		w.unreadable(path, "the folder", err)
		return
	}
	for _, e := range entries {
		name := e.Name()
		if hidden(name) {
			continue
		}
		at, target, mode := filepath.Join(path, name), filepath.Join(real, name), e.Type()
		if mode&fs.ModeSymlink != 0 {
			if target, mode, err = follow(target); err != nil {
				if w.wants(name) {
					w.unreadable(at, "the file", err)
				}
				continue
			}
		}
		switch {
		case mode.IsDir():
			if w.descends(depth) {
				w.dir(at, target, depth+1)
			}
		case mode.IsRegular() && w.wants(name) && w.stays(at, target):
			w.file(at, target, depth)
		}
	}
}

// follow finds what a link leads to. A dangling link is an error that nobody is told of: editors make such links as locks.
func follow(link string) (string, fs.FileMode, error) {
	info, err := os.Stat(link) // says of a circle what it is
	if err != nil {
		return "", 0, err
	}
	real, err := filepath.EvalSymlinks(link)
	return real, info.Mode().Type(), err
}

// descends tells whether folders of the kind hold folders.
func (w *walk) descends(depth int) bool {
	switch w.kind {
	case config.KindWorkflow, config.KindJob, config.KindModel:
		return false
	}
	return true
}

// wants tells whether a file of this name is a definition of the kind.
func (w *walk) wants(name string) bool {
	if w.ending != "" {
		return strings.HasSuffix(name, w.ending)
	}
	switch w.kind {
	case config.KindWorkflow, config.KindJob, config.KindModel:
		return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
	}
	return strings.HasSuffix(name, ".md")
}

// stays refuses a file of instructions that a link brings from elsewhere: its text would go to a model although nobody named
// it. Files of other kinds say in their own metadata that they are meant.
func (w *walk) stays(path, real string) bool {
	if w.kind != config.KindRule {
		return true
	}
	if rel, err := filepath.Rel(w.base, real); err == nil && filepath.IsLocal(rel) {
		return true
	}
	w.diags.Add(diag.New("E-FILE-READ", diag.At(w.display(path), 1, 1, 0), "the link leads out of the project, so the file is not read").
		Suggest("copy the file, or remove the link"))
	return false
}

func (w *walk) file(path, real string, depth int) {
	if w.seen[identity{w.kind, real}] {
		return
	}
	w.seen[identity{w.kind, real}] = true
	f := new(file)
	*f = w.as
	f.path, f.name, f.depth = real, w.display(path), depth
	if f.plugin.Name != "" {
		f.folder = below(w.place, f.name)
	}
	w.files = append(w.files, f)
}

// hidden are names that are never definitions: hidden files, and what editors leave beside a file.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") || strings.HasSuffix(name, "~")
}

// readFile reads a definition whole.
func readFile(path string) ([]byte, error) { return wholefile.Read(path, maxFileSize) }

// readFault says why a file cannot be read, without the path that its place shows already.
func readFault(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Sprintf("the file cannot be read: %v", err)
}
