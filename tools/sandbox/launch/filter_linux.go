package launch

import (
	"runtime"
	"syscall"
)

// Filterable tells whether the filter knows this machine's system calls.
const Filterable = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"

// Machines, as a filter sees them (linux/audit.h).
const (
	auditAMD64 = 0xc000003e
	auditARM64 = 0xc00000b7
)

// Offsets in what a filter sees of a system call.
const (
	offNumber = 0
	offArch   = 4
	offFirst  = 16 // the low half of the first argument, on a little-endian machine
)

// filter refuses the calling thread, and what it starts, the ways round file rights that Landlock leaves: sockets with a path,
// by which daemons with more rights are spoken to (docker, ssh-agent, D-Bus, tmux, X11), those of virtual machines, the keys
// that the kernel keeps for the user, the limits of other processes, of which one in CPU time kills, and io_uring, which does
// all of that unseen. Another machine's calls are refused whole.
func filter() error {
	arch := uint32(auditAMD64)
	if runtime.GOARCH == "arm64" {
		arch = auditARM64
	}
	socket, _ := numbers()
	const (
		load  = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS
		equal = syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
		above = syscall.BPF_JMP | syscall.BPF_JGE | syscall.BPF_K
		ret   = syscall.BPF_RET | syscall.BPF_K
	)
	refuse := func(e syscall.Errno) uint32 { return retErrno | uint32(e) }
	prog := []syscall.SockFilter{
		{Code: load, K: offArch},
		{Code: equal, Jt: 1, K: arch},
		{Code: ret, K: refuse(syscall.ENOSYS)},
		{Code: load, K: offNumber},
		{Code: above, Jf: 1, K: 0x40000000}, // the x32 form of calls
		{Code: ret, K: refuse(syscall.ENOSYS)},
		{Code: equal, Jf: 1, K: sysIOUringSetup},
		{Code: ret, K: refuse(syscall.ENOSYS)},
		{Code: equal, Jt: 2, K: syscall.SYS_KEYCTL},
		{Code: equal, Jt: 1, K: syscall.SYS_ADD_KEY},
		{Code: equal, Jf: 1, K: syscall.SYS_REQUEST_KEY},
		{Code: ret, K: refuse(syscall.EPERM)},
		{Code: equal, Jf: 4, K: syscall.SYS_PRLIMIT64},
		{Code: load, K: offFirst},
		{Code: equal, Jt: 1, K: 0}, // the caller itself
		{Code: ret, K: refuse(syscall.EPERM)},
		{Code: ret, K: retAllow},
		{Code: equal, Jt: 1, K: socket},
		{Code: ret, K: retAllow},
		{Code: load, K: offFirst},
		{Code: equal, Jt: 1, K: syscall.AF_UNIX},
		{Code: equal, Jf: 1, K: afVsock},
		{Code: ret, K: refuse(syscall.EPERM)},
		{Code: ret, K: retAllow},
	}
	return failed(installFilter(prog), "filter of system calls")
}
