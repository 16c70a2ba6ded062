package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes data to a file with these permissions, in a folder that exists. After an error the file is what it was.
func Replace(path string, perm fs.FileMode, data []byte) error {
	return ReplaceWith(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplacePrivate is Replace for a file, and a folder where there is none yet, that are the owner's alone.
func ReplacePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return Replace(path, 0o600, data)
}

// ReplaceWith is Replace for text that write produces; its error is returned.
func ReplaceWith(path string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // readable by its owner alone until it is whole
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err = errors.Join(write(f), f.Chmod(perm), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
