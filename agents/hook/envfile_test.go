package hook

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// TestEnvFile reads assignments of plain values, and runs nothing.
func TestEnvFile(t *testing.T) {
	var a sandbox.Access
	e, err := newEnvFile(&a)
	if err != nil {
		t.Fatal(err)
	}
	defer e.remove()
	if len(a.Write) != 1 {
		t.Errorf("the child may write %v", a.Write)
	}
	text := "# comment\nexport A=1\nB='two words $A'\nexport C=\"$A and ${B}\"\nPATH=$PATH:/x\nD=\n" +
		"E=$(touch /tmp/evil)\nF=`id`\nG=a; rm x\nunset A\nH=\"a\"b\"\nI=$SECRET\nJ=a b\n1K=x\n"
	if err := os.WriteFile(e.path(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env, notices := e.read(func(name string) string { return map[string]string{"PATH": "/bin"}[name] })
	want := []string{"A=1", "B=two words $A", "C=1 and two words $A", "PATH=/bin:/x", "D=", "I="}
	if diff := cmp.Diff(want, env); diff != "" {
		t.Error(diff)
	}
	if len(notices) != 7 || !strings.Contains(notices[0], "E=$(touch") {
		t.Errorf("notices: %q", notices)
	}
	for name, spoil := range map[string]func() error{
		"a link":   func() error { return os.Symlink("/etc/passwd", e.path()) },
		"a folder": func() error { return os.Mkdir(e.path(), 0o700) },
		"gone":     func() error { return nil },
		"too long": func() error { return os.WriteFile(e.path(), make([]byte, maxEnvFile+1), 0o600) },
	} {
		if err := os.RemoveAll(e.path()); err != nil {
			t.Fatal(err)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if env, notices := e.read(func(string) string { return "" }); env != nil || len(notices) != 1 {
			t.Errorf("%s: %v %v", name, env, notices)
		}
	}
}
