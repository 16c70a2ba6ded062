//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the largest resident memory of an ended process, in bytes.
func peak(state *os.ProcessState) int64 {
	n := int64(state.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS != "darwin" {
		n *= 1024 // kilobytes everywhere else
	}
	return n
}
