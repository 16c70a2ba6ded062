//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	supported = true

	term = syscall.SIGTERM
	kill = syscall.SIGKILL
	cont = syscall.SIGCONT
)

// group puts a child into a process group of its own, whose id is the child's.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signalGroup tells whether somebody was there to get the signal. The leader may have been waited for: its number is not
// given away while the group has members.
func signalGroup(pid int, s syscall.Signal) bool {
	return !errors.Is(syscall.Kill(-pid, s), syscall.ESRCH)
}

func groupAlive(pid int) bool { return signalGroup(pid, 0) }

// outcome is how a process ended.
func outcome(p *os.ProcessState) (exit int, signal string) {
	ws, ok := p.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return -1, signalName(ws.Signal())
	}
	return p.ExitCode(), ""
}

func signalName(s syscall.Signal) string { return unix.SignalName(s) }
