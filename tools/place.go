package tools

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// place is a file as it is named and as it lies: a rule must not be evaded through a symbolic link, and must not be
// widened by one.
type place struct {
	link string // absolute and cleaned
	real string // with all links followed; of what does not exist, the longest existing folder is
}

// maxLinks is how many links are followed for one path, as in Linux.
const maxLinks = 40

var errLinks = errors.New("too many symbolic links")

// locate follows links. The end of a dangling link counts: writing through it would create that file.
func locate(path string) (place, error) {
	path = filepath.Clean(path)
	real, err := follow(path)
	return place{link: path, real: real}, err
}

func follow(path string) (string, error) {
	done, rest := root(path)
	return followFrom(done, rest)
}

// followFrom goes on from a folder that is free of links.
func followFrom(done, rest string) (string, error) {
	for links := 0; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, string(filepath.Separator))
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		fi, err := os.Lstat(next)
		if err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			done = next // what cannot be looked at cannot be opened either
			continue
		}
		if links++; links > maxLinks {
			return "", errLinks
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			done, target = root(target)
		}
		rest = target + string(filepath.Separator) + rest
	}
	return done, nil
}

func root(path string) (string, string) {
	vol := filepath.VolumeName(path)
	sep := string(filepath.Separator)
	return vol + sep, strings.TrimLeft(path[len(vol):], sep)
}

// base is a folder that patterns start at or that a run works in: a file may be named below either form.
type base [2]string

func newBase(dir string) base {
	p, err := locate(dir)
	if err != nil {
		p.real = p.link
	}
	return base{p.link, p.real}
}

// rel is path below the base with slashes, "." for the base itself.
func (b base) rel(path string) (string, bool) {
	for _, dir := range b {
		if rel, ok := below(dir, path); ok {
			return rel, true
		}
	}
	return "", false
}

// below is path relative to dir, if it lies there.
func below(dir, path string) (string, bool) {
	dir, path = fold(dir), fold(path)
	if dir == path {
		return ".", true
	}
	rel, ok := strings.CutPrefix(path, dir)
	if sep := string(filepath.Separator); ok && !strings.HasSuffix(dir, sep) {
		rel, ok = strings.CutPrefix(rel, sep)
	}
	return filepath.ToSlash(rel), ok
}

// foldsCase: on these systems two spellings of a name are one file.
const foldsCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

func fold(s string) string {
	if foldsCase {
		return strings.ToLower(s)
	}
	return s
}
