package launch

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Filterable tells whether the filter knows this machine's system calls.
const Filterable = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"

// Offsets in what a filter sees of a system call.
const (
	offNumber = 0
	offArch   = 4
	offFirst  = 16 // the low half of the first argument, on a little-endian machine
)

// filter refuses the calling thread, and what it starts, the ways round file rights that Landlock leaves: sockets with a path,
// by which daemons with more rights are spoken to (docker, ssh-agent, D-Bus, tmux, X11), those of virtual machines, the keys
// that the kernel keeps for the user, and io_uring, which does all of that unseen. Another machine's calls are refused whole.
func filter() error {
	arch := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		above = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	refuse := func(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }
	prog := []unix.SockFilter{
		{Code: load, K: offArch},
		{Code: equal, Jt: 1, K: arch},
		{Code: ret, K: refuse(unix.ENOSYS)},
		{Code: load, K: offNumber},
		{Code: above, Jf: 1, K: 0x40000000}, // the x32 form of calls
		{Code: ret, K: refuse(unix.ENOSYS)},
		{Code: equal, Jf: 1, K: unix.SYS_IO_URING_SETUP},
		{Code: ret, K: refuse(unix.ENOSYS)},
		{Code: equal, Jt: 2, K: unix.SYS_KEYCTL},
		{Code: equal, Jt: 1, K: unix.SYS_ADD_KEY},
		{Code: equal, Jf: 1, K: unix.SYS_REQUEST_KEY},
		{Code: ret, K: refuse(unix.EPERM)},
		{Code: equal, Jt: 1, K: unix.SYS_SOCKET},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
		{Code: load, K: offFirst},
		{Code: equal, Jt: 1, K: unix.AF_UNIX},
		{Code: equal, Jf: 1, K: unix.AF_VSOCK},
		{Code: ret, K: refuse(unix.EPERM)},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return fmt.Errorf("filter of system calls: %w", errno)
	}
	return nil
}
