package launch

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// What a launching process gets besides the command's own streams.
const (
	fdPolicy = 3 + iota
	fdLife
	fdAnswers
)

// init is the hidden command. It stands here and not in main because every start of a child goes through it: before main the
// program would build what its other packages need, which is most of the time that its start takes and nothing that a child
// does. Any program that starts children through this package has the command thereby.
func init() {
	if len(os.Args) == 2 && os.Args[1] == Arg {
		syscall.Exit(launch()) // not os.Exit: with the race detector that waits a second
	}
}

// launch makes the child's view of files and network, starts the command under Landlock and a filter of system calls, and
// stays to look after it. It is never confined itself, so that the child cannot reach it; when its parent is gone, by kill -9
// too, it ends all that came of the child.
func launch() int {
	for fd := fdPolicy; fd <= fdAnswers; fd++ {
		syscall.CloseOnExec(fd)
	}
	s := &supervisor{answers: os.NewFile(fdAnswers, "answers"), gone: make(chan struct{})}
	if err := s.run(); err != nil {
		if s.say(Answer{Error: err.Error()}) != nil { // a person started it
			_, _ = os.Stderr.WriteString("swarmrun: " + err.Error() + "\n")
		}
		return 126
	}
	return 0
}

func (s *supervisor) run() error {
	in := os.NewFile(fdPolicy, "policy")
	if err := s.policy.Receive(in); err != nil {
		return errors.New("this command is for swarmrun itself, which starts it for its children")
	}
	in.Close()
	for _, step := range []func(*Policy) error{enter, mount, loopback} {
		if err := step(&s.policy); err != nil {
			return err
		}
	}
	if s.policy.Probe {
		return s.say(Answer{Started: os.Getpid()})
	}
	if err := prctl(prSetSubreaper, 1); err != nil {
		return failed(err, "look after the children of the command")
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		_, _ = io.Copy(io.Discard, os.NewFile(fdLife, "lifeline"))
		close(s.gone)
	}()
	if err := s.start(); err != nil {
		return err
	}
	if err := s.say(Answer{Started: s.pid}); err != nil {
		s.sweep() // nobody is there to hear it
		return nil
	}
	status := s.look(asked)
	a := Answer{Ended: true, Exit: status.ExitStatus()}
	if status.Signaled() {
		a.Exit, a.Signal = -1, int(status.Signal())
	}
	_ = s.say(a) // who does not read it is gone
	return nil
}

func (s *supervisor) say(a Answer) error { return a.Send(s.answers) }

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

// start starts the command from a thread that is confined and ends afterwards: what a thread has its children have too, and
// the rest of this process stays as it is.
func (s *supervisor) start() error {
	done := make(chan error)
	go aside(func() {
		err := restrict(&s.policy)
		if err == nil {
			s.pid, err = syscall.ForkExec(s.policy.Program, s.policy.Argv, &syscall.ProcAttr{
				Dir: s.policy.Dir, Env: s.policy.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
			})
			err = failed(err, "start "+s.policy.Argv[0])
		}
		done <- err
	})
	if err := <-done; err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil // the streams end with this process, then
	}
	defer null.Close()
	for fd := range 3 { // the streams are the command's alone
		_ = syscall.Dup3(int(null.Fd()), fd, 0)
	}
	return nil
}
