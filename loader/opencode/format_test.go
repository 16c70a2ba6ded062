package opencode

import (
	"testing"
	"testing/fstest"
)

// TestFormat holds the word of include: and that a tree and a person have places. What its files say is tested in package
// loader, with whole workspaces.
func TestFormat(t *testing.T) {
	var f Format
	if f.Name() != "opencode" {
		t.Errorf("the word is %q", f.Name())
	}
	for _, personal := range []bool{false, true} {
		folders, ds := f.Folders(fstest.MapFS{}, personal, nil)
		if len(folders) == 0 || len(ds) != 0 {
			t.Errorf("personal %v: %v %v", personal, folders, ds)
		}
	}
}
