package builtin

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools"
)

func TestWrite(t *testing.T) {
	b := newBench(t)
	got := b.ok("Write", in{"file_path": "new/deep/f.txt", "content": "a\nb"})
	if want := "Created " + b.path("new/deep/f.txt") + ": 2 lines, 3 bytes."; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := b.content("new/deep/f.txt"); got != "a\nb" {
		t.Errorf("content %q", got)
	}
	if got := b.ok("Write", in{"file_path": "new/deep/f.txt", "content": ""}); !strings.HasPrefix(got, "Replaced ") {
		t.Errorf("own file, written again: %q", got)
	}
	entries, err := os.ReadDir(b.path("new/deep"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestWriteKeepsMode(t *testing.T) {
	b := newBench(t)
	b.write("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(b.path("run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	b.ok("Read", in{"file_path": "run.sh"})
	b.ok("Edit", in{"file_path": "run.sh", "old_string": "sh", "new_string": "bash", "replace_all": true})
	info, err := os.Stat(b.path("run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o750 {
		t.Errorf("mode %o, want 750", got)
	}
}

func TestWriteRefuses(t *testing.T) {
	b := newBench(t)
	b.write("unread", "x")
	b.write("dir/x", "")
	b.write("locked", "x")
	if err := os.Chmod(b.path("locked"), 0o444); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	b.link(outside, "out")
	b.link(outside+"/new", "dangling")
	b.ok("Read", in{"file_path": "locked"})

	b.refused("has not been read", "Write", in{"file_path": "unread", "content": "y"})
	b.refused("is a folder", "Write", in{"file_path": "dir", "content": "y"})
	b.refused("is read-only", "Write", in{"file_path": "locked", "content": "y"})
	b.refused("not a directory", "Write", in{"file_path": "unread/y", "content": "y"})
	b.refused("leads out of", "Write", in{"file_path": "out/new", "content": "y"})
	b.refused("leads nowhere", "Write", in{"file_path": "dangling", "content": "y"})
	if left, err := os.ReadDir(outside); err != nil || len(left) != 0 {
		t.Errorf("outside: %v, %v", left, err)
	}
	if got := b.content("unread"); got != "x" {
		t.Errorf("a refused write changed the file to %q", got)
	}
}

func TestReadBeforeWrite(t *testing.T) {
	b := newBench(t)
	b.write("f", "one two\n")
	edit := func(from, to string) in { return in{"file_path": "f", "old_string": from, "new_string": to} }
	b.refused("has not been read", "Edit", edit("one", "1"))
	b.ok("Read", in{"file_path": "f", "limit": 1})
	b.ok("Edit", edit("one", "1"))
	b.ok("Edit", edit("two", "2")) // T02: own writes are known
	b.ok("MultiEdit", in{"file_path": "f", "edits": []in{{"old_string": "1", "new_string": "I"}}})
	b.ok("Write", in{"file_path": "f", "content": "one two\n"})

	b.write("f", "somebody else's\n")
	b.refused("has changed", "Edit", edit("somebody", "nobody"))
	b.refused("has changed", "Write", in{"file_path": "f", "content": ""})
	b.ok("Read", in{"file_path": "f"})
	b.ok("Edit", edit("somebody", "nobody"))

	b.call.State = &tools.State{}
	b.refused("has not been read", "Edit", edit("nobody", "x")) // another conversation
}

func TestReadBeforeWriteThroughLinks(t *testing.T) {
	b := newBench(t)
	b.write("AGENTS.md", "hello\n")
	b.link("AGENTS.md", "CLAUDE.md")
	b.ok("Read", in{"file_path": "CLAUDE.md"})
	b.ok("Edit", in{"file_path": "AGENTS.md", "old_string": "hello", "new_string": "bye"})
	b.ok("Edit", in{"file_path": "CLAUDE.md", "old_string": "bye", "new_string": "ciao"})
	if got := b.content("AGENTS.md"); got != "ciao\n" {
		t.Errorf("content %q", got)
	}
	if info, err := os.Lstat(b.path("CLAUDE.md")); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
}

// TestEditsSideBySide: calls of one turn run side by side, none may be lost.
func TestEditsSideBySide(t *testing.T) {
	b := newBench(t)
	const n = 20
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "done %d;\n", i)
	}
	b.write("f", strings.ReplaceAll(want.String(), "done", "todo"))
	b.ok("Read", in{"file_path": "f"})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			b.ok("Edit", in{"file_path": "f", "old_string": fmt.Sprintf("todo %d;", i), "new_string": fmt.Sprintf("done %d;", i)})
		})
	}
	wg.Wait()
	if diff := cmp.Diff(want.String(), b.content("f")); diff != "" {
		t.Error(diff)
	}
}

func TestKeyedForgetsNames(t *testing.T) {
	var k keyed
	k.lock("a")()
	if len(k.locks) != 0 {
		t.Errorf("%d locks left", len(k.locks))
	}
}
