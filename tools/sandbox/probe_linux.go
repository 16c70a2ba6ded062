package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// launches: children start through a copy of this program that confines them.
const launches = true

// probe tries what the kernel lets us do.
func (l Launcher) probe() Kernel {
	k := Kernel{Landlock: launch.LandlockABI(), Filter: launch.Filterable}
	if k.Landlock == 0 {
		k.Why = "Landlock is not in this kernel, or not switched on"
	}
	var err error
	for _, user := range []bool{false, true} { // root may have namespaces without a new user
		if !user && !launch.Privileged() {
			continue
		}
		if err = l.try(user); err == nil {
			k.Namespaces, k.user = true, user
			return k
		}
	}
	why := fmt.Sprintf("the system does not let this user have namespaces: %v", err)
	if k.Why != "" {
		why = k.Why + ", and " + why
	}
	k.Why = why
	return k
}

// try starts a process in namespaces of its own that does what the launching process does there.
func (l Launcher) try(user bool) error {
	tmp, err := os.MkdirTemp("", "swarmrun-")
	if err != nil {
		return err
	}
	defer RemoveAll(tmp)
	k, err := newLink(launch.Policy{
		Probe: true, Tmp: tmp, Dir: tmp, Mounts: true, User: user, UID: os.Getuid(), GID: os.Getgid(), Network: true, Hide: []string{tmp},
	})
	if err != nil {
		return err
	}
	cmd := l.launching(k)
	if err := cmd.Start(); err != nil {
		k.drop()
		return err
	}
	k.begin()
	err = cmd.Wait()
	k.life.Close()
	<-k.over
	if k.first.Error != "" {
		return errors.New(k.first.Error)
	}
	return err
}

// namespaces asks for those that the policy counts on. The launching process writes itself into the user namespace, since
// this process may be closed to other ones and its children with it.
func namespaces(cmd *exec.Cmd, p launch.Policy) {
	if !p.Mounts {
		return
	}
	cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNS
	if p.Network {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET
	}
	if p.User {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETUID, unix.CAP_SETGID}
	}
}
