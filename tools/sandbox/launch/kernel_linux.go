package launch

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Of the kernel, what package syscall does not name. They stand here because the package that does is built late in the start
// of a program; a test holds them against it.
const (
	sysMountSetattr   = 442
	sysCreateRuleset  = 444
	sysAddRule        = 445
	sysRestrictSelf   = 446
	sysIOUringSetup   = 425
	sysCloseRange     = 436
	closeRangeCloexec = 4
	prSetDumpable     = 4
	prSetNoNewPrivs   = 38
	prSetSubreaper    = 36
	prCapAmbient      = 47
	prCapAmbientClear = 4
	capVersion3       = 0x20080522
	oPath             = 0x200000
	atFdcwd           = -100
	atRecursive       = 0x8000
	mountAttrRdonly   = 1
	afVsock           = 40
	waitPid           = 1
	seccompSetFilter  = 1
	retAllow          = 0x7fff0000
	retErrno          = 0x00050000
	rulePathBeneath   = 1
	rulesetVersion    = 1 << 0
)

// Rights over files (linux/landlock.h).
const (
	accessExecute = 1 << iota
	accessWriteFile
	accessReadFile
	accessReadDir
	accessRemoveDir
	accessRemoveFile
	accessMakeChar
	accessMakeDir
	accessMakeReg
	accessMakeSock
	accessMakeFifo
	accessMakeBlock
	accessMakeSym
	accessRefer
	accessTruncate
	accessIoctlDev
)

// What a domain does not reach outside of itself.
const (
	scopeAbstractSocket = 1 << iota
	scopeSignal
)

// Capabilities (linux/capability.h).
const (
	capChown          = 0
	capDacOverride    = 1
	capFowner         = 3
	capFsetid         = 4
	capSetgid         = 6
	capSetuid         = 7
	capNetBindService = 10
	capSysAdmin       = 21
)

type (
	mountAttr   struct{ set, clr, propagation, userns uint64 }
	rulesetAttr struct{ files, network, scoped uint64 }
	pathBeneath struct { // packed in C, where nothing follows the descriptor
		rights uint64
		parent int32
	}
	capHeader struct {
		version uint32
		pid     int32
	}
	capData struct{ effective, permitted, inheritable uint32 }
)

// failure is an error with what was being done.
type failure struct {
	doing string
	err   error
}

func (f *failure) Error() string { return f.doing + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// failed is nil where err is.
func failed(err error, doing string) error {
	if err == nil {
		return nil
	}
	return &failure{doing, err}
}

// result is the error of a system call, nil for none.
func result(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func prctl(option, arg uintptr) error {
	_, _, errno := syscall.Syscall6(syscall.SYS_PRCTL, option, arg, 0, 0, 0, 0)
	return result(errno)
}

// closeOnExec has no program that this process starts get a descriptor from this one on.
func closeOnExec(from uintptr) error {
	_, _, errno := syscall.Syscall(sysCloseRange, from, ^uintptr(0)>>32, closeRangeCloexec)
	return result(errno)
}

// awaitStop waits until a traced child stops or ends, and leaves that to be waited for once more.
func awaitStop(pid int) {
	const what = syscall.WSTOPPED | syscall.WEXITED | syscall.WNOWAIT
	for {
		if _, _, errno := syscall.Syscall6(syscall.SYS_WAITID, waitPid, uintptr(pid), 0, what, 0, 0); errno != syscall.EINTR {
			return
		}
	}
}

// detach lets go of a traced child, to which a signal is given.
func detach(pid int, sig syscall.Signal) {
	_, _, _ = syscall.Syscall6(syscall.SYS_PTRACE, syscall.PTRACE_DETACH, uintptr(pid), 0, uintptr(sig), 0, 0)
}

// setMount changes the attributes of the mount at a path, or of all below it too.
func setMount(path string, flags uintptr, attr mountAttr) error {
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	at := atFdcwd
	_, _, errno := syscall.Syscall6(sysMountSetattr, uintptr(at), uintptr(unsafe.Pointer(p)), flags,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	return result(errno)
}

func capget() (has [2]capData, err error) {
	hdr := capHeader{version: capVersion3}
	_, _, errno := syscall.Syscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&hdr)), uintptr(unsafe.Pointer(&has[0])), 0)
	return has, result(errno)
}

func capset(keep [2]capData) error {
	hdr := capHeader{version: capVersion3}
	_, _, errno := syscall.Syscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&hdr)), uintptr(unsafe.Pointer(&keep[0])), 0)
	return result(errno)
}

func createRuleset(attr *rulesetAttr) (fd int, err error) {
	set, _, errno := syscall.Syscall(sysCreateRuleset, uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr), 0)
	return int(set), result(errno)
}

// LandlockABI is the version of the kernel's Landlock; 0 = there is none.
func LandlockABI() int {
	abi, _, errno := syscall.Syscall(sysCreateRuleset, 0, 0, rulesetVersion)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

func addRule(set int, rule *pathBeneath) error {
	_, _, errno := syscall.Syscall6(sysAddRule, uintptr(set), rulePathBeneath, uintptr(unsafe.Pointer(rule)), 0, 0, 0)
	return result(errno)
}

func restrictSelf(set int) error {
	_, _, errno := syscall.Syscall(sysRestrictSelf, uintptr(set), 0, 0)
	return result(errno)
}

// setFlags sets the flags of a network device.
func setFlags(socket int, device string, flags uint16) error {
	req := struct { // ifreq
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		rest  [22]byte
	}{flags: flags}
	copy(req.name[:], device)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&req)))
	return result(errno)
}

// numbers are those of system calls that differ between the machines where calls are filtered.
func numbers() (socket uint32, seccomp uintptr) {
	if runtime.GOARCH == "amd64" {
		return 41, 317
	}
	return 198, 277
}

// installFilter makes a filter of system calls hold for the calling thread.
func installFilter(prog []syscall.SockFilter) error {
	_, seccomp := numbers()
	fprog := syscall.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	_, _, errno := syscall.Syscall(seccomp, seccompSetFilter, 0, uintptr(unsafe.Pointer(&fprog)))
	return result(errno)
}
