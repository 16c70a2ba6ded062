package launch

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestRestrictCloses: a process with a confined thread is closed to others, which are in the thread's domain too.
func TestRestrictCloses(t *testing.T) {
	if !Filterable {
		t.Skip("no filter for this machine")
	}
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) })
	if err := separately(func() error { return restrict(&Policy{Filter: true}) }); err != nil {
		t.Fatal(err)
	}
	if got, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || got != 0 {
		t.Errorf("dumpable %d, %v", got, err)
	}
}
