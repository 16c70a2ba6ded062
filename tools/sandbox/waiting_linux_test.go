package sandbox_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/swarmrun/swarmrun/tools/sandbox"
	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// keeping is a Launcher whose processes wait for the next command, and the one that waits.
func keeping(t *testing.T) (l sandbox.Launcher, waits func() int) {
	t.Helper()
	l = walled(t)
	l.Children = &sandbox.Children{}
	t.Cleanup(func() { _ = l.Children.Close() })
	return l, func() int {
		t.Helper()
		for end := time.Now().Add(busy); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if all := launched(t); len(all) == 1 {
				return all[0]
			}
		}
		t.Fatalf("%d launching processes wait, want 1", len(launched(t)))
		return 0
	}
}

// launched are the launching processes of this one.
func launched(t testing.TB) (out []int) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		b, _ := os.ReadFile(list) // the thread may have ended
		for _, pid := range strings.Fields(string(b)) {
			args, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			if n, err := strconv.Atoi(pid); err == nil && bytes.HasSuffix(args, []byte("\x00"+launch.Arg+"\x00")) {
				out = append(out, n)
			}
		}
	}
	return out
}

// nobody waits until no launching process is left.
func nobody(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(busy); len(launched(t)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after Close there are %d", len(launched(t)))
		}
	}
}

// parentOf runs a command that tells who looks after it.
func parentOf(t *testing.T, l sandbox.Launcher) int {
	t.Helper()
	out, err := l.Run(t.Context(), sh(t, "echo $PPID"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out.Stdout.String()))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestWaiting: who has looked after a command waits for the next one.
func TestWaiting(t *testing.T) {
	l, waits := keeping(t)
	first := parentOf(t, l)
	waits()
	open := opened(first)
	for range 3 {
		if waits() != first {
			t.Error("another process waits than the one that has looked after the command")
		}
		for end := time.Now().Add(busy); opened(first) > open; time.Sleep(time.Millisecond) { // the last goes a moment later
			if time.Now().After(end) {
				t.Fatalf("%d descriptors, first %d", opened(first), open)
			}
		}
		if got := parentOf(t, l); got != first {
			t.Errorf("process %d looked after the command, %d waited", got, first)
		}
	}
	_ = l.Children.Close()
	nobody(t)
}

// opened is how many descriptors a process has, 0 where only root may know.
func opened(pid int) int {
	fds, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
	return len(fds)
}

// TestWaitingBeside: commands that run side by side have a process each, and those wait for the next ones.
func TestWaitingBeside(t *testing.T) {
	l, _ := keeping(t)
	round := func() []int {
		pids := make([]int, 4)
		var all sync.WaitGroup
		dir := t.TempDir()
		for i := range pids {
			all.Go(func() {
				c := sh(t, `touch "$0/$1"; while [ "$(ls "$0" | wc -l)" -lt 4 ]; do sleep 0.01; done; echo $PPID`)
				c.Argv = append(c.Argv, dir, strconv.Itoa(i))
				c.Access.Write = append(c.Access.Write, dir)
				out, err := l.Run(t.Context(), c)
				if err != nil {
					t.Error(err)
				}
				pids[i], _ = strconv.Atoi(strings.TrimSpace(out.Stdout.String()))
			})
		}
		all.Wait()
		slices.Sort(pids)
		return pids
	}
	first := round()
	if len(slices.Compact(slices.Clone(first))) != 4 {
		t.Errorf("%d looked after four commands at once", first)
	}
	if second := round(); !slices.Equal(first, second) {
		t.Errorf("first %d, then %d", first, second)
	}
}

// TestWaitingEnded: who was asked to end a command takes no other one.
func TestWaitingEnded(t *testing.T) {
	l, _ := keeping(t)
	first := parentOf(t, l)
	c := sh(t, "sleep 60")
	c.Timeout = 50 * time.Millisecond
	if _, err := l.Run(t.Context(), c); !errors.Is(err, sandbox.ErrTimeout) {
		t.Fatal(err)
	}
	if parentOf(t, l) == first {
		t.Error("it looks after another command")
	}
}

// TestWaitingLeft: who could not end all of a command goes on with that for as long as it takes, and takes no other one. Here
// somebody is left as long as this process, which traces it, has not heard of its end.
func TestWaitingLeft(t *testing.T) {
	l, _ := keeping(t)
	runtime.LockOSThread() // who traces is a thread
	defer runtime.UnlockOSThread()
	c := sh(t, `sleep 300 >/dev/null 2>&1 & echo $! >some; echo $PPID >>some; mv some pids; until [ -e traced ]; do sleep 0.01; done`)
	ended := make(chan error, 1)
	go func() {
		_, err := l.Run(t.Context(), c)
		ended <- err
	}()
	file := filepath.Join(c.Dir, "pids")
	for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
		time.Sleep(time.Millisecond)
	}
	both := pids(t, file)
	if err := unix.PtraceSeize(both[0]); errors.Is(err, unix.EPERM) {
		t.Skip("this system lets nobody trace")
	} else if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "traced"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if parentOf(t, l) == both[1] {
		t.Error("it looks after another command")
	}
	if !slices.Contains(launched(t), both[1]) {
		t.Error("it has given up")
	}
	for status := syscall.WaitStatus(0); !status.Signaled(); { // first it stops at TERM
		if _, err := syscall.Wait4(both[0], &status, syscall.WALL, nil); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, both[1])
}

// TestWaitingApart: what a command does to its view of files and network, and to itself, the next one of the same process does
// not have.
func TestWaitingApart(t *testing.T) {
	l, waits := keeping(t)
	s := newScene(t)
	first := s.command("cat .env; cd /; umask 0; ulimit -n 32; exec 9</etc/passwd; export LEFT=1; (sleep 60 &) </dev/null >/dev/null 2>&1; echo $PPID")
	first.Access.Network = "none"
	out, err := l.Run(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	looked := strings.TrimSpace(out.Stdout.String())
	open := sh(t, `echo $PPID; umask; ulimit -n; ls /proc/self/fd | tr '\n' ' '; echo "[$LEFT]"; pgrep -P $PPID -c; wc -l </proc/net/dev; pwd; cat "$0"`)
	open.Argv = append(open.Argv, filepath.Join(s.work, ".env"))
	open.Access.Read = []string{s.work}
	waits()
	out, err = l.Run(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	fresh := l
	fresh.Children = nil
	want, err := fresh.Run(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	pid, got, _ := strings.Cut(out.Stdout.String(), "\n")
	_, text, _ := strings.Cut(want.Stdout.String(), "\n")
	if pid != looked || got != text || !strings.Contains(got, "secret") {
		t.Errorf("process %s after %s: %s\nwant %s", pid, looked, got, text)
	}
}

// TestAhead: who waits before the first command starts it, also where that comes at once.
func TestAhead(t *testing.T) {
	l, waits := keeping(t)
	l.Probe = &sandbox.Probe{}
	for range 3 {
		l.Ahead()
	}
	got := parentOf(t, l)
	if want := waits(); got != want {
		t.Errorf("process %d looked after the command, %d waits", got, want)
	}
	l.Mode = sandbox.Off
	l.Ahead()
	if n := len(launched(t)); n != 1 {
		t.Errorf("there are %d", n)
	}
	l.Mode = sandbox.Auto
	_ = l.Children.Close()
	l.Ahead()
	nobody(t)
}

// TestWaitingOff: a server that is not confined neither takes what waits for commands nor has another process wait.
func TestWaitingOff(t *testing.T) {
	l, waits := keeping(t)
	parentOf(t, l)
	one := waits()
	off := l
	off.Mode = sandbox.Off
	p, _ := start(t, off, "cat")
	if all := launched(t); len(all) != 2 || !slices.Contains(all, one) {
		t.Errorf("%d waited, there are %d", one, all)
	}
	_ = p.Close()
	if got := waits(); got != one {
		t.Errorf("process %d waits, before it was %d", got, one)
	}
}

// TestWaitingGone: a process that was ended while it waited is no fault of the next command, and leaves no descriptor here.
func TestWaitingGone(t *testing.T) {
	l, waits := keeping(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close them
	parentOf(t, l)
	waits()
	before := descriptors(t)
	defer func() {
		waits()
		for end := time.Now().Add(busy); descriptors(t) > before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d descriptors, %d before", descriptors(t), before)
			}
		}
	}()
	for range 20 {
		parentOf(t, l)
		pid := waits()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for syscall.Kill(pid, 0) == nil { // while it is a zombie its other threads may hold the socket
			time.Sleep(time.Millisecond)
		}
		parentOf(t, l)
	}
}

// TestWaitingFresh: what a command sees is of the moment in which it starts, not of that from which on the process waited.
func TestWaitingFresh(t *testing.T) {
	l, waits := keeping(t)
	parentOf(t, l)
	waits()
	s := newScene(t)
	out, err := l.Run(t.Context(), s.command("cat plain; cat .env"))
	if err != nil || out.Stdout.String() != "plain" || strings.Contains(out.Stdout.String(), "secret") {
		t.Errorf("%v: %s", err, out.Stdout)
	}
}
