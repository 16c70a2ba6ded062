package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxSession is the largest session that is read, in bytes.
const maxSession = 1 << 30

// make makes the folder, and the one that it is in, but no more: a workspace that was moved away does not come back as an empty
// one. The folder ignores itself: who adds a whole folder to a repository does not add the conversations in it.
func (d *Dir) make() error {
	for _, dir := range []string{filepath.Dir(d.path), d.path} {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	f, err := os.OpenFile(filepath.Join(d.path, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// file opens the file of a session. The folder may come with a repository that somebody else wrote, so a link, which could
// lead to any file of the person's, a device and a pipe are refused.
func (d *Dir) file(id string, flags int) (*os.File, error) {
	path := d.Path(id)
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	if before.Size() > maxSession {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, maxSession>>20)
	}
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, errors.Join(fmt.Errorf("%s was exchanged while it was opened", path), err, f.Close())
	}
	return f, nil
}

// read returns the whole file of a session.
func (d *Dir) read(id string) ([]byte, error) {
	f, err := d.file(id, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSession))
}
