//go:build unix

package sandbox_test

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

func start(t testing.TB, l sandbox.Launcher, script string) (*sandbox.Process, string) {
	t.Helper()
	c := sh(t, script)
	p, err := l.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, c.Dir
}

func TestProcessTalks(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		p, _ := start(t, l, "echo banner >&2; while read -r line; do echo \"got $line\"; done; echo bye >&2")
		if _, err := io.WriteString(p.Stdin(), "one\n"); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(p.Stdout()).ReadString('\n')
		if err != nil || line != "got one\n" {
			t.Errorf("%q %v", line, err)
		}
		if p.Err() != nil {
			t.Error(p.Err())
		}
		began := time.Now()
		if err := p.Close(); err != nil || p.Err() != nil {
			t.Error(err, p.Err())
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end of stdin ended it after %s", took)
		}
		if got := p.Stderr(); got != "banner\nbye\n" {
			t.Errorf("stderr %q", got)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestProcessEnds: how a process ends by itself, and what it leaves in its group.
func TestProcessEnds(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		for _, tt := range []struct{ name, script, err string }{
			{"well", "sleep 60 & echo $! >pids", ""},
			{"exit code", "echo $$ >pids; exit 3", "ended with exit code 3"},
			{"signal", "echo $$ >pids; kill -KILL $$", "ended by SIGKILL"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				p, dir := start(t, l, tt.script)
				<-p.Done()
				if err := p.Err(); (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				for _, pid := range pids(t, filepath.Join(dir, "pids")) {
					gone(t, pid)
				}
			})
		}
	})
}

// TestProcessDeaf: neither the end of stdin nor TERM ends it, KILL does.
func TestProcessDeaf(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		p, dir := start(t, l, "trap '' TERM; sleep 60 & echo $$ $! >pids; echo ready; while :; do wait; done")
		if _, err := bufio.NewReader(p.Stdout()).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_ = p.Close()
		if took := time.Since(began); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("took %s", took)
		}
		if p.Err() == nil || p.Err().Error() != "ended by SIGKILL" {
			t.Error(p.Err())
		}
		for _, pid := range pids(t, filepath.Join(dir, "pids")) {
			gone(t, pid)
		}
	})
}

func TestProcessStderrTail(t *testing.T) {
	p, _ := start(t, sandbox.Launcher{}, "i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done")
	<-p.Done()
	got := p.Stderr()
	if len(got) > 4<<10 || !strings.HasPrefix(got, "line ") || !strings.HasSuffix(got, "line 1999\n") {
		t.Errorf("%d bytes: %.20q … %q", len(got), got, got[max(0, len(got)-20):])
	}
}

func TestProcessFaults(t *testing.T) {
	both(t, func(t *testing.T, l sandbox.Launcher) {
		children := &sandbox.Children{}
		l.Children = children
		missing := sandbox.Command{Argv: []string{"no-such-program-here"}, Dir: t.TempDir()}
		if _, err := l.Start(t.Context(), missing); !errors.Is(err, sandbox.ErrNotFound) || children.Running() != 0 {
			t.Errorf("missing program: %v, %d running", err, children.Running())
		}
		p, dir := start(t, l, "trap '' TERM; echo $$ >pids; echo ready; while :; do sleep 60 & wait; done")
		if _, err := bufio.NewReader(p.Stdout()).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_ = children.Close()
		if took := time.Since(began); took > time.Second+200*time.Millisecond {
			t.Errorf("Children.Close took %s", took)
		}
		<-p.Done()
		for _, pid := range pids(t, filepath.Join(dir, "pids")) {
			gone(t, pid)
		}
		if _, err := l.Start(t.Context(), sh(t, "true")); !errors.Is(err, sandbox.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}
