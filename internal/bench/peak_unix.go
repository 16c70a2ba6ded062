//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// peak is the largest resident memory of an ended process, in bytes.
func peak(state *os.ProcessState) int64 {
	n := int64(state.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS != "darwin" {
		n *= 1024 // kilobytes everywhere else
	}
	return n
}

// processTime is the processor time that this process has taken.
func processTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
