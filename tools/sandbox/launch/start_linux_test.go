package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// As in a launching process, the first thread of this one is tied to the goroutine of init.
func init() { runtime.LockOSThread() }

// TestStartStops: a command does nothing while the thread lives that has started it, and goes on when that has ended.
func TestStartStops(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	s := &supervisor{link: null, policy: Policy{Program: "/bin/true", Argv: []string{"true"}, Dir: "/"}}
	for range 50 {
		err = separately(func() error {
			err := s.start([]uintptr{null.Fd(), null.Fd(), null.Fd()})
			for end := time.Now().Add(10 * time.Second); err == nil && state(s.pid) != 'T'; time.Sleep(100 * time.Microsecond) {
				if c := state(s.pid); c == 'Z' || time.Now().After(end) {
					return fmt.Errorf("state %c, want T", c)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(s.pid, &status, 0, nil); err != nil || !status.Exited() || status.ExitStatus() != 0 {
			t.Fatalf("%v %v", status, err)
		}
	}
}

// TestStartUnwanted: a command that nobody wants any more when it could begin does not.
func TestStartUnwanted(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer ours.Close()
	defer theirs.Close()
	made := filepath.Join(t.TempDir(), "made")
	s := &supervisor{link: theirs, policy: Policy{Program: "/bin/mkdir", Argv: []string{"mkdir", made}, Dir: "/"}}
	if err := syscall.Shutdown(fds[0], syscall.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	if err := separately(func() error { return s.start([]uintptr{theirs.Fd(), theirs.Fd(), theirs.Fd()}) }); err != nil {
		t.Fatal(err)
	}
	var a Answer
	if err := a.Receive(ours); err != nil || a.Started != s.pid {
		t.Errorf("%+v %v", a, err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(s.pid, &status, 0, nil); err != nil || status.Signal() != syscall.SIGKILL {
		t.Errorf("%v %v", status, err)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("it has run")
	}
}

// TestEndedAfterTask: a command is answered for although the link has ended behind it: nobody else removes its temporary folder
// when the parent is gone.
func TestEndedAfterTask(t *testing.T) {
	defer signal.Reset()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	rights := syscall.UnixRights(int(null.Fd()), int(null.Fd()), int(null.Fd()))
	for range 20 {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
		ask := func(argv ...string) error {
			p := Policy{Program: "/bin/" + argv[0], Argv: argv, Dir: "/"}
			return errors.Join(syscall.Sendmsg(fds[0], []byte{0}, rights, nil, 0), p.Send(ours))
		}
		ran := make(chan error, 1)
		go func() { ran <- errors.Join((&supervisor{link: theirs}).run(), theirs.Close()) }()
		var begun, done, started, ended Answer
		err = errors.Join(ask("sleep", "60"), begun.Receive(ours), ask("true"), syscall.Shutdown(fds[0], syscall.SHUT_WR))
		if err := errors.Join(err, done.Receive(ours), started.Receive(ours), ended.Receive(ours), <-ran); err != nil || !ended.Ended {
			t.Fatalf("%v: %+v %+v %+v %+v", err, begun, done, started, ended)
		}
		ours.Close()
	}
}

// state is the letter of a process's state: T is stopped, Z has ended.
func state(pid int) byte {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if i := bytes.LastIndex(b, []byte(") ")); i >= 0 && i+2 < len(b) {
		return b[i+2]
	}
	return '?'
}
