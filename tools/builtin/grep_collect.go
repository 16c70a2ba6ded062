package builtin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/tools/builtin/internal/search"
)

// grepSearch is one search on its way: names are collected by the walk or by ripgrep, each file is then opened below the
// tree and searched here. Ripgrep only says where looking is worth while, so both ways give the same answer.
type grepSearch struct {
	*tree
	grepQuery
	only     string // the one file of the tree to search; "" = all
	readable func(path string) bool

	mu       sync.Mutex
	found    []grepFile
	unread   int // folders and files that could not be read
	oversize int // files over maxEditable
}

// grepFile is a file with matches.
type grepFile struct {
	rel   string
	count int // hits; in files mode the search stops at the first
}

// collect finds the files with matches, by path.
func (s *grepSearch) collect(ctx context.Context, rg ripgrep) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	names := make(chan string, 64)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8) {
		workers.Go(func() {
			var buf bytes.Buffer
			for rel := range names {
				if ctx.Err() == nil {
					s.search(rel, &buf)
				}
			}
		})
	}
	err := s.names(ctx, rg, func(rel string) {
		if s.only == "" && !s.wants(rel) || s.readable != nil && !s.readable(filepath.Join(s.path, rel)) {
			return
		}
		select {
		case names <- rel:
		case <-ctx.Done():
		}
	})
	close(names)
	workers.Wait()
	slices.SortFunc(s.found, func(a, b grepFile) int { return strings.Compare(a.rel, b.rel) })
	return errors.Join(err, context.Cause(ctx))
}

// names lists the files to look at: what ripgrep found if it is there, else every file.
func (s *grepSearch) names(ctx context.Context, rg ripgrep, each func(rel string)) error {
	if s.only != "" {
		each(s.only)
		return nil
	}
	list, err := rg.list(ctx, s)
	if err == nil {
		for _, rel := range list {
			each(rel)
		}
		return nil
	}
	if !errors.Is(err, errNoRipgrep) {
		return err
	}
	unread, err := s.walk(ctx, func(e entry) bool {
		if e.Type().IsRegular() {
			each(e.rel)
		}
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unread += unread
	return err
}

// search looks through one file.
func (s *grepSearch) search(rel string, buf *bytes.Buffer) {
	data, err := s.load(rel, buf)
	count := 0
	if err == nil && !search.IsBinary(data) {
		for range s.pattern.Find(data) {
			if count++; s.mode == modeFiles {
				break
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, errOversize):
		s.oversize++
	case err != nil && !errors.Is(err, fs.ErrNotExist): // what went away during the search is no fault
		s.unread++
	case count > 0:
		s.found = append(s.found, grepFile{rel, count})
	}
}

var errOversize = errors.New("is too large to search")

// load reads the file rel into buf, without a byte order mark.
func (s *grepSearch) load(rel string, buf *bytes.Buffer) ([]byte, error) {
	info, err := s.top.Lstat(rel)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(s.top, rel, info)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxEditable {
		return nil, errOversize
	}
	buf.Reset()
	buf.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(f, maxEditable)); err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(buf.Bytes(), []byte("\ufeff")), nil
}
