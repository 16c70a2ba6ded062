//go:build !linux

package session

import "os"

// datasync writes the file to disk.
func datasync(f *os.File) error { return f.Sync() }
