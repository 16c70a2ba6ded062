package launch

import (
	"errors"
	"fmt"
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

// TestFilterLimits: a thread behind the filter has limits of its own, and sets none of a process that it names.
func TestFilterLimits(t *testing.T) {
	if !Filterable {
		t.Skip("no filter for this machine")
	}
	err := separately(func() error {
		var own unix.Rlimit
		if err := errors.Join(prctl(prSetNoNewPrivs, 1), filter(), unix.Prlimit(0, unix.RLIMIT_CPU, nil, &own), unix.Prlimit(0, unix.RLIMIT_CPU, &own, nil)); err != nil {
			return err
		}
		if err := unix.Prlimit(unix.Getpid(), unix.RLIMIT_CPU, &own, nil); err != unix.EPERM {
			return fmt.Errorf("limit of a process by its number: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
