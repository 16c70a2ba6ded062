package config

import (
	"errors"
	"io/fs"

	"github.com/swarmrun/swarmrun/config/diag"
)

// maxTreeSettings is the largest settings file of another program that is read, in bytes.
const maxTreeSettings = 4 << 20

// ReadTree reads the one settings file of a tree; nil when there is none. A file that cannot be read is an error, since what it
// forbids would be lost.
func ReadTree(tree fs.FS, path string, name func(string) string, read func([]byte, string) (*TreeSettings, diag.List)) (*TreeSettings, diag.List) {
	data, err := fs.ReadFile(tree, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(data) > maxTreeSettings {
		err = errors.New("it is too large")
	}
	if err != nil {
		return nil, diag.List{Unreadable(diag.At(name(path), 1, 1, 0), "the file", err)}
	}
	return read(data, name(path))
}
