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

// syncFileSystem writes all of the file system of f to disk. Since Linux 5.8 it reports faults of the disk as datasync does.
func syncFileSystem(f *os.File) (all bool, err error) {
	for {
		err := unix.Syncfs(int(f.Fd()))
		if err != unix.EINTR {
			return true, os.NewSyscallError("syncfs", err)
		}
	}
}
