package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVersionOfBuild: what `make build` tells the linker is the answer, in all forms, and before the rest of the program is made.
func TestVersionOfBuild(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "swarmrun")
	make := exec.CommandContext(t.Context(), "make", "-C", "../..", "build", "BIN="+bin, "VERSION=v1.2.3", "COMMIT=0123abc")
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ask := func(args ...string) (stdout string, made int) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), bin, args...)
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out), strings.Count("\n"+stderr.String(), "\ninit ")
	}
	_, all := ask("version", "-o", "json")
	for _, arg := range []string{"version", "--version"} {
		text, made := ask(arg)
		if !strings.HasPrefix(text, "swarmrun v1.2.3\ncommit   0123abc\ngo       go1.") {
			t.Errorf("%s: %s", arg, text)
		}
		if made > all/2 {
			t.Errorf("%s: %d of %d packages were made first", arg, made, all)
		}
		if late, _ := ask(arg, "--no-color"); late != text {
			t.Errorf("%s with a flag: %s", arg, late)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full on this system")
	}
	defer full.Close()
	var stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), bin, "version")
	cmd.Stdout, cmd.Stderr = full, &stderr
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("%v: %s", err, stderr.String())
	}
}
