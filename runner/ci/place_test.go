package ci

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// TestCopyTree copies what a fixture may hold: modes, links, an own repository, and what must not be copied.
func TestCopyTree(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"bin", ".git/objects", "sub", "locked"} {
		must(os.MkdirAll(filepath.Join(from, dir), 0o755))
	}
	must(os.WriteFile(filepath.Join(from, "bin/run"), []byte("#!/bin/sh\n"), 0o755))
	must(os.WriteFile(filepath.Join(from, ".git/HEAD"), []byte("ref: x\n"), 0o644))
	must(os.WriteFile(filepath.Join(from, "sub/.git"), []byte("gitdir: /elsewhere\n"), 0o644))
	must(os.WriteFile(filepath.Join(from, "locked/a"), []byte("a"), 0o444))
	must(os.Symlink("run", filepath.Join(from, "bin/near")))
	must(os.Symlink(filepath.Join(from, "bin/run"), filepath.Join(from, "far")))
	must(os.Symlink("nowhere", filepath.Join(from, "dangling")))
	must(os.Chmod(filepath.Join(from, "locked"), 0o555))
	t.Cleanup(func() {
		_ = os.Chmod(filepath.Join(from, "locked"), 0o755)
		sandbox.RemoveAll(to)
	})
	must(copyTree(from, to))
	seen, err := look(to, nil)
	must(err)
	var got []string
	for path := range seen {
		got = append(got, path)
	}
	want := map[string]bool{"bin/run": true, "bin/near": true, "far": true, "dangling": true, "locked/a": true}
	for _, p := range got {
		if !want[p] {
			t.Errorf("%s was copied", p)
		}
	}
	if len(got) != len(want) {
		t.Errorf("copied: %v", got)
	}
	if _, err := os.Stat(filepath.Join(to, ".git/HEAD")); err != nil {
		t.Error("the fixture's own repository is gone:", err)
	}
	if info, err := os.Stat(filepath.Join(to, "bin/run")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(to, "locked")); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("%v, %v", info, err)
	}
	if target, err := os.Readlink(filepath.Join(to, "far")); err != nil || target != filepath.Join(to, "bin/run") {
		t.Errorf("the link leads to %s", target)
	}
}

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("kept", "a\n")
	write("changed", "a\nb\nc\n")
	write("gone", "a\nb\n")
	before, err := look(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	write("changed", "a\nB\nc\nd\n")
	write("new", "x\ny\n")
	if err := os.Remove(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	after, err := look(dir, before)
	if err != nil {
		t.Fatal(err)
	}
	want := []Change{{"changed", "changed", 2, 1}, {"gone", "removed", 0, 2}, {"new", "added", 2, 0}}
	if diff := cmp.Diff(want, changes(before, after)); diff != "" {
		t.Error(diff)
	}
}
