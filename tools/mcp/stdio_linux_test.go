package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// TestClosedFile: a server that the sandbox lets read nothing of its own is told of with the way out, and starts with that.
func TestClosedFile(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "server.sh")
	if err := os.WriteFile(outside, []byte("exec "+self+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	d.options.Launcher.Path, d.options.Launcher.Probe = self, &sandbox.Probe{}
	if d.options.Launcher.Kernel().Landlock == 0 {
		t.Skip("no Landlock in this kernel")
	}
	s := server("far", "polite")
	s.Command, s.Required = []string{"sh", outside}, true
	_, err = d.tryOpen(s)
	if err == nil || !strings.Contains(err.Error(), "ermission denied") || !strings.Contains(err.Error(), "`read` in the `sandbox`") {
		t.Errorf("got %v", err)
	}
	s.Read = []string{filepath.Dir(outside), filepath.Dir(self)}
	if _, err := d.tryOpen(s); err != nil {
		t.Errorf("with what it reads: %v", err)
	}
	s = server("gone", "polite")
	s.Command, s.Required = []string{"sh", "-c", "echo something else >&2"}, true
	if _, err := d.tryOpen(s); err == nil || strings.Contains(err.Error(), "sandbox") {
		t.Errorf("got %v", err)
	}
}
