package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/swarmrun/swarmrun/tools"
)

// maxEditable is the largest file that is read whole, in bytes: what Write, Edit and MultiEdit change and Grep searches.
const maxEditable = 64 << 20

// seen is what one conversation knows of files: the digest of the content that it last read or wrote, by real path.
type seen struct {
	mu      sync.Mutex
	digests map[string]string
}

func (s *seen) know(path, digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.digests == nil {
		s.digests = map[string]string{}
	}
	s.digests[path] = digest
}

// check says why content of path must not be overwritten by somebody who knows only what s knows; nil = it may.
func (s *seen) check(name, path string, content []byte) error {
	s.mu.Lock()
	known, ok := s.digests[path]
	s.mu.Unlock()
	switch {
	case !ok:
		return fmt.Errorf("%s has not been read in this conversation; Read it first, so that nothing in it is lost unseen", name)
	case known != digest(content):
		return fmt.Errorf("%s has changed since it was last read; Read it again", name)
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// files changes files, one change at a time for each file whichever run it comes from.
type files struct {
	paths paths
	locks keyed
}

// change replaces the content of the file at name by what next makes of it. old is nil where there is no file; next is
// then asked too. The conversation must know the present content, and knows the new one afterwards.
func (f *files) change(c *tools.Call, name string, next func(name string, old []byte) ([]byte, error)) (path string, err error) {
	if path, err = f.paths.absolute(name, c.Roots); err != nil {
		return "", err
	}
	p, err := pin(path, c)
	if err != nil {
		return "", err
	}
	defer p.Close()
	defer f.locks.lock(p.real)()
	known := tools.Of[seen](c.State)
	old, err := p.current()
	if err != nil {
		return "", err
	}
	if old != nil {
		if err := known.check(path, p.real, old); err != nil {
			return "", err
		}
	}
	data, err := next(path, old)
	if err != nil {
		return "", err
	}
	if err := p.replace(data); err != nil {
		return "", err
	}
	known.know(p.real, digest(data))
	return path, nil
}

// current is the content of the file at the place; nil when there is none (an empty file is not nil).
func (p *place) current() ([]byte, error) {
	if _, err := p.stat(); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return p.read(maxEditable)
}

// keyed is a set of locks by name. The zero keyed is ready; unused names take no memory.
type keyed struct {
	mu    sync.Mutex
	locks map[string]*counted
}

type counted struct {
	mu   sync.Mutex
	uses int
}

// lock waits for name and returns the unlock.
func (k *keyed) lock(name string) func() {
	k.mu.Lock()
	l := k.locks[name]
	if l == nil {
		if k.locks == nil {
			k.locks = map[string]*counted{}
		}
		l = &counted{}
		k.locks[name] = l
	}
	l.uses++
	k.mu.Unlock()
	l.mu.Lock()
	return func() {
		l.mu.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.uses--; l.uses == 0 {
			delete(k.locks, name)
		}
	}
}
