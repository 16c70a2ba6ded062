package loader

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/tools"
)

// TestKeepRule: an answer "always" is a line that a person can read, counts at the next load, and is written once.
func TestKeepRule(t *testing.T) {
	home := t.TempDir()
	dir := write(t, t.TempDir(), SettingsFile, "permissions: {ask: [Bash, Write]}\n", "agents/a.md", agentFile("a", "tools: [Bash, Write]\nmodel: openai/gpt-5\n"))
	for i, rule := range []string{"Bash(npm test)", "Write(./it's.txt)", "Bash(npm test)"} {
		if wrote, err := KeepRule(dir, home, rule, "agent a\n- evil"); err != nil || wrote != (i < 2) {
			t.Fatal(wrote, err)
		}
	}
	path := filepath.Join(dir, ".swarmrun", "permissions.yaml")
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(string(text), "allow:\n  - 'Write(./it''s.txt)' # agent a - evil\n  - 'Bash(npm test)' # agent a - evil\n") {
		t.Errorf("%s %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	report := check(t, dir, &Options{Environ: []string{}, UserDir: home})
	shown, _ := report.Show(config.KindAgent, "a")
	for _, tool := range shown.Tools {
		want := map[string]string{"Bash": "Bash(npm test)", "Write": "Write(./it's.txt)"}[tool.Name]
		if tool.Effect != "asks" || len(tool.Except) != 1 || tool.Except[0].Text != want || tool.Except[0].At.Start.Line == 0 {
			t.Errorf("%+v", tool)
		}
	}
	rules := report.world.byName["a"].rules
	at := tools.Roots{Workspace: dir, Dir: dir}
	for _, tt := range []struct {
		file string
		want tools.Verdict
	}{{"it's.txt", tools.Allow}, {"other.txt", tools.Ask}} {
		call := &tools.Call{Tool: "Write", Roots: at}
		if got := rules.Decide(writer{filepath.Join(dir, tt.file)}, call, nil); got.Verdict != tt.want {
			t.Errorf("%s: %v, %s", tt.file, got.Verdict, got.Text)
		}
	}
}

// TestKeptFile: what came with a repository does not count, a fault has its place, and a file that a person wrote in another
// form is left as it is.
func TestKeptFile(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		mode       os.FileMode
		want       string
	}{
		{"open to others", "allow: [Bash]\n", 0o644, "warning[W-PERMISSIONS-OPEN]"},
		{"unasked", "allow: [Bash]\n", 0o600, "warning[W-PERMISSIONS-OPEN]: nobody answered"},
		{"no rule", "deny:\n  - 'Bash('\n", 0o600, ".swarmrun/permissions.yaml:2:5: error[E-RULE]"},
		{"unknown tool", "deny: [Bsh]\n", 0o600, ".swarmrun/permissions.yaml:1:8: error[E-TOOL-UNKNOWN]"},
		{"unknown key", "alow: [Bash]\n", 0o600, ".swarmrun/permissions.yaml:1:1: error[E-KEY-UNKNOWN]"},
		{"fine", "deny: [Bash(rm *)]\n", 0o600, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, t.TempDir(), ".swarmrun/permissions.yaml", tt.text, "agents/a.md", agentFile("a", "tools: [Bash]\nmodel: openai/gpt-5\n"))
			path := filepath.Join(dir, ".swarmrun", "permissions.yaml")
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			r := check(t, dir, &Options{Environ: []string{}})
			if got := diagnostics(r.Diagnostics); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got %s", got)
			}
			if rules := r.world.byName["a"].rules; len(rules.Approved) != 0 || tt.name == "fine" && len(rules.Deny) != 1 {
				t.Errorf("approved %v, denied %v", rules.Approved, rules.Deny)
			}
		})
	}
	dir := write(t, t.TempDir(), ".swarmrun/permissions.yaml", "allow: [Read]\n")
	path := filepath.Join(dir, ".swarmrun", "permissions.yaml")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := KeepRule(dir, t.TempDir(), "Bash(ls)", ""); err == nil {
		t.Error("a list in brackets was added to")
	}
	if text, _ := os.ReadFile(path); string(text) != "allow: [Read]\n" {
		t.Errorf("changed to %s", text)
	}
	if _, err := KeepRule(dir, t.TempDir(), "no rule)", ""); err == nil {
		t.Error("what is no rule was kept")
	}
}

// TestKeptRulesReload: an answer, an edit of the file and a change of who may read it are published like any other save.
func TestKeptRulesReload(t *testing.T) {
	env, _ := testEnv(t)
	home := t.TempDir()
	dir := write(t, t.TempDir(), SettingsFile, "permissions: {ask: [Bash]}\n", "agents/a.md", agentFile("a", "tools: [Bash]\n"))
	live := open(t, dir, &Options{Env: env, Environ: []string{}, UserDir: home})
	defer live.Close()
	path := filepath.Join(dir, filepath.FromSlash(keptFile))
	put := func(text string) {
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	_, err := KeepRule(dir, home, "Bash(npm test)", "")
	must(t, err)
	answered, err := os.ReadFile(path)
	must(t, err)
	for _, s := range []struct {
		name           string
		act            func()
		generation     int
		approved, deny int
	}{
		{"an answer", func() {}, 2, 1, 0},
		{"nothing", func() { put(string(answered)) }, 2, 1, 0},
		{"an edit", func() { put(string(answered) + "deny: [\"Bash(rm *)\"]\n") }, 3, 1, 1},
		{"open to others", func() { must(t, os.Chmod(path, 0o644)) }, 4, 0, 1},
		{"an edit while it is open", func() { put(string(answered)) }, 5, 0, 0},
		{"closed again", func() { must(t, os.Chmod(path, 0o600)) }, 6, 1, 0},
		{"consent taken back", func() { must(t, os.RemoveAll(filepath.Join(home, ".consent"))) }, 7, 0, 0},
		{"deleted", func() { must(t, os.Remove(path)) }, 8, 0, 0},
	} {
		s.act()
		if _, err := live.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		generation, _ := served(t, live)
		rules := live.Report().world.byName["a"].rules
		if generation != s.generation || len(rules.Approved) != s.approved || len(rules.Deny) != s.deny {
			t.Errorf("%s: generation %d, approved %v, denied %v", s.name, generation, rules.Approved, rules.Deny)
		}
	}
}

// TestForgedConsent: whatever a repository ships as the file of answers, it allows nothing; what it refuses holds.
func TestForgedConsent(t *testing.T) {
	home := t.TempDir()
	agent := agentFile("a", "tools: [Bash]\nmodel: openai/gpt-5\n")
	mine := write(t, t.TempDir(), "agents/a.md", agent)
	if _, err := KeepRule(mine, home, "Bash(npm test)", ""); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(".swarmrun", "permissions.yaml")
	mineText, err := os.ReadFile(filepath.Join(mine, kept))
	if err != nil {
		t.Fatal(err)
	}
	put := func(dir, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, ".swarmrun"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, kept), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const shipped = "allow: [Bash]\ndeny: [\"Bash(rm *)\"]\n"
	for name, make := range map[string]func(dir string){
		"a file of mode 0600":       func(dir string) { put(dir, shipped) },
		"a guessed word":            func(dir string) { put(dir, "# consent AAAAAAAAAAAAAAAAAAAAAAAAAA\n"+shipped) },
		"an empty word":             func(dir string) { put(dir, "# consent \n"+shipped) },
		"the word of another place": func(dir string) { put(dir, string(mineText)+"deny: [\"Bash(rm *)\"]\n") },
		"a link to another place": func(dir string) {
			if err := os.Symlink(filepath.Join(mine, ".swarmrun"), filepath.Join(dir, ".swarmrun")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, t.TempDir(), "agents/a.md", agent)
			make(dir)
			r := check(t, dir, &Options{Environ: []string{}, UserDir: home})
			if rules := r.world.byName["a"].rules; len(rules.Approved) > 0 || name != "a link to another place" && len(rules.Deny) != 1 {
				t.Errorf("approved %v, denied %v", rules.Approved, rules.Deny)
			}
			if got := diagnostics(r.Diagnostics); !strings.Contains(got, "W-PERMISSIONS-OPEN") {
				t.Errorf("nothing is told: %s", got)
			}
			before, _ := os.ReadFile(filepath.Join(dir, kept))
			if _, err := KeepRule(dir, home, "Bash(ls)", ""); err == nil {
				t.Error("an answer was added to a file that is not the person's")
			}
			if after, _ := os.ReadFile(filepath.Join(dir, kept)); string(after) != string(before) {
				t.Errorf("the file became %s", after)
			}
		})
	}
	t.Run("the place of a folder that is gone", func(t *testing.T) {
		put(mine, shipped)
		if rules := check(t, mine, &Options{Environ: []string{}, UserDir: home}).world.byName["a"].rules; len(rules.Approved) > 0 {
			t.Errorf("approved %v", rules.Approved)
		}
	})
	if r := check(t, mine, &Options{Environ: []string{}}); len(r.world.byName["a"].rules.Approved) > 0 {
		t.Error("without a home folder answers count")
	}
}

// writer is a tool that writes one file.
type writer struct{ path string }

func (w writer) Spec() tools.Spec { return tools.Spec{Name: "Write"} }

func (w writer) Call(context.Context, *tools.Call) (tools.Result, error) { return tools.Result{}, nil }

func (w writer) Touches(json.RawMessage, tools.Roots) ([]tools.Touch, error) {
	return []tools.Touch{{Kind: tools.TouchWrite, Value: w.path}}, nil
}
