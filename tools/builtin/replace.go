package builtin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replace puts data in the place of the file, whole or not at all: a new file beside it is written, synced and renamed
// over it. The old file keeps its mode; a new one gets 0666 less the umask. Missing folders are made.
func (p *place) replace(data []byte) error {
	if err := p.makeFolders(); err != nil {
		return p.fault(err)
	}
	mode, known := fs.FileMode(0o666), false
	if old, err := p.stat(); err == nil {
		if err := replaceable(old); err != nil {
			return p.fault(err)
		}
		mode, known = old.Mode().Perm(), true
	} else if !errors.Is(err, fs.ErrNotExist) {
		return p.fault(err)
	}
	temp := ".swarmrun-" + rand.Text() + ".tmp"
	if err := writeNew(p.dir, temp, data, mode, known); err != nil {
		p.dir.Remove(temp)
		return p.fault(err)
	}
	if err := p.dir.Rename(temp, p.base); err != nil {
		p.dir.Remove(temp)
		return p.fault(err)
	}
	return nil
}

func replaceable(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errIsFolder
	case !info.Mode().IsRegular():
		return errors.New("is no regular file")
	case info.Mode().Perm()&0o222 == 0:
		return errors.New("is read-only")
	}
	return nil
}

// writeNew creates the file name; exact sets the mode past the umask.
func writeNew(dir *os.Root, name string, data []byte, mode fs.FileMode, exact bool) (err error) {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if exact {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	return f.Sync()
}

// makeFolders makes the folders that are missing on the way and moves the place into the last of them.
func (p *place) makeFolders() error {
	if !p.missing {
		return nil
	}
	folder, base := filepath.Split(p.base)
	if err := p.dir.MkdirAll(filepath.Clean(folder), 0o777); err != nil {
		return err
	}
	dir, err := p.dir.OpenRoot(filepath.Clean(folder))
	if err != nil {
		return fmt.Errorf("open the new folder: %w", err)
	}
	p.dir.Close()
	p.dir, p.base, p.missing = dir, base, false
	return nil
}
