package sandbox_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/tools/sandbox"
	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// spared is a Launcher with a spare, and the process that waits.
func spared(t *testing.T) (l sandbox.Launcher, waits func() int) {
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

// TestSpare: the process that waits is the one that starts the next command, and then another one waits.
func TestSpare(t *testing.T) {
	l, waits := spared(t)
	l.Probe = nil
	last := parentOf(t, l)
	for range 3 {
		next := waits()
		if next == last {
			t.Fatal("who has looked after a command waits for another one")
		}
		l.Probe = &sandbox.Probe{}
		l.Kernel() // a trial beside the spare leaves none
		if last = parentOf(t, l); last != next {
			t.Errorf("process %d looked after the command, %d waited", last, next)
		}
	}
	_ = l.Children.Close()
	if left := launched(t); len(left) > 0 {
		t.Errorf("after Close there are %d", len(left))
	}
}

// TestSpareOfTrial: who has tried what the kernel can do waits for the first command.
func TestSpareOfTrial(t *testing.T) {
	l, waits := spared(t)
	l.Probe = &sandbox.Probe{}
	l.Kernel()
	if want, got := waits(), parentOf(t, l); got != want {
		t.Errorf("process %d looked after the command, %d waited", got, want)
	}
}

// TestSpareOff: a server that is not confined neither takes what waits for commands nor has another process wait.
func TestSpareOff(t *testing.T) {
	l, waits := spared(t)
	parentOf(t, l)
	spare := waits()
	off := l
	off.Mode = sandbox.Off
	p, _ := start(t, off, "cat")
	if all := launched(t); len(all) != 2 || !slices.Contains(all, spare) {
		t.Errorf("%d waited, there are %d", spare, all)
	}
	_ = p.Close()
	if got := waits(); got != spare {
		t.Errorf("process %d waits, before it was %d", got, spare)
	}
}

// TestSpareGone: a process that was ended while it waited is no fault of the next command, and leaves no descriptor here.
func TestSpareGone(t *testing.T) {
	l, waits := spared(t)
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

// TestSpareFresh: what a command sees is of the moment in which it starts, not of that from which on the process waited.
func TestSpareFresh(t *testing.T) {
	l, waits := spared(t)
	parentOf(t, l)
	waits()
	s := newScene(t)
	out, err := l.Run(t.Context(), s.command("cat plain; cat .env"))
	if err != nil || out.Stdout.String() != "plain" || strings.Contains(out.Stdout.String(), "secret") {
		t.Errorf("%v: %s", err, out.Stdout)
	}
}
