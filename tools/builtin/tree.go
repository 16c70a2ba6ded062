package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin/internal/ignore"
)

// tree is a folder that is searched. The walk follows no link and enters no .git; hidden files count. What .gitignore
// files leave out is left out: those in the tree and above it up to the top of the repository, or up to the run's folder
// where there is no repository. A search that begins inside an ignored folder ignores nothing.
type tree struct {
	top   *os.Root
	path  string // absolute
	above *ignore.Scope
	all   bool // nothing is ignored
	alien bool // an ignore file that counts for ripgrep alone lies above
}

// entry is something in a tree.
type entry struct {
	fs.DirEntry
	rel string // below the tree, slash-separated
}

var errNoFolder = errors.New("no such folder")

// openTree opens the folder at path, for a call. Close its top. errNoFolder: there is none, or it is something else.
func openTree(path string, c *tools.Call) (*tree, error) {
	p, err := pin(path, c)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	info, err := p.stat()
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: %w", path, errNoFolder)
	}
	if err != nil {
		return nil, p.fault(err)
	}
	top, err := enter(p.dir, p.base)
	if err != nil {
		return nil, err
	}
	t := &tree{top: top, path: p.real}
	t.lookAbove(c.Roots)
	return t, nil
}

// lookAbove finds the ignore files of the folders above the tree.
func (t *tree) lookAbove(at tools.Roots) {
	in, inside := containing(rootsOf(at), t.path)
	var chain []string // the folders whose ignore files count, from the tree up
	done := false      // at the top of the repository
	for dir := t.path; ; dir = filepath.Dir(dir) {
		t.alien = t.alien || exists(dir, ".rgignore")
		if !done {
			chain = append(chain, dir)
			done = exists(dir, ".git")
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if !done {
		for n := len(chain); n > 1 && !(inside && within(chain[n-1], in.named)); n = len(chain) {
			t.alien = t.alien || exists(chain[n-1], ".gitignore")
			chain = chain[:n-1]
		}
	}
	slices.Reverse(chain)
	for i, dir := range chain[:len(chain)-1] {
		if f, err := ignoreFileOf(dir); err == nil {
			t.above = t.above.In(dir, f)
		}
		t.all = t.all || t.above.Ignores(chain[i+1], true)
	}
}

func ignoreFileOf(folder string) (*ignore.File, error) {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return readIgnore(dir, "")
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// readIgnore reads the .gitignore of the folder rel below dir. As for git, a link is none.
func readIgnore(dir *os.Root, rel string) (*ignore.File, error) {
	name := join(rel, ".gitignore")
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(dir, name, info)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, ignore.MaxSize))
	return ignore.Parse(text), err
}

// readDir lists the folder rel below dir, by name.
func readDir(dir *os.Root, rel string) ([]fs.DirEntry, error) {
	f, err := dir.Open(join(rel, "."))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// walk calls visit for every entry of the tree, folders before what is in them, names in order. visit says whether to
// enter a folder. Folders that cannot be read are counted and passed over.
func (t *tree) walk(ctx context.Context, visit func(entry) (enter bool)) (unread int, err error) {
	w := &walk{tree: t, visit: visit}
	err = w.folder(ctx, "", t.above)
	return w.unread, err
}

type walk struct {
	*tree
	visit  func(entry) bool
	unread int
}

// folder walks the folder rel, "" for the tree itself.
func (w *walk) folder(ctx context.Context, rel string, scope *ignore.Scope) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := readDir(w.top, rel)
	if err != nil {
		w.unread++
		return nil
	}
	if !w.all {
		scope = w.scope(rel, entries, scope)
	}
	for _, e := range entries {
		path := join(rel, e.Name())
		if e.Name() == ".git" || !w.all && scope.Ignores(w.path+"/"+path, e.IsDir()) {
			continue
		}
		if w.visit(entry{e, path}) && e.IsDir() {
			if err := w.folder(ctx, path, scope); err != nil {
				return err
			}
		}
	}
	return nil
}

// scope is the scope in the folder rel with these entries: a repository within a repository begins anew.
func (w *walk) scope(rel string, entries []fs.DirEntry, scope *ignore.Scope) *ignore.Scope {
	has := func(name string) bool {
		_, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
		return ok
	}
	if has(".git") {
		scope = nil
	}
	if has(".gitignore") {
		if f, err := readIgnore(w.top, rel); err == nil {
			scope = scope.In(filepath.Join(w.path, rel), f)
		}
	}
	return scope
}

// join is path.Join for a clean folder and a name.
func join(folder, name string) string {
	switch {
	case folder == "":
		return name
	case name == ".":
		return folder
	}
	return folder + "/" + name
}
