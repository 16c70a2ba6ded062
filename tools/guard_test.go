package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/tools"
)

// TestGuarded: an agent that may write its folder does not thereby write what git runs, the record of runs, or the
// definitions that decide what it may do next time.
func TestGuarded(t *testing.T) {
	at := workspace(t)
	for _, dir := range []string{".git/hooks", ".swarmrun/sessions/s1", "agents", "tools"} {
		if err := os.MkdirAll(filepath.Join(at.Workspace, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"hooks": ".git/hooks", "log": ".swarmrun/sessions"} {
		if err := os.Symlink(target, filepath.Join(at.Workspace, link)); err != nil {
			t.Fatal(err)
		}
	}
	ways := []string{"/agents/**/*.md", "/tools/**/*.md", "/swarmrun.yaml"}
	in := func(path string) string { return filepath.Join(at.Workspace, path) }
	at.Dir = at.Workspace
	for _, test := range []struct {
		name  string
		rules tools.Rules
		probe probe
		value string
		want  tools.Verdict
	}{
		{"hook", tools.Rules{All: true}, write, in(".git/hooks/pre-commit"), tools.Ask},
		{"hook of a submodule", tools.Rules{All: true}, write, in("sub/.git/config"), tools.Ask},
		{"hook by a link", tools.Rules{All: true}, write, in("hooks/pre-commit"), tools.Ask},
		{"git's file of a worktree", tools.Rules{All: true}, write, in("sub/.git"), tools.Ask},
		{"hook by redirection", tools.Rules{All: true}, bash, "echo x > .git/hooks/pre-commit", tools.Ask},
		{"hook by a narrowed redirection", tools.Rules{Grants: parse(t, "Bash(echo *)", "Write")}, bash, "echo x > .git/hooks/pre-commit", tools.Deny},
		{"session", tools.Rules{All: true}, write, in(".swarmrun/sessions/s1.jsonl"), tools.Ask},
		{"session by a link", tools.Rules{All: true}, write, in("log/s1.jsonl"), tools.Ask},
		{"session read", tools.Rules{All: true}, read, in(".swarmrun/sessions/s1.jsonl"), tools.Ask},
		{"long result read", tools.Rules{All: true}, read, in(".swarmrun/sessions/s1/r1-c1.txt"), tools.Allow},
		{"long result written", tools.Rules{All: true}, write, in(".swarmrun/sessions/s1/r1-c1.txt"), tools.Ask},
		{"definition", tools.Rules{All: true, Guarded: ways}, write, in("agents/me.md"), tools.Ask},
		{"definition in a folder", tools.Rules{All: true, Guarded: ways}, write, in("agents/a/me.md"), tools.Ask},
		{"settings", tools.Rules{All: true, Guarded: ways}, write, in("swarmrun.yaml"), tools.Ask},
		{"definition read", tools.Rules{All: true, Guarded: ways}, read, in("agents/me.md"), tools.Allow},
		{"program beside definitions", tools.Rules{All: true, Guarded: ways}, write, in("tools/main.go"), tools.Allow},
		{"allowed at large", tools.Rules{All: true, Guarded: ways, Allow: parse(t, "Write", "Edit(**)")}, write, in("agents/me.md"), tools.Ask},
		{"granted at large", tools.Rules{Grants: parse(t, "Write(**)")}, write, in(".git/config"), tools.Ask},
		{"accept-edits", tools.Rules{All: true, Guarded: ways, Mode: tools.ModeAcceptEdits}, write, in("agents/me.md"), tools.Ask},
		{"accept-edits, asked", tools.Rules{All: true, Ask: parse(t, "Write"), Mode: tools.ModeAcceptEdits}, write, in(".git/config"), tools.Ask},
		{"deny-asks", tools.Rules{All: true, Mode: tools.ModeDenyAsks}, write, in(".git/config"), tools.Deny},
		{"bypass", tools.Rules{All: true, Mode: tools.ModeBypass}, write, in(".git/config"), tools.Ask},
		{"named in tools", tools.Rules{Grants: parse(t, "Write(agents/**)"), Guarded: ways}, write, in("agents/me.md"), tools.Allow},
		{"named in allow", tools.Rules{All: true, Allow: parse(t, "Edit(.git/info/exclude)")}, write, in(".git/info/exclude"), tools.Allow},
		{"another one named", tools.Rules{All: true, Allow: parse(t, "Edit(.git/info/exclude)")}, write, in(".git/config"), tools.Ask},
		{"named, and denied", tools.Rules{All: true, Allow: parse(t, "Write(.git/**)"), Deny: parse(t, "Edit(.git)")}, write, in(".git/config"), tools.Deny},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.rules.Decide(test.probe, call(test.probe, test.value, at), nil)
			if got.Verdict != test.want {
				t.Errorf("got %s (%s), want %s", got.Verdict, got.Text, test.want)
			}
			if linked := strings.HasSuffix(test.name, "by a link"); linked != (got.Always == "") && test.want == tools.Ask && test.probe.kind != tools.TouchCommand {
				t.Errorf("always is %q", got.Always)
			}
			if test.want == tools.Ask && test.probe.Spec().Name == "Write" && got.Always != "" {
				test.rules.Allow = append(test.rules.Allow, parse(t, got.Always)...)
				test.rules.Ask = nil
				if again := test.rules.Decide(test.probe, call(test.probe, test.value, at), nil); again.Verdict != tools.Allow {
					t.Errorf("with %s: %s (%s)", got.Always, again.Verdict, again.Text)
				}
			}
		})
	}
}

// TestGuardedSearch: a search shows nothing of the record of runs, unless a rule names it.
func TestGuardedSearch(t *testing.T) {
	at := workspace(t)
	record := filepath.Join(at.Dir, ".swarmrun", "sessions", "s1.jsonl")
	all := tools.Rules{All: true}
	if all.Readable("Grep", at)(record) {
		t.Error("a search shows a session")
	}
	if named := (&tools.Rules{All: true, Allow: parse(t, "Read(.swarmrun/**)")}); !named.Readable("Grep", at)(record) {
		t.Error("a search hides what a rule names")
	}
}

// TestAskedWhole: a person sees the end of a command that they are asked about, however much stands before it.
func TestAskedWhole(t *testing.T) {
	rules := tools.Rules{All: true, Ask: parse(t, "Bash(echo *)")}
	d := rules.Decide(bash, call(bash, "echo "+strings.Repeat("harmless ", 100)+"; evil", workspace(t)), nil)
	if d.Verdict != tools.Ask || !strings.HasSuffix(d.Text, "; evil") {
		t.Errorf("got %s: %s", d.Verdict, d.Text)
	}
}
