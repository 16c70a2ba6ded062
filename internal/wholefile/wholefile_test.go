package wholefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/swarmrun/swarmrun/internal/wholefile"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	holds := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
			t.Errorf("%d files are left, %v", len(names), err)
		}
	}
	if err := wholefile.Replace(path, 0o644, []byte("one")); err != nil {
		t.Fatal(err)
	}
	holds("one")
	if err := wholefile.Replace(path, 0o600, []byte("two")); err != nil {
		t.Fatal(err)
	}
	holds("two")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	broken := errors.New("broken")
	err := wholefile.ReplaceWith(path, 0o644, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	holds("two")
	if err := wholefile.Replace(filepath.Join(dir, "nowhere", "b"), 0o644, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
