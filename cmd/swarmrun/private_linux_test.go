package main

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestPrivate: nobody but root looks into the process that has the keys.
func TestPrivate(t *testing.T) {
	private()
	got, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil || got != 0 {
		t.Errorf("dumpable is %d, %v, want 0", got, err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
}
