//go:build unix

package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/runner/session/sessiontest"
)

// The tests below start this test binary as another process, which does what crashEnv says.
const (
	crashEnv = "SESSION_TEST_CHILD"
	limitEnv = "SESSION_TEST_LIMIT" // bytes that a file may have; as a full disk, later
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashEnv); dir != "" {
		child(dir)
	}
	os.Exit(m.Run())
}

// child writes records for ever, says on stdout which of them are on disk, and waits to be killed.
func child(dir string) {
	if limit, err := strconv.ParseUint(os.Getenv(limitEnv), 10, 64); err == nil {
		signal.Ignore(unix.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	l, err := session.NewDir(dir).Create(sessiontest.Head("s"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	pad := strings.Repeat("x", 8_000)
	for i := 0; ; i++ {
		r := session.Record{Type: session.ToolResult, ToolCallID: fmt.Sprint(i), Content: pad[:i*37%len(pad)]}
		if err := l.Append(r); err != nil {
			again := l.Append(r)
			fmt.Printf("%v\nthe same: %v\n", err, again != nil && again.Error() == err.Error() && l.Sync() != nil)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

func startChild(t *testing.T, dir string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^$")
	c.Env = append(append(os.Environ(), crashEnv+"="+dir), env...)
	out := &bytes.Buffer{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, out
}

// TestKill kills a writing process at twenty moments: every record that it had acknowledged is there, in order, and the
// session goes on.
func TestKill(t *testing.T) {
	for n := range 20 {
		dir := t.TempDir()
		d := session.NewDir(dir)
		c, out := startChild(t, dir)
		waitFor(t, c, func() bool {
			info, err := os.Stat(d.Path("s"))
			return err == nil && info.Size() > int64(n*7_919)
		})
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // killed
		acknowledged := strings.Count(out.String(), "\n")
		l, got, err := d.Open("s")
		if err != nil {
			t.Fatalf("after a kill: %v; the child said %q", err, tail(out.String()))
		}
		if len(got.Records) < acknowledged {
			t.Errorf("%d records are left of %d", len(got.Records), acknowledged)
		}
		for i, r := range got.Records {
			if r.ToolCallID != fmt.Sprint(i) {
				t.Fatalf("record %d is %s", i, r.ToolCallID)
			}
		}
		if err := errors.Join(l.Append(sessiontest.Records()...), l.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHolder(t *testing.T) {
	dir := t.TempDir()
	d := session.NewDir(dir)
	c, _ := startChild(t, dir)
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	waitFor(t, c, func() bool {
		info, err := os.Stat(d.Path("s"))
		return err == nil && info.Size() > 0
	})
	_, _, err := d.Open("s")
	var held *session.HeldError
	if !errors.As(err, &held) || held.PID != c.Process.Pid {
		t.Errorf("error %v, want one that names process %d", err, c.Process.Pid)
	}
}

// TestFullDisk stops a writer by the size its file may have: the write that does not fit is an error that names the session,
// every later one too, and what was there before is whole.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	c, out := startChild(t, dir, limitEnv+"=20000")
	if err := c.Wait(); err == nil {
		t.Fatal("the writer did not notice")
	}
	said := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(said) < 3 || !strings.Contains(said[len(said)-2], "session s cannot be written") || said[len(said)-1] != "the same: true" {
		t.Fatalf("the writer said %q", tail(out.String()))
	}
	got, err := session.NewDir(dir).Read("s")
	if err != nil {
		t.Fatal(err)
	}
	if acknowledged := len(said) - 2; len(got.Records) != acknowledged || got.Torn != 0 {
		t.Errorf("%d records and %d bytes torn, want %d and none", len(got.Records), got.Torn, acknowledged)
	}
}

// waitFor polls for what another process does: there is nothing to be told by.
func waitFor(t *testing.T, c *exec.Cmd, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			_ = c.Process.Kill()
			t.Fatal("the other process did not get there")
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-200):] }
