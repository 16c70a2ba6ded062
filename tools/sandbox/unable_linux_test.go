package sandbox_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// TestUnable: where the system gives no namespaces, commands and servers start all the same in mode auto, which says so once, and
// mode require refuses them. The system is one in which this test runs again.
func TestUnable(t *testing.T) {
	if os.Getenv("SANDBOX_UNABLE") == "" {
		again := exec.Command(os.Args[0], "-test.run=^TestUnable$", "-test.v")
		again.Env = append(os.Environ(), "SANDBOX_UNABLE=1")
		again.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		out, err := again.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestUnable") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_mnt_namespaces", []byte("0"), 0); err != nil {
		t.Fatal(err)
	}
	l := confined(t)
	l.Children = &sandbox.Children{}
	defer l.Children.Close()
	var told []string
	l.Tell = func(what string) { told = append(told, what) }
	l.Ahead() // what waits counts on namespaces
	for range 2 {
		c := sh(t, "read line; echo $line")
		c.Stdin = []byte("hello\n")
		c.Access.Hide = []string{c.Dir}
		out, err := l.Run(t.Context(), c)
		if err != nil || out.Stdout.String() != "hello\n" || out.Exit != 0 {
			t.Errorf("%v %q %q", err, out.Stdout, out.Stderr)
		}
	}
	p, err := l.Start(t.Context(), sh(t, "echo up"))
	if err != nil {
		t.Fatal(err)
	}
	if up, err := io.ReadAll(p.Stdout()); err != nil || string(up) != "up\n" {
		t.Errorf("%q %v", up, err)
	}
	_ = p.Close()
	if len(told) != 1 || !strings.Contains(told[0], "children can read what Read is denied") {
		t.Errorf("told %q", told)
	}
	l.Mode = sandbox.Require
	c := sh(t, "true")
	c.Access.Hide = []string{c.Dir}
	if _, err := l.Run(t.Context(), c); !errors.Is(err, sandbox.ErrUnconfined) {
		t.Error(err)
	}
	l.Probe = nil // tried for each child
	l.Mode = sandbox.Auto
	if p, err = l.Start(t.Context(), sh(t, "true")); err != nil {
		t.Fatal(err)
	}
	_ = p.Close()
}
