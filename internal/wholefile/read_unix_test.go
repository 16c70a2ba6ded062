//go:build unix

package wholefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/swarmrun/swarmrun/internal/wholefile"
)

// Only regular files of bounded size are read, by every way.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(dir, "huge")
	if err := os.WriteFile(huge, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "text", "piped": "pipe"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const limit = 1 << 20
	ways := map[string]func(name string) ([]byte, error){
		"path": func(name string) ([]byte, error) { return wholefile.Read(filepath.Join(dir, name), limit) },
		"root": func(name string) ([]byte, error) { return wholefile.ReadIn(root, name, limit) },
		"tree": func(name string) ([]byte, error) { return fs.ReadFile(wholefile.Dir(dir, limit), name) },
	}
	for way, read := range ways {
		for name, want := range map[string]string{"text": "hello", "link": "hello", "empty": ""} {
			if got, err := read(name); err != nil || string(got) != want {
				t.Errorf("%s, %s: %q, %v", way, name, got, err)
			}
		}
		for _, name := range []string{"folder", "pipe", "piped"} {
			if _, err := read(name); !errors.Is(err, wholefile.ErrIrregular) {
				t.Errorf("%s, %s: %v", way, name, err)
			}
		}
		if _, err := read("none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, none: %v", way, err)
		}
		if _, err := read("huge"); err == nil || !strings.HasSuffix(err.Error(), "larger than 1 MiB") {
			t.Errorf("%s, huge: %v", way, err)
		}
	}
	if _, err := wholefile.Read(huge, 4<<10); err == nil || err.Error() != "larger than 4 KiB" {
		t.Errorf("huge: %v", err)
	}
	if _, err := wholefile.Dir(dir, limit).Open("pipe"); !errors.Is(err, wholefile.ErrIrregular) {
		t.Errorf("open: %v", err)
	}
	if entries, err := fs.ReadDir(wholefile.Dir(dir, limit), "."); err != nil || len(entries) != 7 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	if _, err := fs.ReadFile(wholefile.Dir(dir, limit), "../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("outside: %v", err)
	}
}
