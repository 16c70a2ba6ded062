package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"gopkg.in/yaml.v3"
)

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repositoryRoot(t), name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// knownFlags finds each flag of a call in the help of the command.
func knownFlags(t *testing.T, bin, command string, args []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), bin, command, "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("%s --help: %v\n%s", command, err, out)
	}
	for _, arg := range args {
		if name := strings.TrimPrefix(arg, "--"); name != arg && name != "" && !regexp.MustCompile(`--`+regexp.QuoteMeta(name)+`\b`).Match(out) {
			t.Errorf("%s has no flag %s:\n%s", command, arg, out)
		}
	}
}

// The hooks of pre-commit call commands that there are, with flags that they have, when files that matter have changed.
func TestPreCommitHooks(t *testing.T) {
	var hooks []struct {
		ID, Name, Description, Entry, Language, Files string
		PassFilenames                                 bool `yaml:"pass_filenames"`
		Stages                                        []string
	}
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	bin := buildProgram(t)
	if len(hooks) != 3 {
		t.Errorf("%d hooks", len(hooks))
	}
	for _, h := range hooks {
		words := strings.Fields(h.Entry)
		if words[0] != "swarmrun" || h.Language != "golang" || h.PassFilenames {
			t.Errorf("hook %+v", h)
		}
		knownFlags(t, bin, words[1], words[2:])
		if h.Files == "" {
			continue
		}
		files := regexp.MustCompile(h.Files)
		for path, want := range map[string]bool{"swarmrun.yaml": true, "agents/a.md": true, "team/agents/deep/a.md": true, ".claude/settings.json": true,
			"jobs/q.yaml": true, ".mcp.json": true, "main.go": false, "cmd/agents.go": false, "docs/agents.md": false} {
			if files.MatchString(path) != want {
				t.Errorf("%s: %s is taken: %v", h.ID, path, !want)
			}
		}
	}
}

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
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("an empty root needs Linux and root")
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
