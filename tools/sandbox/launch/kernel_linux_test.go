package launch

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestNumbers holds what is written down here against the package that has it from the kernel's own headers.
func TestNumbers(t *testing.T) {
	type pair struct {
		name        string
		ours, there uint64
	}
	pairs := []pair{
		{"mount_setattr", sysMountSetattr, unix.SYS_MOUNT_SETATTR},
		{"landlock_create_ruleset", sysCreateRuleset, unix.SYS_LANDLOCK_CREATE_RULESET},
		{"landlock_add_rule", sysAddRule, unix.SYS_LANDLOCK_ADD_RULE},
		{"landlock_restrict_self", sysRestrictSelf, unix.SYS_LANDLOCK_RESTRICT_SELF},
		{"io_uring_setup", sysIOUringSetup, unix.SYS_IO_URING_SETUP},
		{"PR_SET_DUMPABLE", prSetDumpable, unix.PR_SET_DUMPABLE},
		{"PR_SET_NO_NEW_PRIVS", prSetNoNewPrivs, unix.PR_SET_NO_NEW_PRIVS},
		{"PR_SET_CHILD_SUBREAPER", prSetSubreaper, unix.PR_SET_CHILD_SUBREAPER},
		{"PR_CAP_AMBIENT", prCapAmbient, unix.PR_CAP_AMBIENT},
		{"PR_CAP_AMBIENT_CLEAR_ALL", prCapAmbientClear, unix.PR_CAP_AMBIENT_CLEAR_ALL},
		{"capability version", capVersion3, unix.LINUX_CAPABILITY_VERSION_3},
		{"O_PATH", oPath, unix.O_PATH},
		{"AT_RECURSIVE", atRecursive, unix.AT_RECURSIVE},
		{"MOUNT_ATTR_RDONLY", mountAttrRdonly, unix.MOUNT_ATTR_RDONLY},
		{"AF_VSOCK", afVsock, unix.AF_VSOCK},
		{"close_range", sysCloseRange, unix.SYS_CLOSE_RANGE},
		{"CLOSE_RANGE_CLOEXEC", closeRangeCloexec, unix.CLOSE_RANGE_CLOEXEC},
		{"P_PID", waitPid, unix.P_PID},
		{"SECCOMP_SET_MODE_FILTER", seccompSetFilter, unix.SECCOMP_SET_MODE_FILTER},
		{"SECCOMP_RET_ALLOW", retAllow, unix.SECCOMP_RET_ALLOW},
		{"SECCOMP_RET_ERRNO", retErrno, unix.SECCOMP_RET_ERRNO},
		{"AUDIT_ARCH_X86_64", auditAMD64, unix.AUDIT_ARCH_X86_64},
		{"AUDIT_ARCH_AARCH64", auditARM64, unix.AUDIT_ARCH_AARCH64},
		{"LANDLOCK_RULE_PATH_BENEATH", rulePathBeneath, unix.LANDLOCK_RULE_PATH_BENEATH},
		{"LANDLOCK_CREATE_RULESET_VERSION", rulesetVersion, unix.LANDLOCK_CREATE_RULESET_VERSION},
		{"EXECUTE", accessExecute, unix.LANDLOCK_ACCESS_FS_EXECUTE},
		{"WRITE_FILE", accessWriteFile, unix.LANDLOCK_ACCESS_FS_WRITE_FILE},
		{"READ_FILE", accessReadFile, unix.LANDLOCK_ACCESS_FS_READ_FILE},
		{"READ_DIR", accessReadDir, unix.LANDLOCK_ACCESS_FS_READ_DIR},
		{"REMOVE_DIR", accessRemoveDir, unix.LANDLOCK_ACCESS_FS_REMOVE_DIR},
		{"REMOVE_FILE", accessRemoveFile, unix.LANDLOCK_ACCESS_FS_REMOVE_FILE},
		{"MAKE_CHAR", accessMakeChar, unix.LANDLOCK_ACCESS_FS_MAKE_CHAR},
		{"MAKE_DIR", accessMakeDir, unix.LANDLOCK_ACCESS_FS_MAKE_DIR},
		{"MAKE_REG", accessMakeReg, unix.LANDLOCK_ACCESS_FS_MAKE_REG},
		{"MAKE_SOCK", accessMakeSock, unix.LANDLOCK_ACCESS_FS_MAKE_SOCK},
		{"MAKE_FIFO", accessMakeFifo, unix.LANDLOCK_ACCESS_FS_MAKE_FIFO},
		{"MAKE_BLOCK", accessMakeBlock, unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK},
		{"MAKE_SYM", accessMakeSym, unix.LANDLOCK_ACCESS_FS_MAKE_SYM},
		{"REFER", accessRefer, unix.LANDLOCK_ACCESS_FS_REFER},
		{"TRUNCATE", accessTruncate, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{"IOCTL_DEV", accessIoctlDev, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{"SCOPE_ABSTRACT_UNIX_SOCKET", scopeAbstractSocket, unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET},
		{"SCOPE_SIGNAL", scopeSignal, unix.LANDLOCK_SCOPE_SIGNAL},
		{"CAP_CHOWN", capChown, unix.CAP_CHOWN},
		{"CAP_DAC_OVERRIDE", capDacOverride, unix.CAP_DAC_OVERRIDE},
		{"CAP_FOWNER", capFowner, unix.CAP_FOWNER},
		{"CAP_FSETID", capFsetid, unix.CAP_FSETID},
		{"CAP_SETGID", capSetgid, unix.CAP_SETGID},
		{"CAP_SETUID", capSetuid, unix.CAP_SETUID},
		{"CAP_NET_BIND_SERVICE", capNetBindService, unix.CAP_NET_BIND_SERVICE},
		{"CAP_SYS_ADMIN", capSysAdmin, unix.CAP_SYS_ADMIN},
		{"mount_attr", uint64(unsafe.Sizeof(mountAttr{})), uint64(unsafe.Sizeof(unix.MountAttr{}))},
		{"landlock_ruleset_attr", uint64(unsafe.Offsetof(rulesetAttr{}.scoped)), uint64(unsafe.Offsetof(unix.LandlockRulesetAttr{}.Scoped))},
		{"path_beneath", uint64(unsafe.Offsetof(pathBeneath{}.parent)), uint64(unsafe.Offsetof(unix.LandlockPathBeneathAttr{}.Parent_fd))},
		{"cap_user_data", uint64(unsafe.Sizeof(capData{})), uint64(unsafe.Sizeof(unix.CapUserData{}))},
	}
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		socket, seccomp := numbers()
		pairs = append(pairs, pair{"socket", uint64(socket), unix.SYS_SOCKET}, pair{"seccomp", uint64(seccomp), unix.SYS_SECCOMP})
	}
	for _, p := range pairs {
		if p.ours != p.there {
			t.Errorf("%s is %#x here, %#x there", p.name, p.ours, p.there)
		}
	}
	if at := atFdcwd; at != unix.AT_FDCWD {
		t.Errorf("AT_FDCWD is %d here", at)
	}
}
