package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The image: what its last stage has, and that the program runs with nothing else, as nobody.
func TestDockerfile(t *testing.T) {
	root := repositoryRoot(t)
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("\nRUN make build BIN=/root-of-image/usr/bin/swarmrun\n")) {
		t.Error("the image has another program than make build makes")
	}
	_, last, ok := strings.Cut(string(text), "\nFROM scratch\n")
	if !ok || strings.Contains(last, "\nRUN ") || !strings.Contains(last, "\nUSER 65532:65532\n") || !strings.Contains(last, `ENTRYPOINT ["/usr/bin/swarmrun"]`) {
		t.Errorf("the last stage is not the program alone, without a shell and not as root:\n%s", last)
	}
	if os.Getuid() != 0 {
		t.Skip("only root changes the root")
	}
	image := t.TempDir()
	if err := os.Chmod(image, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"usr/bin", "tmp", "home/nonroot"} {
		if err := os.MkdirAll(filepath.Join(image, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(image, "workspace"), os.DirFS(filepath.Join(root, "examples", "quickstart"))); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(image, "usr/bin/swarmrun")
	if out, err := exec.CommandContext(t.Context(), "make", "-C", root, "build", "BIN="+bin).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := elf.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	if libraries, err := program.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the program needs %v, %v", libraries, err)
	}
	cmd := exec.CommandContext(t.Context(), "/usr/bin/swarmrun", "validate", "--strict")
	cmd.Dir, cmd.Env = "/workspace", []string{"HOME=/home/nonroot"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: image, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
