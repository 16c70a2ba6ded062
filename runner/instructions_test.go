package runner_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin"
)

// spread writes files below a folder.
func spread(t *testing.T, base string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(base, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// instructed runs an agent that answers with what it was told: its system text, or with call set the result of that call.
func instructed(t *testing.T, dir, home string, change func(*agents.Agent), calls ...script.Call) (text string, warnings []string) {
	t.Helper()
	rules := []script.Rule{{Reply: say(`{{ .System }}`)}}
	if len(calls) > 0 {
		rules = []script.Rule{{When: []script.When{{Turn: "1"}}, Reply: use(calls...)}, {Reply: say(`{{ range .AllResults }}[{{ .Text }}]{{ end }}`)}}
	}
	a := worker(t, rules...)
	a.Instructed, a.Tools = true, []tools.Toolset{tools.Fixed(builtin.New(nil)...)}
	if change != nil {
		change(a)
	}
	res := mustDo(t, newRunner(t, &scene{agents: []*agents.Agent{a}}, &runner.Options{Home: home}),
		runner.Request{Input: "go", Roots: tools.Roots{Workspace: dir}}, &runner.RunOptions{Sink: func(e event.Event) {
			if w, ok := e.(*event.Warning); ok {
				warnings = append(warnings, w.Message)
			}
		}})
	return res.Text(), warnings
}

// TestPersonalImports lets files of the person name files anywhere, and those of a workspace never.
func TestPersonalImports(t *testing.T) {
	base := t.TempDir()
	spread(t, base, map[string]string{
		"home/.claude/CLAUDE.md": "mine @~/notes/a.md @" + filepath.Join(base, "else/b.md") + " @../up.md",
		"home/notes/a.md":        "A @b.md", "home/notes/b.md": "B", "else/b.md": "E", "home/up.md": "U",
		"work/CLAUDE.md": "theirs @~/notes/a.md @" + filepath.Join(base, "else/b.md"),
	})
	text, warnings := instructed(t, filepath.Join(base, "work"), filepath.Join(base, "home"), nil)
	want := "You work.\n\n# Instructions from .claude/CLAUDE.md\n\nmine A B E U\n\n# Instructions from CLAUDE.md\n\ntheirs @~/notes/a.md @" + filepath.Join(base, "else/b.md")
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
	if len(warnings) != 2 {
		t.Errorf("warnings: %q", warnings)
	}
}

// TestExcluded leaves out what settings exclude, imports too.
func TestExcluded(t *testing.T) {
	dir := t.TempDir()
	spread(t, dir, map[string]string{"CLAUDE.md": "one @old.md.", "old.md": "OLD", "AGENTS.md": "two", "sub/CLAUDE.md": "three"})
	text, _ := instructed(t, dir, "", func(a *agents.Agent) {
		a.Directory = "sub"
		a.Excluded = func(p string) bool { return strings.HasSuffix(p, "AGENTS.md") || strings.HasSuffix(p, "old.md") }
	})
	if want := "You work.\n\n# Instructions from CLAUDE.md\n\none\n\n# Instructions from sub/CLAUDE.md\n\nthree"; text != want {
		t.Errorf("%q", text)
	}
}

// TestGuides gives instructions about places once something there is read: path rules, and the files of folders below.
func TestGuides(t *testing.T) {
	dir := t.TempDir()
	spread(t, dir, map[string]string{
		"src/api/a.ts": "code", "src/api/b.ts": "more", "src/CLAUDE.md": "Source.", "src/api/AGENTS.md": "Api.", "top.md": "top",
	})
	read := func(name string) script.Call {
		return call("Read", fmt.Sprintf(`{"file_path": %q}`, filepath.Join(dir, name)))
	}
	guides := func(a *agents.Agent) {
		a.Guides = []agents.Guide{
			{File: ".claude/rules/ts.md", Text: "Types.", Match: func(p string) bool { return strings.HasSuffix(p, ".ts") }},
			{File: ".claude/rules/always.md", Text: "Always."},
		}
	}
	if text, _ := instructed(t, dir, "", guides); text != "You work.\n\n# Instructions from .claude/rules/always.md\n\nAlways." {
		t.Errorf("the prompt: %q", text)
	}
	text, _ := instructed(t, dir, "", guides, read("top.md"))
	if strings.Contains(text, "Instructions") {
		t.Errorf("a file that no rule is about: %q", text)
	}
	text, _ = instructed(t, dir, "", guides, read("src/api/a.ts"), read("src/api/b.ts"))
	for _, part := range []string{"# Instructions from .claude/rules/ts.md\n\nTypes.", "# Instructions from src/CLAUDE.md\n\nSource.", "# Instructions from src/api/AGENTS.md\n\nApi."} {
		if strings.Count(text, part) != 1 {
			t.Errorf("%d times %q in %q", strings.Count(text, part), part, text)
		}
	}
	text, _ = instructed(t, dir, "", func(a *agents.Agent) { guides(a); a.Instructed = false }, read("src/api/a.ts"))
	if strings.Contains(text, "Instructions") {
		t.Errorf("an agent that takes none: %q", text)
	}
}

// TestHostileInstructions reads trees that mean harm: nothing from outside, nothing endless, nothing that a terminal obeys.
func TestHostileInstructions(t *testing.T) {
	bomb := map[string]string{"CLAUDE.md": "@w0.md"}
	var wide strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&wide, "@x/%d.md\n", i)
		bomb[fmt.Sprintf("x/%d.md", i)] = strings.Repeat("@../w0.md ", 3)
	}
	bomb["w0.md"] = wide.String()
	for _, tt := range []struct {
		name  string
		files map[string]string
		make  func(dir string) error
		none  string // may not be in the text
		limit int    // of the text
		warns int    // at most
	}{
		{"imports of imports", bomb, nil, "", 100 << 10, 20},
		{"itself", map[string]string{"CLAUDE.md": "@CLAUDE.md @./CLAUDE.md @AGENTS.md", "AGENTS.md": "@CLAUDE.md"}, nil, "", 1000, 0},
		{"huge", map[string]string{"CLAUDE.md": strings.Repeat("x", 5<<20)}, nil, "xxx", 100, 1},
		{"huge together", map[string]string{"CLAUDE.md": strings.Repeat("x", 3<<20), "AGENTS.md": strings.Repeat("y", 3<<20)}, nil, "yyy", 3<<20 + 100, 1},
		{"escapes", map[string]string{"CLAUDE.md": "\x1b]0;owned\x07\x1b[2Jtext\u009b31m @../\x1b[31mx.md"}, nil, "\x1b", 200, 1},
		{"a link out", nil, func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "CLAUDE.md")) }, "root:", 100, 1},
		{"an import of a link out", map[string]string{"AGENTS.md": "@out.md"}, func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "out.md")) }, "root:", 100, 1},
		{"a pipe", nil, func(dir string) error { return exec.Command("mkfifo", filepath.Join(dir, "CLAUDE.md")).Run() }, "", 100, 0},
		{"a device", nil, func(dir string) error { return os.Symlink("/dev/zero", filepath.Join(dir, "AGENTS.md")) }, "", 100, 1},
		{"a folder", nil, func(dir string) error { return os.Mkdir(filepath.Join(dir, "CLAUDE.md"), 0o755) }, "", 100, 0},
		{"comments and fences left open", map[string]string{"CLAUDE.md": "a\n<!-- b\n", "AGENTS.md": "````\n```\n@x.md\n"}, nil, "<!--", 200, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			spread(t, dir, tt.files)
			if tt.make != nil {
				if err := tt.make(dir); err != nil {
					t.Fatal(err)
				}
			}
			text, warnings := instructed(t, dir, "", nil)
			if len(text) > tt.limit || len(warnings) > tt.warns {
				t.Errorf("%d bytes, warnings %q", len(text), warnings)
			}
			text = strings.TrimPrefix(text, "You work.")
			if tt.none != "" && strings.Contains(strings.ReplaceAll(text, "AGENTS.md", "")+strings.Join(warnings, ""), tt.none) {
				t.Errorf("%q is in %.200q %q", tt.none, text, warnings)
			}
		})
	}
}
