package session

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// hold locks one byte far behind any record, so that readers are not in the way.
func hold(f *os.File, id string) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return &HeldError{ID: id}
	}
	if err != nil {
		return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}

// syncDir does nothing: a folder cannot be synced here.
func syncDir(string) error { return nil }
