package builtin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/swarmrun/swarmrun/tools"
)

// paths turns what a model writes into absolute paths.
type paths struct {
	home string // "" = unknown: ~ is then refused
}

// absolute is the cleaned absolute form of a path, links not resolved.
func (p paths) absolute(name string, at tools.Roots) (string, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return "", errors.New("the path is empty")
	case strings.ContainsRune(name, 0):
		return "", errors.New("the path has a NUL character in it")
	case name == "~" || strings.HasPrefix(name, "~/"):
		if p.home == "" {
			return "", fmt.Errorf("%s: the home folder is unknown here; write an absolute path", name)
		}
		return filepath.Join(p.home, name[1:]), nil
	case filepath.IsAbs(name):
		return filepath.Clean(name), nil
	}
	return filepath.Join(at.Dir, name), nil
}

// touch is the Touch of one path.
func (p paths) touch(kind tools.TouchKind, name string, at tools.Roots) ([]tools.Touch, error) {
	path, err := p.absolute(name, at)
	if err != nil {
		return nil, err
	}
	return []tools.Touch{{Kind: kind, Value: path}}, nil
}

// place is a path that has been pinned: all links on the way were resolved and the folder it ends in is held open, so
// that a link exchanged afterwards leads nowhere else. The file itself need not exist.
//
// A path inside the run's folders must stay inside them after its links are resolved. A path outside was allowed by a
// rule that names it; its links are resolved once, here, and what comes of that is opened folder by folder with no link
// followed, which is O_NOFOLLOW for every part of the path. Between the rules' look at a link and ours the link may change:
// inside the folders that can reach no file outside them, outside them the folders in question are not the agent's to write.
type place struct {
	name    string   // absolute path as asked for
	real    string   // absolute path without links, except for those in the name of the run's folder
	dir     *os.Root // the deepest folder on the way that exists
	base    string   // below dir: one element, or several when folders are missing
	missing bool     // dir is not the parent: folders must be made first
}

var errChanged = errors.New("a folder on the way was exchanged while the path was opened; try again")

// pin resolves and opens the way to name, an absolute cleaned path, for a call. Close it. Where the rules met no link on the way
// just now it is opened as it is: a link that came since is not followed, and has the way looked at again.
func pin(name string, c *tools.Call) (*place, error) {
	if c.Ground != nil && c.Direct(name) {
		if in, ok := known(c.Ground, name); ok {
			if p, err := openWay(name, name, in, 0); err == nil {
				return p, nil
			}
		}
	}
	real, missing, err := resolve(name)
	if err != nil {
		return nil, err
	}
	in, inside := root{}, false
	if missing == 0 && c.Ground != nil {
		in, inside = known(c.Ground, real)
	}
	if !inside {
		rs := rootsOf(c.Roots)
		in, inside = containing(rs, real)
		if from, ok := containing(rs, name); ok && !inside {
			return nil, fmt.Errorf("%s is a link that leads out of %s, to %s; if you may use that file, name it by that path", name, from.named, real)
		}
	}
	if !inside {
		in.named = string(filepath.Separator)
		in.real = in.named
	}
	return openWay(name, real, in, missing)
}

// openWay opens the way through a folder to where name lies, which must be below it. missing: see resolve.
func openWay(name, real string, in root, missing int) (*place, error) {
	rel, err := filepath.Rel(in.real, real)
	if err != nil {
		return nil, err
	}
	p := &place{name: name, real: filepath.Join(in.named, rel)}
	parts := strings.Split(rel, string(filepath.Separator))
	depth := max(len(parts)-1-missing, 0)
	if p.dir, err = descend(in.real, parts[:depth]); err != nil {
		return nil, err
	}
	p.base, p.missing = filepath.Join(parts[depth:]...), len(parts)-depth > 1
	return p, nil
}

func (p *place) Close() error { return p.dir.Close() }

// resolve follows every link of path. missing counts the folders at its end, the last element aside, that do not exist.
func resolve(path string) (real string, missing int, err error) {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), max(missing-1, 0), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", 0, plain(err)
		}
		if _, err := os.Lstat(at); err == nil {
			return "", 0, fmt.Errorf("%s is a link that leads nowhere", at)
		}
		if at == filepath.Dir(at) {
			return "", 0, plain(err)
		}
		rest = filepath.Join(filepath.Base(at), rest)
		missing++
	}
}

// descend opens the folder parts below top without following a link below top.
func descend(top string, parts []string) (*os.Root, error) {
	dir, err := os.OpenRoot(top)
	if err != nil {
		return nil, plain(err)
	}
	for _, part := range parts {
		next, err := enter(dir, part)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// enter opens one folder of dir and makes sure that it is the folder itself and no link to one.
func enter(dir *os.Root, name string) (*os.Root, error) {
	want, err := dir.Lstat(name)
	if err != nil {
		return nil, plain(err)
	}
	if want.Mode()&fs.ModeSymlink != 0 {
		return nil, errChanged
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, plain(err)
	}
	got, err := next.Stat(".")
	if err != nil || !os.SameFile(want, got) {
		next.Close()
		return nil, errors.Join(errChanged, err)
	}
	return next, nil
}

// stat describes the file at the place; fs.ErrNotExist when there is none.
func (p *place) stat() (fs.FileInfo, error) {
	if p.missing {
		return nil, &fs.PathError{Op: "stat", Path: p.name, Err: fs.ErrNotExist}
	}
	return p.dir.Lstat(p.base)
}

// open opens the regular file at the place for reading.
func (p *place) open() (*os.File, fs.FileInfo, error) {
	info, err := p.stat()
	if err != nil {
		return nil, nil, p.fault(err)
	}
	f, err := openRegular(p.dir, p.base, info)
	if err != nil {
		return nil, nil, p.fault(err)
	}
	return f, info, nil
}

// openRegular opens name in dir if it still is the regular file that info describes. A pipe in its place does not block.
func openRegular(dir *os.Root, name string, info fs.FileInfo) (*os.File, error) {
	switch {
	case info.IsDir():
		return nil, errIsFolder
	case !info.Mode().IsRegular():
		return nil, errors.New("is no regular file")
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if got, err := f.Stat(); err != nil || !os.SameFile(info, got) {
		f.Close()
		return nil, errors.Join(errChanged, err)
	}
	return f, nil
}

var errIsFolder = errors.New("is a folder")

// read returns the whole file, which must not be larger than limit bytes.
func (p *place) read(limit int64) ([]byte, error) {
	f, info, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB", p.name, limit>>20)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, p.fault(err)
	}
	return data, nil
}

// fault says what went wrong with the place in the words of the path that was asked for.
func (p *place) fault(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist", p.name)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", p.name, err)
}

// plain drops the operation of a file error.
func plain(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// root is a folder of the run: as the run names it, and without links.
type root struct{ named, real string }

// rootsOf lists the run's folders that exist.
func rootsOf(at tools.Roots) []root {
	var rs []root
	for _, dir := range append([]string{at.Dir}, at.Dirs...) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
			rs = append(rs, root{named: filepath.Clean(dir), real: real})
		}
	}
	return rs
}

// known is the deepest of the run's folders, as the rules found them, that path lies below: it has no links in it now and its
// folder exists, so that folder is there still. Where none is found they are looked at anew.
func known(g *tools.Ground, path string) (in root, ok bool) {
	for named, real := range g.Folders {
		if path != real && within(path, real) && len(real) >= len(in.real) {
			in, ok = root{named: named, real: real}, true
		}
	}
	return in, ok
}

// containing returns the deepest of the folders that path lies in, by either of their names.
func containing(rs []root, path string) (in root, ok bool) {
	for _, r := range rs {
		if (within(path, r.named) || within(path, r.real)) && len(r.real) >= len(in.real) {
			in, ok = r, true
		}
	}
	return in, ok
}

// within reports whether path is dir or lies below it. Both are clean.
func within(path, dir string) bool {
	if dir == string(filepath.Separator) || path == dir {
		return true
	}
	return strings.HasPrefix(path, dir+string(filepath.Separator))
}
