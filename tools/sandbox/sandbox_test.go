//go:build unix

package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

func sh(t testing.TB, script string) sandbox.Command {
	dir := t.TempDir()
	return sandbox.Command{Argv: []string{"sh", "-c", script}, Dir: dir, Access: sandbox.Access{Write: []string{dir}}}
}

// both runs a test with children that start directly, and with confined ones.
func both(t *testing.T, test func(*testing.T, sandbox.Launcher)) {
	t.Run("direct", func(t *testing.T) { test(t, sandbox.Launcher{Mode: sandbox.Off}) })
	t.Run("confined", func(t *testing.T) {
		l := confined(t)
		l.Children = &sandbox.Children{}
		t.Cleanup(func() { _ = l.Children.Close() })
		test(t, l)
	})
}

// gone waits until a process has ended; a zombie that nobody waits for has.
func gone(t testing.TB, pid int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); runtime.Gosched() {
		out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		if err != nil || strings.HasPrefix(strings.TrimSpace(string(out)), "Z") {
			return
		}
	}
	t.Errorf("process %d is still there", pid)
}

func pids(t testing.TB, file string) []int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, f := range strings.Fields(string(b)) {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func TestRunOutcome(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		for _, tt := range []struct {
			name, script   string
			exit           int
			signal         string
			stdout, stderr string
		}{
			{"both streams", "echo out; echo err >&2", 0, "", "out\n", "err\n"},
			{"exit code", "exit 7", 7, "", "", ""},
			{"signal", "kill -SEGV $$", -1, "SIGSEGV", "", ""},
			{"no input", "cat; echo end", 0, "", "end\n", ""},
			{"working directory", `[ "$(pwd -P)" = "$(cd . && pwd -P)" ] && echo ok`, 0, "", "ok\n", ""},
		} {
			t.Run(tt.name, func(t *testing.T) {
				got, err := l.Run(t.Context(), sh(t, tt.script))
				if err != nil {
					t.Fatal(err)
				}
				want := []any{tt.exit, tt.signal, tt.stdout, tt.stderr}
				if d := cmp.Diff(want, []any{got.Exit, got.Signal, got.Stdout.String(), got.Stderr.String()}); d != "" {
					t.Error(d)
				}
			})
		}
	})
}

func TestRunStdin(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		c := sh(t, "cat")
		c.Stdin = bytes.Repeat([]byte("0123456789abcdef"), 40_000) // more than a pipe holds
		got, err := l.Run(t.Context(), c)
		if err != nil || got.Stdout.String() != string(c.Stdin) {
			t.Errorf("%d bytes came back: %v", len(got.Stdout.String()), err)
		}
		c = sh(t, "exit 3") // does not read it
		c.Stdin = bytes.Repeat([]byte("x"), 1<<20)
		if got, err := l.Run(t.Context(), c); err != nil || got.Exit != 3 {
			t.Errorf("exit %d: %v", got.Exit, err)
		}
	})
}

func TestRunFaults(t *testing.T) {
	missing := sandbox.Command{Argv: []string{"no-such-program-here"}, Dir: t.TempDir()}
	if _, err := (sandbox.Launcher{}).Run(t.Context(), missing); !errors.Is(err, sandbox.ErrNotFound) {
		t.Errorf("missing program: %v", err)
	}
	if _, err := (sandbox.Launcher{}).Run(t.Context(), sandbox.Command{Dir: t.TempDir()}); err == nil {
		t.Error("no program: no error")
	}
	bad := sh(t, "true")
	bad.Dir = filepath.Join(bad.Dir, "missing")
	if _, err := (sandbox.Launcher{}).Run(t.Context(), bad); err == nil {
		t.Error("missing folder: no error")
	}
	l := sandbox.Launcher{Mode: sandbox.Require}
	if _, err := l.Run(t.Context(), sh(t, "true")); !errors.Is(err, sandbox.ErrUnconfined) {
		t.Errorf("a sandbox that is demanded: %v", err)
	}
	// A program of the working directory is not found by its bare name.
	here := sandbox.Command{Argv: []string{"here"}, Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(here.Dir, "here"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	l = sandbox.Launcher{Environ: func() []string { return []string{"PATH=.:"} }}
	if _, err := l.Run(t.Context(), here); !errors.Is(err, sandbox.ErrNotFound) {
		t.Errorf("program of the working directory: %v", err)
	}
}

// TestTooLong: a command that is longer than the system takes is refused at once, however long it is.
func TestTooLong(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		for _, size := range []int{1 << 20, 65 << 20} {
			ctx, cancel := context.WithTimeout(t.Context(), busy)
			defer cancel()
			if _, err := l.Run(ctx, sh(t, strings.Repeat(" ", size))); err == nil || !strings.HasSuffix(err.Error(), "argument list too long") {
				t.Errorf("%d: %v", size, err)
			}
		}
	})
}

// busy is how much longer than a moment something may take on a machine that has other things to do; what it must not take is
// a minute.
const busy = 5 * time.Second

// TestTimeout is T03: back within a second of the limit, and nobody of the group is left, whoever holds the pipes.
func TestTimeout(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		for _, tt := range []struct{ name, script string }{
			{"sleeper", `echo $$ >pids; sleep 60`},
			{"child holds the pipe", `(echo $$; sleep 60 & echo $!) >pids; sleep 60`},
			{"deaf to TERM", `trap '' TERM; sleep 60 & echo $$ $! >pids; while :; do wait; done`},
		} {
			t.Run(tt.name, func(t *testing.T) {
				c := sh(t, "echo before; "+tt.script)
				c.Timeout = 2 * time.Second // a busy machine needs some of it to start the command
				began := time.Now()
				got, err := l.Run(t.Context(), c)
				if took := time.Since(began); took > c.Timeout+busy {
					t.Errorf("took %s", took)
				}
				if !errors.Is(err, sandbox.ErrTimeout) || got.Stdout.String() != "before\n" {
					t.Errorf("%v, output %q", err, got.Stdout)
				}
				for _, pid := range pids(t, filepath.Join(c.Dir, "pids")) {
					gone(t, pid)
				}
			})
		}
	})
}

// TestBackground: what a command leaves behind ends with it, and delays it by less than a second.
func TestBackground(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		for _, redirect := range []string{"", ">/dev/null 2>&1"} {
			c := sh(t, "sleep 60 "+redirect+" & echo $! >pids; echo done")
			began := time.Now()
			got, err := l.Run(t.Context(), c)
			if err != nil || got.Exit != 0 || got.Stdout.String() != "done\n" {
				t.Errorf("%+v %v", got, err)
			}
			if took := time.Since(began); took > busy {
				t.Errorf("took %s", took)
			}
			for _, pid := range pids(t, filepath.Join(c.Dir, "pids")) {
				gone(t, pid)
			}
		}
	})
}

// TestEscaped: a process that left the group keeps its pipe, and the call still returns.
func TestEscaped(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid")
	}
	c := sh(t, "setsid sh -c 'echo $$ >pids; exec sleep 5' & while [ ! -s pids ]; do :; done; echo done")
	began := time.Now()
	got, err := sandbox.Launcher{}.Run(t.Context(), c)
	if took := time.Since(began); took > 2*time.Second || err != nil || got.Stdout.String() != "done\n" {
		t.Errorf("took %s: %+v %v", took, got, err)
	}
	for _, pid := range pids(t, filepath.Join(c.Dir, "pids")) {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

func TestCancel(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		c := sh(t, "echo $$ >pids; echo ready >&2; sleep 60")
		go func() {
			for {
				if b, _ := os.ReadFile(filepath.Join(c.Dir, "pids")); len(b) > 0 {
					cancel(cause)
					return
				}
				runtime.Gosched()
			}
		}()
		began := time.Now()
		if _, err := l.Run(ctx, c); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("took %s", took)
		}
		for _, pid := range pids(t, filepath.Join(c.Dir, "pids")) {
			gone(t, pid)
		}
		if _, err := l.Run(ctx, sh(t, "touch ran")); !errors.Is(err, cause) {
			t.Errorf("started under a context that had ended: %v", err)
		}
	})
}

func TestChildrenClose(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		children := &sandbox.Children{}
		l.Children = children
		const n = 3
		files, errs := make([]string, n), make(chan error, n)
		for i := range n {
			c := sh(t, "echo $$ >pids; sleep 60")
			files[i] = filepath.Join(c.Dir, "pids")
			go func() {
				_, err := l.Run(t.Context(), c)
				errs <- err
			}()
		}
		for _, f := range files {
			for {
				if b, _ := os.ReadFile(f); len(b) > 0 {
					break
				}
				runtime.Gosched()
			}
		}
		if got := children.Running(); got != n {
			t.Errorf("%d running, want %d", got, n)
		}
		if err := children.Close(); err != nil {
			t.Error(err)
		}
		for range n {
			if err := <-errs; !errors.Is(err, sandbox.ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
		for _, f := range files {
			for _, pid := range pids(t, f) {
				gone(t, pid)
			}
		}
		if _, err := l.Run(t.Context(), sh(t, "true")); !errors.Is(err, sandbox.ErrClosed) || children.Running() != 0 {
			t.Errorf("after Close: %v, %d running", err, children.Running())
		}
	})
}

// TestFlood is T04: 10 MB on either stream end normally, and head and tail are kept.
func TestFlood(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		for _, to := range []string{"1", "2"} {
			c := sh(t, fmt.Sprintf("echo first >&%s; head -c 10000000 /dev/zero | tr '\\0' x >&%s; echo last >&%s", to, to, to))
			c.Keep = 1000
			got, err := l.Run(t.Context(), c)
			if err != nil || got.Exit != 0 {
				t.Fatalf("%+v %v", got.Exit, err)
			}
			s := got.Stdout
			if to == "2" {
				s = got.Stderr
			}
			if !bytes.HasPrefix(s.Head, []byte("first\nx")) || !bytes.HasSuffix(s.Tail, []byte("xlast\n")) || len(s.Head) != 500 || len(s.Tail) != 500 {
				t.Errorf("stream %s: head %d, tail %d bytes: %.10q … %q", to, len(s.Head), len(s.Tail), s.Head, s.Tail[max(0, len(s.Tail)-8):])
			}
			if want := int64(10_000_000 + len("first\nlast\n") - 1000); s.Omitted != want {
				t.Errorf("omitted %d, want %d", s.Omitted, want)
			}
		}
	})
}

// TestEnvironment: an allow list, so keys never reach a child, and a temporary folder that is gone afterwards.
func TestEnvironment(t *testing.T) {
	l := sandbox.Launcher{
		Env: []string{"WANTED"},
		Environ: func() []string {
			return []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/x", "USER=x", "LANG=C", "LC_TIME=C", "TZ=UTC", "TERM=dumb", "TMPDIR=/elsewhere",
				"OPENAI_API_KEY=secret", "SSH_AUTH_SOCK=/s", "LD_PRELOAD=x.so", "BASH_ENV=x", "WANTED=yes", "no equals sign"}
		},
	}
	c := sandbox.Command{Argv: []string{"env"}, Dir: t.TempDir(), Env: map[string]string{"OWN": "1", "NUL": "a\x00b"}, Cache: "/cache"}
	got, err := l.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(got.Stdout.String()) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	if d := cmp.Diff([]string{"HOME", "LANG", "LC_TIME", "OWN", "PATH", "TERM", "TMPDIR", "TZ", "USER", "WANTED", "XDG_CACHE_HOME"}, names); d != "" {
		t.Error(d)
	}
	got, err = l.Run(t.Context(), sh(t, `mkdir -p "$TMPDIR/a/b" && touch "$TMPDIR/a/b/c" && chmod -w "$TMPDIR/a/b" && stat -c %a "$TMPDIR" 2>/dev/null; echo "$TMPDIR"`))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(got.Stdout.String())
	tmp := lines[len(lines)-1]
	if _, err := os.Stat(tmp); tmp == "/elsewhere" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", tmp, err)
	}
	if len(lines) == 2 && lines[0] != "700" {
		t.Errorf("mode of the temporary folder: %s", lines[0])
	}
}

// TestNothingLeft: goroutines and file descriptors are back where they were.
func TestNothingLeft(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		run := func() {
			for _, script := range []string{"echo x", "exit 1", "sleep 60 &", "sleep 60"} {
				c := sh(t, script)
				c.Timeout, c.Stdin = 50*time.Millisecond, []byte("x")
				_, _ = l.Run(t.Context(), c)
			}
			_, _ = l.Run(t.Context(), sandbox.Command{Argv: []string{"no-such-program-here"}, Dir: t.TempDir()})
		}
		run()
		goroutines, files := runtime.NumGoroutine(), descriptors(t)
		for range 2 {
			run()
		}
		for end := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
			if time.Now().After(end) {
				t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
			}
		}
		if got := descriptors(t); got > files {
			t.Errorf("%d file descriptors, %d before", got, files)
		}
	})
}

func descriptors(t testing.TB) int {
	t.Helper()
	es, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(es)
}
