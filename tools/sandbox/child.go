package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// permits refuses a start that mode Require forbids.
func (l Launcher) permits(a Access) error {
	if l.Mode != Require {
		return nil
	}
	_, err := l.Confinement(a)
	return err
}

// command makes a child of what is asked for, ready to be started: through the launching process where there is one and
// linked is wanted, else directly.
func (l Launcher) command(c Command, tmp string, linked bool, k Kernel) (*child, error) {
	if !supported {
		return nil, fmt.Errorf("start a command on %s: %w", runtime.GOOS, errors.ErrUnsupported)
	}
	l.say(c.Access, k)
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("start a command: no program is named")
	}
	env := l.environ(c, tmp)
	path, err := lookPath(c.Argv[0], c.Dir, env)
	if err != nil {
		return nil, err
	}
	if fi, err := os.Stat(c.Dir); err != nil || !fi.IsDir() {
		return nil, fmt.Errorf("start %s: there is no folder %s to start it in", c.Argv[0], c.Dir)
	}
	ch := &child{exited: make(chan struct{})}
	if !linked || l.Path == "" || !launches {
		ch.cmd = &exec.Cmd{Path: path, Args: c.Argv, Dir: c.Dir, Env: env, SysProcAttr: group()}
		return ch, nil
	}
	policy := l.confine(c, path, tmp, k)
	policy.Env = env
	ch.policy = &policy
	return ch, nil
}

// begin starts the command, or asks a launching process to. The command's ends of the streams stay the caller's.
func (l Launcher) begin(ch *child) (err error) {
	ch.began = time.Now()
	if ch.cmd != nil {
		ch.cmd.Stdin, ch.cmd.Stdout, ch.cmd.Stderr = ch.streams[0], ch.streams[1], ch.streams[2]
		err = ch.cmd.Start()
	} else {
		ch.link, err = l.newLink(ch.streams, *ch.policy)
	}
	if err == nil {
		go ch.reap()
	}
	return err
}

// pid is the process that stands for the command: itself, or who looks after it.
func (ch *child) pid() int {
	if ch.link != nil {
		return ch.link.to.cmd.Process.Pid
	}
	return ch.cmd.Process.Pid
}

// reap waits for the command. The launching process, where there is one, has nothing more to do when it has said how that
// ended; its own end is not waited for.
func (ch *child) reap() {
	defer close(ch.exited)
	if ch.link != nil {
		<-ch.link.over
		return
	}
	_ = ch.cmd.Wait() // the state is read from ProcessState
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
// killed. It is not killed itself: it goes on to end the rest, which nobody else can find, and what it has not begun it will
// not begin.
func (ch *child) endLinked(grace time.Duration) {
	ch.link.end()
	select {
	case <-ch.exited:
		if ch.link.last.Error != "" {
			ch.killStarted()
		}
		return
	case <-time.After(grace + linkGrace):
	}
	signalGroup(ch.pid(), cont) // it may have been stopped
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

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // nil is no file
	}
}
