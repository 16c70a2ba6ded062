package launch

import (
	"os"
	"syscall"
)

// What Landlock lets be done with a file, and with a folder and all in it.
const (
	readFile  = accessExecute | accessReadFile
	readDir   = readFile | accessReadDir
	writeFile = readFile | accessWriteFile | accessTruncate
	writeDir  = readDir | writeFile | accessRemoveDir | accessRemoveFile | accessMakeDir |
		accessMakeReg | accessMakeSock | accessMakeFifo | accessMakeSym | accessRefer
)

// handled are the rights that a version knows.
func handled(abi int) uint64 {
	const first = accessRefer - 1 // all before it
	rights := uint64(first)
	for _, r := range []struct {
		abi   int
		right uint64
	}{{2, accessRefer}, {3, accessTruncate}, {5, accessIoctlDev}} {
		if abi >= r.abi {
			rights |= r.right
		}
	}
	return rights
}

// restrict confines the calling thread and what it starts: no new rights, few capabilities, Landlock, a filter. The process as
// a whole is closed to tracers and its memory and descriptors in /proc are: nothing else keeps the command from this thread,
// which is in the same domain until it ends and shares its memory with those that are not.
func restrict(p *Policy) error {
	if p.Landlock == 0 && !p.Mounts && !p.Filter {
		return nil
	}
	if err := prctl(prSetDumpable, 0); err != nil {
		return failed(err, "close the process to others")
	}
	if err := prctl(prSetNoNewPrivs, 1); err != nil {
		return failed(err, "give up new rights")
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
	attr := rulesetAttr{files: handled(p.Landlock)}
	if p.Landlock >= 6 { // nobody outside is signalled or spoken to
		attr.scoped = scopeSignal | scopeAbstractSocket
	}
	set, err := createRuleset(&attr)
	if err != nil {
		return failed(err, "landlock")
	}
	defer syscall.Close(set)
	for _, path := range p.Read {
		if err := allow(set, path, readFile, readDir, attr.files); err != nil {
			return err
		}
	}
	for _, path := range p.Write {
		if err := allow(set, path, writeFile, writeDir, attr.files); err != nil {
			return err
		}
	}
	return failed(restrictSelf(set), "landlock")
}

// allow opens a path. One that does not exist opens nothing.
func allow(set int, path string, file, dir, handled uint64) error {
	fd, err := syscall.Open(path, oPath|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT || err == syscall.ENOTDIR || err == syscall.EACCES {
		return nil
	}
	if err != nil {
		return failed(err, "landlock: open "+path)
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return failed(err, "landlock: "+path)
	}
	rights := file
	if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		rights = dir
	}
	return failed(addRule(set, &pathBeneath{rights: rights & handled, parent: int32(fd)}), "landlock: "+path)
}

// rootKeeps are the capabilities that a command of root keeps: those over files and users, none over the system.
var rootKeeps = []uint{capChown, capDacOverride, capFowner, capFsetid, capSetgid, capSetuid, capNetBindService}

// disarm takes capabilities away from the thread: all that came with a user namespace, and those of root over the system.
func disarm(p *Policy) error {
	if err := prctl(prCapAmbient, prCapAmbientClear); err != nil {
		return failed(err, "drop capabilities")
	}
	has, err := capget()
	if err != nil {
		return failed(err, "read capabilities")
	}
	var keep [2]capData
	if !p.User {
		for _, c := range rootKeeps {
			keep[c/32].permitted |= has[c/32].permitted & (1 << (c % 32))
		}
	}
	for i := range keep {
		keep[i].effective = keep[i].permitted
	}
	return failed(capset(keep), "drop capabilities")
}

// Privileged tells whether this process may make namespaces as it is.
func Privileged() bool {
	has, err := capget()
	return err == nil && os.Geteuid() == 0 && has[0].effective&(1<<capSysAdmin) != 0
}
