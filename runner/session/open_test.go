package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestForeignFiles: a folder of sessions that somebody else wrote leads to no file outside it.
func TestForeignFiles(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	const text = "a line\nand a torn one"
	if err := os.WriteFile(victim, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := NewDir(t.TempDir())
	if err := os.Symlink(victim, dir.Path("s1")); err != nil {
		t.Skip(err)
	}
	if log, _, err := dir.Open("s1"); err == nil {
		log.Close()
		t.Error("a link was opened")
	}
	if got, err := dir.Export("s1"); err == nil {
		t.Errorf("a link was read: %q", got)
	}
	if err := dir.Remove("s1"); err == nil {
		t.Error("a link was held")
	}
	if got, err := os.ReadFile(victim); err != nil || string(got) != text {
		t.Errorf("the file has %q, %v", got, err)
	}
}

// TestFolderIgnoresItself: conversations do not get into a repository by accident.
func TestFolderIgnoresItself(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	log, err := NewDir(dir).Create(Head{ID: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	got, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil || string(got) != "*\n" {
		t.Errorf("got %q, %v", got, err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

// TestFolderGone: a workspace that was moved away does not come back as an empty one.
func TestFolderGone(t *testing.T) {
	root := filepath.Join(t.TempDir(), "workspace")
	if log, err := NewDir(filepath.Join(root, ".swarmrun", "sessions")).Create(Head{ID: "s1"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session in a folder that is not there: %v, %v", log, err)
	}
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}
