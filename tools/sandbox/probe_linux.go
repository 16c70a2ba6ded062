package sandbox

import (
	"errors"
	"fmt"
	"os"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// expected is what the kernel can do if it lets us have namespaces.
func expected() Kernel {
	return Kernel{Landlock: launch.LandlockABI(), Filter: launch.Filterable, Namespaces: true, user: !launch.Privileged()}
}

// probe tries what the kernel lets us do.
func (l Launcher) probe() Kernel {
	k := expected()
	k.Namespaces, k.user = false, false
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

// try has a launching process make namespaces as for a command. That process then waits for the first one.
func (l Launcher) try(user bool) error {
	tmp, err := os.MkdirTemp("", "swarmrun-")
	if err != nil {
		return err
	}
	defer RemoveAll(tmp)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	p, err := newLaunching(launchingKind{l.Path, user})
	if err != nil {
		return err
	}
	err = p.try([3]*os.File{null, null, null}, launch.Policy{
		Probe: true, Tmp: tmp, User: user, UID: os.Getuid(), GID: os.Getgid(), Mounts: true, Network: true, Hide: []string{tmp},
	})
	if err != nil || l.Children == nil || !l.Children.waiting.put(p) {
		p.drop()
	}
	return err
}

func (p *launching) try(streams [3]*os.File, policy launch.Policy) error {
	if err := p.hand(streams); err != nil {
		return err
	}
	if err := policy.Send(p.conn); err != nil {
		return err
	}
	var a launch.Answer
	if err := a.Receive(p.conn); err != nil {
		return errors.New("the process that confines commands ended early: " + p.fate())
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}
