package loader

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHolds(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "work", "shop")
	if err := os.MkdirAll(filepath.Join(inner, "fixtures"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(inner, "fixtures", "up")
	if err := os.Symlink(root, link); err != nil {
		t.Skip("no links here")
	}
	volume := filepath.VolumeName(root) + string(filepath.Separator)
	for folder, want := range map[string]bool{
		inner: true, filepath.Join(root, "work"): true, volume: true, link: true,
		filepath.Join(inner, "fixtures"): false, filepath.Join(root, "work", "sho"): false, filepath.Join(root, "other"): false,
	} {
		if got := holds(folder, inner); got != want {
			t.Errorf("holds(%q) = %v, want %v", folder, got, want)
		}
	}
}
