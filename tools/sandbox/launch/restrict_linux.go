package launch

import (
	"errors"
	"fmt"
	"os"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What Landlock lets be done with a file, and with a folder and all in it.
const (
	readFile  = landlock.AccessFSExecute | landlock.AccessFSReadFile
	readDir   = readFile | landlock.AccessFSReadDir
	writeFile = readFile | landlock.AccessFSWriteFile | landlock.AccessFSTruncate
	writeDir  = readDir | writeFile | landlock.AccessFSRemoveDir | landlock.AccessFSRemoveFile | landlock.AccessFSMakeDir |
		landlock.AccessFSMakeReg | landlock.AccessFSMakeSock | landlock.AccessFSMakeFifo | landlock.AccessFSMakeSym | landlock.AccessFSRefer
)

// LandlockABI is the version of the kernel's Landlock; 0 = there is none.
func LandlockABI() int {
	abi, err := landlock.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}

// handled are the rights that a version knows.
func handled(abi int) uint64 {
	const first = landlock.AccessFSRefer - 1 // all before it
	rights := uint64(first)
	for _, r := range []struct {
		abi   int
		right uint64
	}{{2, landlock.AccessFSRefer}, {3, landlock.AccessFSTruncate}, {5, landlock.AccessFSIoctlDev}} {
		if abi >= r.abi {
			rights |= r.right
		}
	}
	return rights
}

// restrict confines the calling thread and what it starts: no new rights, few capabilities, Landlock, a filter.
func restrict(p *Policy) error {
	if p.Landlock == 0 && !p.Mounts && !p.Filter {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new rights: %w", err)
	}
	if err := disarm(p); err != nil {
		return err
	}
	if p.Landlock > 0 {
		if err := wall(p); err != nil {
			return err
		}
	}
	if p.Filter {
		return filter()
	}
	return nil
}

// wall puts the thread under Landlock.
func wall(p *Policy) error {
	attr := landlock.RulesetAttr{HandledAccessFS: handled(p.Landlock)}
	if p.Landlock >= 6 { // nobody outside is signalled or spoken to
		attr.Scoped = landlock.ScopeSignal | landlock.ScopeAbstractUnixSocket
	}
	set, err := landlock.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	defer unix.Close(set)
	for _, path := range p.Read {
		if err := allow(set, path, readFile, readDir, attr.HandledAccessFS); err != nil {
			return err
		}
	}
	for _, path := range p.Write {
		if err := allow(set, path, writeFile, writeDir, attr.HandledAccessFS); err != nil {
			return err
		}
	}
	if err := landlock.LandlockRestrictSelf(set, 0); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}

// allow opens a path. One that does not exist opens nothing.
func allow(set int, path string, file, dir, handled uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("landlock: open %s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	rights := file
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		rights = dir
	}
	if err := landlock.LandlockAddPathBeneathRule(set, &landlock.PathBeneathAttr{AllowedAccess: rights & handled, ParentFd: fd}, 0); err != nil {
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	return nil
}

// rootKeeps are the capabilities that a command of root keeps: those over files and users, none over the system.
var rootKeeps = []uint{unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE}

// disarm takes capabilities away from the thread: all that came with a user namespace, and those of root over the system.
func disarm(p *Policy) error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has, keep [2]unix.CapUserData
	if err := unix.Capget(&hdr, &has[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	if !p.User {
		for _, c := range rootKeeps {
			keep[c/32].Permitted |= has[c/32].Permitted & (1 << (c % 32))
		}
	}
	for i := range keep {
		keep[i].Effective = keep[i].Permitted
	}
	if err := unix.Capset(&hdr, &keep[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// Privileged tells whether this process may make namespaces as it is.
func Privileged() bool {
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	return os.Geteuid() == 0 && unix.Capget(&hdr, &has[0]) == nil && has[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}
