package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

func parsed(t *testing.T, texts ...string) []Rule {
	t.Helper()
	var out []Rule
	for _, text := range texts {
		r, err := ParseRule(text, Native, diag.Range{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// TestAccess: what rules mean for children, as paths below the workspace; / stands for it.
func TestAccess(t *testing.T) {
	guarded := []string{"/swarmrun.yaml", "/agents/**/*.md", "/.claude/**"}
	files := []string{"src/a.go", "src/.env", ".env", "secret/key", "agents/a.md", ".git/HEAD", ".git/config", "swarmrun.yaml"}
	for _, tt := range []struct {
		name  string
		rules Rules
		files []string
		want  sandbox.Access
	}{
		{"nothing denied", Rules{}, files, sandbox.Access{Keep: []string{"/.git/commondir", "/.git/config", "/.git/hooks"}}},
		{"a name at any depth", Rules{Deny: parsed(t, "Read(.env)")}, []string{"src/.env", ".env", "x/env"},
			sandbox.Access{Hide: []string{"/.env", "/src/.env"}}},
		{"a folder", Rules{Deny: parsed(t, "Read(./secret/**)")}, files,
			sandbox.Access{Hide: []string{"/secret"}, Keep: []string{"/.git/commondir", "/.git/config", "/.git/hooks"}}},
		{"of the workspace, removed", Rules{Removed: parsed(t, "Read(/secret/key)")}, []string{"secret/key"}, sandbox.Access{Hide: []string{"/secret/key"}}},
		{"nothing there", Rules{Deny: parsed(t, "Read(/secret/key)")}, nil, sandbox.Access{}},
		{"edits", Rules{Deny: parsed(t, "Edit(/src/*.go)", "Write(secret/)")}, []string{"src/a.go", "secret/key"},
			sandbox.Access{Keep: []string{"/secret", "/src/a.go"}}},
		{"other tools", Rules{Deny: parsed(t, "Read", "Bash(rm *)", "Glob(src/**)")}, []string{"src/a.go"}, sandbox.Access{}},
		{"guarded", Rules{Guarded: guarded}, files, sandbox.Access{
			Keep: []string{"/.git/commondir", "/.git/config", "/.git/hooks", "/agents", "/swarmrun.yaml"},
			Open: []sandbox.Gap{{Name: "/.claude/**", Absent: true}},
		}},
		{"guarded folder without definitions", Rules{Guarded: guarded}, []string{"agents/a.go", ".claude/x"}, sandbox.Access{
			Keep: []string{"/.claude"},
			Open: []sandbox.Gap{{Name: "/agents/**/*.md", Why: "matches no file yet and one can be made"}, {Name: "/swarmrun.yaml", Absent: true}},
		}},
		{"guarded and named", Rules{Guarded: guarded, Allow: parsed(t, "Write(/agents/**)")}, []string{"agents/a.md", ".claude/x", "swarmrun.yaml"},
			sandbox.Access{Keep: []string{"/.claude", "/swarmrun.yaml"}}},
		{"bypass", Rules{Guarded: guarded, Mode: ModeBypass}, files, sandbox.Access{
			Keep: []string{"/.git/commondir", "/.git/config", "/.git/hooks", "/agents", "/swarmrun.yaml"},
			Open: []sandbox.Gap{{Name: "/.claude/**", Absent: true}}}},
		{"state", Rules{}, []string{".swarmrun/sessions/x.jsonl"}, sandbox.Access{Hide: []string{"/.swarmrun"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := realTemp(t)
			for _, f := range tt.files {
				put(t, filepath.Join(dir, f), "x")
			}
			shown := tt.rules.AccessShown(Roots{Workspace: dir, Dir: dir})
			for _, name := range []string{"hooks", "commondir"} {
				if _, err := os.Lstat(filepath.Join(dir, ".git", name)); err == nil {
					t.Errorf("who only looks made %s", name)
				}
			}
			got := tt.rules.Access(Roots{Workspace: dir, Dir: dir})
			if d := cmp.Diff(got, shown); d != "" {
				t.Error("shown otherwise:", d)
			}
			if d := cmp.Diff([2][]string{{dir}, {dir}}, [2][]string{got.Read, got.Write}); d != "" {
				t.Error(d)
			}
			for i := range got.Hide {
				got.Hide[i] = strings.TrimPrefix(got.Hide[i], dir)
			}
			for i := range got.Keep {
				got.Keep[i] = strings.TrimPrefix(got.Keep[i], dir)
			}
			got.Read, got.Write = nil, nil
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestAccessWorktree: a linked worktree opens its repository where that points back, and nothing else.
func TestAccessWorktree(t *testing.T) {
	dir := realTemp(t)
	main, work := filepath.Join(dir, "main", ".git"), filepath.Join(dir, "work")
	linked := filepath.Join(main, "worktrees", "work")
	put(t, filepath.Join(work, ".git"), "gitdir: "+linked+"\n")
	put(t, filepath.Join(linked, "gitdir"), filepath.Join(work, ".git")+"\n")
	got := (&Rules{}).Access(Roots{Workspace: work, Dir: work})
	if d := cmp.Diff([]string{main, work}, got.Read); d != "" {
		t.Error(d)
	}
	want := []string{filepath.Join(main, "logs"), filepath.Join(main, "objects"), filepath.Join(main, "refs"), linked, work}
	if d := cmp.Diff(want, got.Write); d != "" {
		t.Error(d)
	}
	// What says where git finds settings stays as it is; with settings of its own, those of the worktree do so before they exist.
	put(t, filepath.Join(linked, "commondir"), "../..\n")
	put(t, filepath.Join(main, "config"), "[extensions]\n\tworktreeConfig = true\n")
	got = (&Rules{}).Access(Roots{Workspace: work, Dir: work})
	want = []string{filepath.Join(linked, "commondir"), filepath.Join(linked, "config.worktree"), filepath.Join(work, ".git")}
	if d := cmp.Diff(want, got.Keep); d != "" {
		t.Error(d)
	}
	put(t, filepath.Join(main, "HEAD"), "x")
	got = (&Rules{}).Access(Roots{Workspace: filepath.Dir(main), Dir: filepath.Dir(main)})
	want = []string{
		filepath.Join(main, "commondir"), filepath.Join(main, "config"), filepath.Join(main, "config.worktree"), filepath.Join(main, "hooks"),
		filepath.Join(linked, "commondir"), filepath.Join(linked, "config.worktree"),
	}
	if d := cmp.Diff(want, got.Keep); d != "" {
		t.Error(d)
	}
	hostile := filepath.Join(dir, "hostile")
	put(t, filepath.Join(hostile, ".git"), "gitdir: "+linked+"\n")
	if got := (&Rules{}).Access(Roots{Workspace: hostile, Dir: hostile}); len(got.Read) != 1 || len(got.Write) != 1 {
		t.Errorf("a file that points to it opened %v %v", got.Read, got.Write)
	}
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
