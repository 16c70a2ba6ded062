package sandbox

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// permits refuses a start that mode Require forbids, and tells once what does not hold.
func (l Launcher) permits(a Access) error {
	if l.Mode == Require {
		_, err := l.Confinement(a)
		return err
	}
	l.say(a)
	return nil
}

// command makes a child of what is asked for, ready to be started: through the launching process where there is one and
// linked is wanted, else directly.
func (l Launcher) command(c Command, tmp string, linked bool) (*child, error) {
	if !supported {
		return nil, fmt.Errorf("start a command on %s: %w", runtime.GOOS, errors.ErrUnsupported)
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("start a command: no program is named")
	}
	env := l.environ(c, tmp)
	path, err := lookPath(c.Argv[0], c.Dir, env)
	if err != nil {
		return nil, err
	}
	ch := &child{exited: make(chan struct{})}
	if !linked || l.Path == "" || !launches {
		ch.cmd = &exec.Cmd{Path: path, Args: c.Argv, Dir: c.Dir, Env: env, SysProcAttr: group()}
		return ch, nil
	}
	var k Kernel
	if l.Mode != Off {
		k = l.Kernel()
	}
	policy := l.confine(c, path, tmp, k)
	policy.Env = env
	if ch.link, err = newLink(policy); err != nil {
		return nil, err
	}
	ch.cmd = l.launching(ch.link)
	return ch, nil
}

// launching is the command line of the launching process. Its environment is its own: nothing that is set for the command
// changes how it runs. One processor is enough for it, and saves it threads.
func (l Launcher) launching(k *link) *exec.Cmd {
	cmd := &exec.Cmd{
		Path: l.Path, Args: []string{"swarmrun", launch.Arg}, Dir: k.policy.Dir, Env: []string{"GOMAXPROCS=1"},
		SysProcAttr: group(), ExtraFiles: k.theirs,
	}
	namespaces(cmd, k.policy)
	return cmd
}

// drop gives up a child that did not start.
func (ch *child) drop() {
	if ch.link != nil {
		ch.link.drop()
	}
}

// reap waits for the command. The launching process, where there is one, has nothing more to do when it has said how that
// ended; its own end is not waited for.
func (ch *child) reap() {
	if ch.link != nil {
		<-ch.link.over
		close(ch.exited)
		_ = ch.cmd.Wait()
		return
	}
	_ = ch.cmd.Wait() // the state is read from ProcessState
	close(ch.exited)
}

// outcome is how the command ended, once its process has.
func (ch *child) outcome() (exit int, signal string, err error) {
	if ch.link == nil {
		exit, signal = outcome(ch.cmd.ProcessState)
		return exit, signal, nil
	}
	return ch.link.outcome()
}

// endLinked asks the launching process to end all. Should it not do so in time, or be gone itself, the command's group is
// killed.
func (ch *child) endLinked(grace time.Duration) {
	ch.link.life.Close()
	select {
	case <-ch.exited:
		if ch.link.last.Error != "" {
			ch.killStarted()
		}
		return
	case <-time.After(grace + linkGrace):
	}
	signalGroup(ch.cmd.Process.Pid, kill)
	ch.killStarted()
	select {
	case <-ch.exited:
	case <-time.After(killGrace):
	}
}

// killStarted kills the group of the command that the launching process has started, if it said so.
func (ch *child) killStarted() {
	select {
	case <-ch.link.started:
		if pid := ch.link.first.Started; pid > 0 {
			signalGroup(pid, kill)
		}
	default:
	}
}
