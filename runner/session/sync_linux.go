package session

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync writes the file's content and length to disk, and spares its times.
func datasync(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
