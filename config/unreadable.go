package config

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Unreadable is the finding that something is there and cannot be read, with the way out. what names it, as in "the file".
func Unreadable(at diag.Range, what string, err error) diag.Diagnostic {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // the place shows the path
	}
	d := diag.New("E-FILE-READ", at, "%s cannot be read: %v", what, err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return d.Suggest("give yourself the right to read it (chmod u+r, of a folder u+rx), or remove it")
	case errors.Is(err, syscall.ELOOP):
		return d.Suggest("the link leads in a circle: mend it, or remove it")
	}
	return d.Suggest("put what can be read in its place, or remove it")
}
