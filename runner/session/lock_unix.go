//go:build unix

package session

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// hold takes the session for this open file or tells who has it. The lock goes with the file or the process; a record lock
// stands beside it for nothing but its holder's pid.
func hold(f *os.File, id string) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return &HeldError{ID: id, PID: holder(f)}
	}
	if err != nil {
		return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	mark := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	_ = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &mark) // without it the second one is told no pid
	return nil
}

func holder(f *os.File) int {
	q := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &q); err != nil {
		return 0
	}
	if q.Type == unix.F_UNLCK {
		return 0 // our own process, which does not see its own lock
	}
	return int(q.Pid)
}

// syncDir makes a new file's name outlive the machine.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
