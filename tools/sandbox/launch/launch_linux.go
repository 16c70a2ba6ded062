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
	syscall.CloseOnExec(link)
	s := &supervisor{link: os.NewFile(link, "link"), gone: make(chan struct{})}
	err := s.run()
	if err == nil {
		return 0
	}
	if s.say(Answer{Error: err.Error()}) != nil { // a person started it
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
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		_, _ = io.Copy(io.Discard, s.link)
		close(s.gone)
	}()
	if err := separately(func() error { return s.start(streams) }); err != nil {
		return err
	}
	closeAll(streams)                         // they are the command's alone
	if s.say(Answer{Started: s.pid}) != nil { // nobody is there to hear it
		s.sweep()
		return os.RemoveAll(s.policy.Tmp)
	}
	status := s.look(asked)
	a := Answer{Ended: true, Exit: status.ExitStatus()}
	if status.Signaled() {
		a.Exit, a.Signal = -1, int(status.Signal())
	}
	if s.say(a) != nil { // nor to clean up
		return os.RemoveAll(s.policy.Tmp)
	}
	return nil
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
// rest of this process stays as it is.
func separately(f func() error) error {
	done := make(chan error)
	go aside(func() { done <- f() })
	return <-done
}

// aside runs f on a thread that ends with the goroutine, and never on the first thread of the process: that one stands for the
// process in /proc and for signals, and in the same domain a child could read its environment and end it.
func aside(f func()) {
	runtime.LockOSThread()
	if syscall.Gettid() != syscall.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // on another thread, since this one waits
		defer close(done)
		aside(f)
	}()
	<-done
	runtime.UnlockOSThread()
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

// start confines the thread and starts the command from it.
func (s *supervisor) start(streams []uintptr) error {
	err := s.isolate()
	if err == nil {
		err = restrict(&s.policy)
	}
	if err != nil {
		return err
	}
	s.pid, err = syscall.ForkExec(s.policy.Program, s.policy.Argv, &syscall.ProcAttr{
		Dir: s.policy.Dir, Env: s.policy.Env, Files: streams, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	return failed(err, "start "+s.policy.Argv[0])
}
