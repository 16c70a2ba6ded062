package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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
