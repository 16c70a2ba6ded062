package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// fileLog is a session file that this process holds.
type fileLog struct {
	id     string
	f      *os.File
	beside string
	group  *group // of all sessions of the folder
	fresh  bool   // the folder does not know the file yet

	mu     sync.Mutex // guards what follows and the writes
	size   int64
	buf    []byte // of the records being written
	broken error  // the first write that failed: what comes after it would stand in a wrong place

	syncing sync.Mutex // one sync at a time; whoever waits finds most of the work done
	synced  int64
}

// begin holds a new file and writes its head.
func (l *fileLog) begin(h Head) error {
	if err := hold(l.f, l.id); err != nil {
		return err
	}
	var err error
	if l.buf, err = appendHead(l.buf, h); err != nil {
		return fmt.Errorf("session %s: %w", l.id, err)
	}
	return l.flush()
}

// load holds a file, reads it and cuts off a torn last line.
func (l *fileLog) load() (*Stored, error) {
	if err := hold(l.f, l.id); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(l.f)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	s, err := Decode(text)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", l.id, err)
	}
	l.size = int64(len(text) - s.Torn)
	if s.Torn > 0 {
		if err := l.f.Truncate(l.size); err != nil {
			return nil, fmt.Errorf("session: %w", err)
		}
	}
	return s, nil
}

// Append writes records in one write.
func (l *fileLog) Append(rs ...Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	l.buf = l.buf[:0]
	for i := range rs {
		var err error
		if l.buf, err = appendRecord(l.buf, &rs[i]); err != nil {
			return fmt.Errorf("session %s: %w", l.id, err)
		}
	}
	return l.flush()
}

// flush writes the buffer. A write that stopped half-way is taken back, so that the file stays whole.
func (l *fileLog) flush() error {
	n, err := l.f.Write(l.buf)
	if err == nil {
		l.size += int64(n)
		return nil
	}
	if n > 0 {
		err = errors.Join(err, l.f.Truncate(l.size))
	}
	l.broken = fmt.Errorf("session %s cannot be written: %w", l.id, err)
	return l.broken
}

// Sync writes to disk what was appended before; calls at the same time share the work.
func (l *fileLog) Sync() error {
	l.mu.Lock()
	want, broken := l.size, l.broken
	l.mu.Unlock()
	if broken != nil {
		return broken
	}
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if l.synced >= want {
		return nil
	}
	l.mu.Lock()
	want = l.size
	l.mu.Unlock()
	if err := l.group.sync(l.f, l.sync); err != nil {
		return l.fail(err)
	}
	l.fresh = false
	l.synced = want
	return nil
}

// sync writes the file to disk and, the first time, its name in the folder.
func (l *fileLog) sync() error {
	if err := datasync(l.f); err != nil || !l.fresh {
		return err
	}
	return syncDir(filepath.Dir(l.f.Name()))
}

// fail keeps the first fault: after a sync that failed nobody knows what is on disk.
func (l *fileLog) fail(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = fmt.Errorf("session %s cannot be written: %w", l.id, err)
	}
	return l.broken
}

// Keep writes a long text. A name that is taken gets a number.
func (l *fileLog) Keep(name, text string) (string, error) {
	if name != filepath.Base(name) || name == "." || name == ".." {
		return "", fmt.Errorf("session %s: %q is no file name", l.id, name)
	}
	if err := os.MkdirAll(l.beside, 0o700); err != nil {
		return "", fmt.Errorf("session: %w", err)
	}
	path := filepath.Join(l.beside, name)
	for n := 2; ; n++ {
		err := writeNew(path, text)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("session: %w", err)
		}
		e := filepath.Ext(name)
		path = filepath.Join(l.beside, fmt.Sprintf("%s-%d%s", name[:len(name)-len(e)], n, e))
	}
}

func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Close syncs and releases.
func (l *fileLog) Close() error {
	return errors.Join(l.Sync(), l.f.Close())
}
