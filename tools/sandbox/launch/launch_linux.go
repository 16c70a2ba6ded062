package launch

import (
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

// launch starts one command after the other, each as its policy says: it makes the command's view of files and network, starts it
// under Landlock and a filter of system calls, and stays to look after it. It is never confined itself, so that no command can
// reach it; when its parent is gone, by kill -9 too, it ends all that came of the command.
func launch() int {
	if closeOnExec(link) != nil { // before Linux 5.11 the command gets what swarmrun was started with
		syscall.CloseOnExec(link)
	}
	_ = syscall.SetNonblock(link, true) // so that who waits for it holds no processor
	s := &supervisor{link: os.NewFile(link, "link")}
	err := s.run()
	if err == nil {
		return 0
	}
	if s.say(Answer{Error: err.Error(), Unable: s.unable}) != nil { // nobody is there to clean up, or a person started it
		RemoveAll(s.policy.Tmp)
		_, _ = os.Stderr.WriteString("swarmrun: " + err.Error() + "\n")
	}
	return 126
}

// run serves its parent until that is gone, or something is left of a command: then another process takes the next one.
func (s *supervisor) run() error {
	if err := prctl(prSetSubreaper, 1); err != nil {
		return failed(err, "look after the children of the command")
	}
	inbox := receiveTasks(s.link)
	s.gone = inbox.gone
	var asked chan os.Signal // before the first command a signal just ends the process
	for {
		var t task
		var more bool
		select {
		case t, more = <-inbox.tasks:
			if !more {
				return inbox.err
			}
		case <-asked:
			return nil
		}
		s.policy = t.policy
		if t.policy.Probe {
			closeAll(t.streams)
			if err := separately(s.isolate); err != nil {
				return err
			}
			if err := s.say(Answer{Started: os.Getpid()}); err != nil {
				return err
			}
			continue
		}
		if asked == nil {
			asked = listen()
		}
		if free, err := s.serve(t.streams, asked); err != nil || !free {
			return err
		}
	}
}

// listen hears of signals that end the process.
func listen() chan os.Signal {
	asked := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // what nohup has ignored the command ignores too
			signal.Notify(asked, sig)
		}
	}
	return asked
}

// serve starts a command, looks after it and says how it ended. It is free for another one if nobody is left of this one; else
// it goes on to end those.
func (s *supervisor) serve(streams []uintptr, asked <-chan os.Signal) (free bool, err error) {
	s.pid, s.all = 0, nil
	if err := separately(func() error { return s.start(streams) }); err != nil {
		if s.pid > 0 {
			s.sweep()
		}
		return false, err
	}
	closeAll(streams) // they are the command's alone
	status := s.look(asked)
	a := Answer{Ended: true, Free: s.alone(), Exit: status.ExitStatus()}
	if status.Signaled() {
		a.Exit, a.Signal = -1, int(status.Signal())
	}
	err = s.say(a)
	if !a.Free {
		s.hunt()
	}
	return a.Free, err
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
	for _, step := range []func(*Policy) error{s.enter, unshare, mount, loopback} {
		if err := step(&s.policy); err != nil {
			s.unable = true
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
