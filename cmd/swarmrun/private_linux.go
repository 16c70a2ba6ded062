package main

import "golang.org/x/sys/unix"

// private keeps other processes of the user out of this one: keys stand in its environment and memory, and a command that an
// agent runs could read them in /proc. The kernel then refuses /proc/PID/environ, /proc/PID/mem, ptrace and core dumps.
// Where it cannot be had nothing else changes. Root may look all the same.
func private() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
