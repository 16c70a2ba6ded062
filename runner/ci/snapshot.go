package ci

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/internal/wholefile"
)

// Bounds of what is kept of files to compare them line by line, and of a file that is read at all, in bytes.
const (
	keptFile  = 256 << 10
	keptFiles = 16 << 20
	readFile  = 1 << 30
)

// snapshot is the files of a folder at a moment, by path with slashes.
type snapshot map[string]seenFile

type seenFile struct {
	size int64
	time time.Time
	mode fs.FileMode
	sum  [sha256.Size]byte
	text []byte // nil = not kept
	link string
}

// look takes a snapshot. before says what need not be read again.
func look(dir string, before snapshot) (snapshot, error) {
	out, left := snapshot{}, keptFiles
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if d.Name() == ".git" || rel == ".swarmrun" {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := seenFile{size: info.Size(), time: info.ModTime(), mode: info.Mode()}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			f.link, err = os.Readlink(path)
		case info.Mode().IsRegular():
			if was, ok := before[rel]; ok && was.size == f.size && was.time.Equal(f.time) && was.mode == f.mode {
				f = was
				break
			}
			err = f.read(path, min(keptFile, left))
			left -= len(f.text)
		}
		out[rel] = f
		return err
	})
	return out, err
}

// read takes in what a regular file holds, and keeps the text of one of at most so many bytes. A file that is too large to be
// read counts as another one when its size or time is another.
func (f *seenFile) read(path string, kept int) (err error) {
	sum := sha256.New()
	switch {
	case f.size <= int64(kept):
		if f.text, err = wholefile.Read(path, keptFile); err == nil {
			_, err = sum.Write(f.text)
		}
	case f.size > readFile:
		_, err = fmt.Fprint(sum, f.size, f.time)
	default:
		var file *os.File
		if file, _, err = wholefile.Open(path); err == nil {
			_, err = io.Copy(sum, io.LimitReader(file, readFile))
			err = errors.Join(err, file.Close())
		}
	}
	sum.Sum(f.sum[:0])
	return err
}

func (f seenFile) same(g seenFile) bool {
	return f.mode == g.mode && f.sum == g.sum && f.link == g.link
}

// changes are the files that differ between two snapshots.
func changes(before, after snapshot) []Change {
	var out []Change
	for path, f := range after {
		was, known := before[path]
		switch {
		case !known:
			c := Change{Path: path, Status: "added"}
			c.Added, _ = lineChanges(nil, f.text)
			out = append(out, c)
		case !was.same(f):
			c := Change{Path: path, Status: "changed"}
			c.Added, c.Removed = lineChanges(was.text, f.text)
			out = append(out, c)
		}
	}
	for path, f := range before {
		if _, known := after[path]; !known {
			c := Change{Path: path, Status: "removed"}
			_, c.Removed = lineChanges(f.text, nil)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// lineChanges counts the lines that one text has and the other has not, as often as they stand there; a line that moved
// counts on neither side. What is no text has no lines.
func lineChanges(was, is []byte) (added, removed int) {
	if !utf8.Valid(was) || !utf8.Valid(is) {
		return 0, 0
	}
	count := map[string]int{}
	for line := range bytes.Lines(is) {
		count[string(bytes.TrimRight(line, "\r\n"))]++
	}
	for line := range bytes.Lines(was) {
		count[string(bytes.TrimRight(line, "\r\n"))]--
	}
	for _, n := range count {
		added += max(n, 0)
		removed += max(-n, 0)
	}
	return added, removed
}
