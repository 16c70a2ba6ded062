package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrIrregular is the error of what is no regular file: a folder, a pipe, a device.
var ErrIrregular = errors.New("not a regular file")

// Read reads a regular file of at most limit bytes. The files of a workspace are anybody's: opening a pipe would wait for
// whoever writes to it, and reading a file that only seems to be full would fill the memory.
func Read(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return all(f, info, limit)
}

// ReadIn is Read inside a folder, which no link leaves.
func ReadIn(dir *os.Root, name string, limit int64) ([]byte, error) {
	f, info, err := open(name, dir.Stat, dir.OpenFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return all(f, info, limit)
}

// Open opens a regular file, and never waits for it.
func Open(path string) (*os.File, fs.FileInfo, error) { return open(path, os.Stat, os.OpenFile) }

func open(name string, stat func(string) (fs.FileInfo, error), openFile func(string, int, fs.FileMode) (*os.File, error)) (*os.File, fs.FileInfo, error) {
	info, err := stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrIrregular // a device may do something when it is opened
	}
	f, err := openFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrIrregular // it was exchanged
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

func all(f *os.File, info fs.FileInfo, limit int64) ([]byte, error) {
	if info.Size() > limit {
		return nil, tooLarge(limit)
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF || err == nil && int64(len(data)) == info.Size():
			return data, nil // what grows meanwhile is read the next time
		case err != nil:
			return nil, err
		case int64(len(data)) > limit:
			return nil, tooLarge(limit)
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func tooLarge(limit int64) error {
	if limit < 1<<20 {
		return fmt.Errorf("larger than %d KiB", limit>>10)
	}
	return fmt.Errorf("larger than %d MiB", limit>>20)
}

// Dir is the tree of a folder, in which folders can be listed and regular files of at most limit bytes be read.
func Dir(path string, limit int64) fs.FS { return tree{os.DirFS(path), path, limit} }

type tree struct {
	fs.FS
	path  string
	limit int64
}

// ReadFile reads a file whole.
func (t tree) ReadFile(name string) ([]byte, error) {
	var err error = fs.ErrInvalid
	if fs.ValidPath(name) {
		var data []byte
		if data, err = Read(filepath.Join(t.path, filepath.FromSlash(name)), t.limit); err == nil {
			return data, nil
		}
	}
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		err = fault.Err
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: err}
}

// Open opens a folder or a regular file.
func (t tree) Open(name string) (fs.File, error) {
	if info, err := os.Stat(filepath.Join(t.path, filepath.FromSlash(name))); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	return t.FS.Open(name)
}
