//go:build !linux

package session

import "os"

// datasync writes the file to disk.
func datasync(f *os.File) error { return f.Sync() }

// syncFileSystem is not to be had here.
func syncFileSystem(*os.File) (all bool, err error) { return false, nil }
