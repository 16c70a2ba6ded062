package launch

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// init is the hidden command. It stands here and not in main because every start of a child goes through it: before main the
// program would build what its other packages need, which is most of the time that its start takes and nothing that a child
// does. Any program that starts children through this package has the command thereby.
func init() {
	if len(os.Args) == 2 && os.Args[1] == Arg {
		syscall.Exit(launch()) // not os.Exit: with the race detector that waits a second
	}
}

// launch waits for a policy, makes the child's view of files and network, starts the command under Landlock and a filter of
// system calls, and stays to look after it. It is never confined itself, so that the child cannot reach it; when its parent is
// gone, by kill -9 too, it ends all that came of the child.
func launch() int {
	if closeOnExec(link) != nil { // before Linux 5.11 the command gets what swarmrun was started with
		syscall.CloseOnExec(link)
	}
	s := &supervisor{link: os.NewFile(link, "link"), gone: make(chan struct{})}
	err := s.run()
	if err == nil {
		return 0
	}
	if s.say(Answer{Error: err.Error()}) != nil { // nobody is there to clean up, or a person started it
		RemoveAll(s.policy.Tmp)
		_, _ = os.Stderr.WriteString("swarmrun: " + err.Error() + "\n")
	}
	return 126
}

func (s *supervisor) run() error {
	streams, err := s.task()
	if err != nil || streams == nil {
		return err
	}
	if err := prctl(prSetSubreaper, 1); err != nil {
		return failed(err, "look after the children of the command")
	}
	asked := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // what nohup has ignored the command ignores too
			signal.Notify(asked, sig)
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, s.link)
		close(s.gone)
	}()
	if err := separately(func() error { return s.start(streams) }); err != nil {
		if s.pid > 0 {
			s.sweep()
		}
		return err
	}
	closeAll(streams) // they are the command's alone
	status := s.look(asked)
	a := Answer{Ended: true, Exit: status.ExitStatus()}
	if status.Signaled() {
		a.Exit, a.Signal = -1, int(status.Signal())
	}
	return s.say(a)
}

// task waits for a command to start, and is nil if there is none. Before it may come trials of what the kernel can do.
func (s *supervisor) task() (streams []uintptr, err error) {
	for entered := false; ; entered = true {
		streams, err := receiveStreams()
		if err == io.EOF {
			return nil, nil
		}
		s.policy = Policy{}
		if err != nil || s.policy.Receive(s.link) != nil {
			return nil, errors.New("this command is for swarmrun itself, which starts it for its children")
		}
		if !entered {
			if err := enter(&s.policy); err != nil {
				return nil, err
			}
		}
		if !s.policy.Probe {
			return streams, nil
		}
		closeAll(streams)
		if err := separately(s.isolate); err != nil {
			return nil, err
		}
		if err := s.say(Answer{Started: os.Getpid()}); err != nil {
			return nil, err
		}
	}
}

func (s *supervisor) say(a Answer) error { return a.Send(s.link) }

// separately does something on a thread of its own that ends afterwards: what it does to itself its children have too, and the
// rest of this process stays as it is. It is never the first thread, to which the goroutine of an init is tied: that one
// stands for the process in /proc and for signals.
func separately(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and not unlocked: so the thread ends with the goroutine
		done <- f()
	}()
	return <-done
}

// isolate gives the thread its own view of files and network.
func (s *supervisor) isolate() error {
	for _, step := range []func(*Policy) error{unshare, mount, loopback} {
		if err := step(&s.policy); err != nil {
			return err
		}
	}
	return nil
}

// start confines the thread, starts the command from it and says so. The command does nothing before the thread has ended: in
// the same domain it could signal that, and thereby stop or end the process, which nobody outside of the domain can. So it is
// traced until it stands before its first instruction, then stopped, and the kernel wakes it at the end of the thread.
func (s *supervisor) start(streams []uintptr) (err error) {
	if err = s.isolate(); err == nil {
		err = restrict(&s.policy)
	}
	if err != nil {
		return err
	}
	attr := &syscall.ProcAttr{
		Dir: s.policy.Dir, Env: s.policy.Env, Files: streams,
		Sys: &syscall.SysProcAttr{Setsid: true, Ptrace: true, Pdeathsig: syscall.SIGCONT},
	}
	s.pid, err = syscall.ForkExec(s.policy.Program, s.policy.Argv, attr)
	if err == nil {
		awaitStop(s.pid)
		defer detach(s.pid, syscall.SIGSTOP)
	} else { // perhaps nobody may trace here: then it runs at once
		attr.Sys = &syscall.SysProcAttr{Setsid: true}
		s.pid, err = syscall.ForkExec(s.policy.Program, s.policy.Argv, attr)
	}
	if err != nil {
		return failed(err, "start "+s.policy.Argv[0])
	}
	err = s.say(Answer{Started: s.pid})
	if err != nil || s.unwanted() {
		_ = syscall.Kill(s.pid, syscall.SIGKILL)
	}
	return err
}
