//go:build !unix

package sandbox

import (
	"os"
	"syscall"
)

// Without process groups a child could outlive its time limit, so none is started.
const (
	supported = false

	term = syscall.SIGTERM
	kill = syscall.SIGKILL
	cont = syscall.Signal(0)
)

func group() *syscall.SysProcAttr { return nil }

func signalGroup(int, syscall.Signal) bool { return false }

func groupAlive(int) bool { return false }

func outcome(p *os.ProcessState) (exit int, signal string) { return p.ExitCode(), "" }

func signalName(s syscall.Signal) string { return s.String() }
