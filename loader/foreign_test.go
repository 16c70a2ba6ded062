package loader

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// TestHostileTree loads a tree that means harm: nothing from outside reaches a prompt, and no message holds what a terminal
// obeys.
func TestHostileTree(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "secret.md", "top secret\n")
	root := t.TempDir()
	write(t, root,
		".claude/rules/mine.md", "Mine.\n",
		".claude/plugins/evil/.claude-plugin/plugin.json", "{\"name\": \"a\\u001b[2Jb\", \"agents\": \"../../../\"}",
		".claude/plugins/out/.claude-plugin/plugin.json", `{"name": "out", "agents": ["/etc", "../../..", "./ok"], "mcpServers": "../x.json"}`,
		".claude/plugins/out/agents/\x1b[31mred.md", "---\nname: \"red\\e[2J\"\ndescription: D.\n---\nB\n",
		".claude/agents/deep.md", "---\nname: deep\ndescription: "+strings.Repeat("[", 5000)+"\n---\nB\n",
	)
	for link, to := range map[string]string{".claude/rules/theirs.md": filepath.Join(outside, "secret.md"), ".claude/rules/loop": "..", ".claude/plugins/self": "."} {
		if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	env, _ := testEnv(t)
	r, err := Check(t.Context(), root, &Options{Env: env, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.world.guides() {
		if strings.Contains(g.Text, "secret") {
			t.Errorf("%s is read: %q", g.File, g.Text)
		}
	}
	if !slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == "E-FILE-READ" && d.Range.File == ".claude/rules/theirs.md"
	}) {
		t.Error("the link out is not told")
	}
	var text strings.Builder
	if err := diag.WriteText(&text, r.Diagnostics, nil); err != nil || strings.Contains(text.String(), "\x1b") {
		t.Errorf("%v: %q", err, text.String())
	}
}

// TestTreeEnv gives the variables of settings to children, the nearest file's, above those of the process.
func TestTreeEnv(t *testing.T) {
	set := func(env map[string]string) *config.TreeSettings {
		return &config.TreeSettings{Env: config.Value[map[string]string]{V: env, At: diag.At("x", 1, 1, 0)}}
	}
	tree := &tree{settings: &config.Settings{}, foreign: []*config.TreeSettings{set(map[string]string{"A": "near"}), set(map[string]string{"A": "far", "B": "far"})}}
	l := launcher(tree, &settled{env: &Environment{Launcher: sandbox.Launcher{}}, environ: []string{"A=process", "KEY=secret"}})
	got := l.Environ()
	for name, want := range map[string]string{"A": "near", "B": "far"} {
		if v, _ := variable(got, name); v != want || !slices.Contains(l.Env, name) {
			t.Errorf("%s is %q, want %q; passed on: %v", name, v, want, l.Env)
		}
	}
	if slices.Contains(l.Env, "KEY") {
		t.Error("a key is passed on")
	}
}

func TestFitsBelow(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/*.ts", "a.ts", true}, {"*.ts", "src/a.ts", true}, {"src/**", "src/a/b.go", true}, {"src/**/*.{ts,tsx}", "src/a/b.tsx", true},
		{"./src/*.go", "src/a.go", true}, {"src/*.go", "src/a/b.go", false}, {"/docs/**", "docs/x.md", true}, {"**", "x", true},
	} {
		if got := fitsBelow(tt.pattern, tt.path); got != tt.want {
			t.Errorf("%s on %s: %v", tt.pattern, tt.path, got)
		}
	}
}

// TestEditorPrompt makes inputs of a prompt file arguments, and refuses what only an editor knows.
func TestEditorPrompt(t *testing.T) {
	for body, want := range map[string]string{
		"Do ${input:what:the thing} now.": "Do $ARGUMENTS now.", "${input:a} ${input:b} ${input:a}": "$ARGUMENTS[0] $ARGUMENTS[1] $ARGUMENTS[0]",
		"See ${file}.": "", "In ${workspaceFolder} ${input:x}": "", "No variable, $1 stays.": "No variable, $1 stays.",
	} {
		src := []byte("---\ndescription: D.\n---\n" + body + "\n")
		p := parseFile(&file{kind: config.KindCommand, name: "p.prompt.md", tree: config.FromCopilot}, src, nil, nil)
		got := ""
		if p.def.Status.Usable() {
			got = strings.TrimSpace(p.skill.Text)
		}
		if got != want || (want == "") != p.diags.HasErrors() {
			t.Errorf("%s: %q, want %q: %v", body, got, want, p.diags)
		}
	}
}
