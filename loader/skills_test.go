package loader

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// TestSkillTree loads the tree of all skill and command fixtures with their links: each has the outcome that the table says.
func TestSkillTree(t *testing.T) {
	var table map[string]struct{ Kind, Outcome, Link string }
	readJSON(t, "EXPECT.json", &table)
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, ".claude", "skills"), os.DirFS(filepath.Join(formats, "skills"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(root, ".claude", "skills-target"), os.DirFS(filepath.Join(formats, "skills-target"))); err != nil {
		t.Fatal(err)
	}
	copyFixtures(t, filepath.Join(root, ".claude", "commands"), "agents/brackets-hint.md")
	for name, want := range table {
		if want.Kind == "skill" && want.Link != "" {
			link(t, want.Link, filepath.Join(root, ".claude", filepath.FromSlash(name)))
		}
	}
	env, _ := testEnv(t)
	r, err := Check(t.Context(), root, &Options{Env: env, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, d := range r.Definitions {
		name := strings.TrimSuffix(strings.TrimPrefix(d.File, ".claude/"), "/SKILL.md")
		if found[name] != "" {
			t.Errorf("%s was found twice", d.File)
		}
		found[name] = string(d.Status)
	}
	checked := 0
	for name, want := range table {
		if want.Kind != "skill" && want.Kind != "command" {
			continue
		}
		checked++
		key := strings.TrimSuffix(name, "/SKILL.md")
		if want.Kind == "command" {
			key = "commands/" + name
		}
		if want.Outcome == "ignored" {
			want.Outcome = ""
		}
		if got := found[key]; got != want.Outcome {
			t.Errorf("%s: %q, want %q", name, got, want.Outcome)
		}
		delete(found, key)
	}
	if len(found) > 0 || checked != 15 {
		t.Errorf("%d fixtures were checked, want 15; not in the table: %v", checked, found)
	}
}

const anySkill = "---\nname: %s\ndescription: Sorts notes.\n---\nSort.\n"

// TestSkillSearch: where skills are looked for, and what becomes of a tree that is made to do harm.
func TestSkillSearch(t *testing.T) {
	skill := func(name string) string { return fmt.Sprintf(anySkill, name) }
	for _, tt := range []struct {
		name  string
		files map[string]string
		links map[string]string // path → target; OUT is a folder outside of the workspace
		want  []string          // files that loaded
		codes []string          // file: code of everything that is told
	}{
		{
			name: "other spellings", files: map[string]string{"skills/a/skill.md": skill("a"), "skills/b/SKILL.MD": skill("b"), "skills/c/SKILL.md": skill("c"), "skills/c/skill.md": skill("c")},
			want:  []string{"skills/a/skill.md", "skills/b/SKILL.MD", "skills/c/SKILL.md"},
			codes: []string{"skills/a/skill.md: W-SKILL-FILE", "skills/b/SKILL.MD: W-SKILL-FILE", "skills/c/skill.md: W-SKILL-FILE"},
		},
		{
			name: "depth", files: map[string]string{"skills/1/2/3/4/5/6/SKILL.md": skill("6"), "skills/1/2/3/4/5/y/7/SKILL.md": skill("7"), "skills/SKILL.md": skill("x")},
			want:  []string{"skills/1/2/3/4/5/6/SKILL.md"},
			codes: []string{"skills/1/2/3/4/5/y: I-SKILL-SCAN", "skills/SKILL.md: W-SKILL-DIR"},
		},
		{
			name:  "what is passed over",
			files: map[string]string{"skills/.git/x/SKILL.md": skill("x"), "skills/node_modules/y/SKILL.md": skill("y"), "skills/z/refs/w/SKILL.md": skill("w"), "skills/z/SKILL.md": skill("z"), "skills/README.md": "Notes."},
			want:  []string{"skills/z/SKILL.md"},
		},
		{
			name:  "files without a folder",
			files: map[string]string{"skills/a.md": skill("a"), "skills/b/b.md": skill("b"), "skills/c/SKILL.md": skill("c"), "skills/c/more.md": skill("d"), "skills/b/notes.md": "Notes."},
			want:  []string{"skills/c/SKILL.md"},
			codes: []string{"skills/a.md: W-SKILL-DIR", "skills/b/b.md: W-SKILL-DIR"},
		},
		{
			name:  "links inside",
			files: map[string]string{"shared/a/SKILL.md": skill("a"), "shared/b.md": skill("b")},
			links: map[string]string{"skills/a": "../shared/a", "skills/again": "../shared/a", "skills/loop": "..", "skills/b/SKILL.md": "../../shared/b.md", "skills/gone": "nowhere", ".agents/skills": "../shared"},
			want:  []string{"skills/a/SKILL.md", "skills/b/SKILL.md"},
		},
		{
			name:  "links out of the workspace",
			links: map[string]string{"skills/a": "OUT/a", "skills/b/SKILL.md": "OUT/secret", "skills/all": "OUT"},
			want:  []string{"skills/a/SKILL.md"},
			codes: []string{"skills/a/SKILL.md: I-SKILL-LINK", "skills/b/SKILL.md: E-NO-DESCRIPTION", "skills/b/SKILL.md: I-SKILL-LINK", "skills/b/SKILL.md: L-SKILL-NO-NAME", "skills/b/SKILL.md: W-SKILL-DESC"},
		},
		{
			name: "names", files: map[string]string{
				"skills/a/SKILL.md": "---\nname: \"a\\e[2J\"\ndescription: x\n---\nx", "skills/b\x1b[2J/SKILL.md": "---\nname: b\ndescription: x\n---\nx",
				"skills/c:d/SKILL.md": "---\nname: x:y\ndescription: x\n---\nx",
			},
			want:  []string{"skills/a/SKILL.md", "skills/b\x1b[2J/SKILL.md"},
			codes: []string{"skills/a/SKILL.md: W-SKILL-NAME", "skills/b\x1b[2J/SKILL.md: W-SKILL-DIR", "skills/c:d/SKILL.md: E-NAME", "skills/c:d/SKILL.md: W-SKILL-NAME"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, out := t.TempDir(), t.TempDir()
			write(t, out, "a/SKILL.md", skill("a"))
			write(t, out, "secret", "root:x:0:0:")
			for name, text := range tt.files {
				write(t, root, name, text)
			}
			for path, target := range tt.links {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(root, filepath.FromSlash(path))), 0o755); err != nil {
					t.Fatal(err)
				}
				link(t, strings.Replace(target, "OUT", out, 1), filepath.Join(root, filepath.FromSlash(path)))
			}
			env, _ := testEnv(t)
			r, err := Check(t.Context(), root, &Options{Env: env, Environ: []string{}})
			if err != nil {
				t.Fatal(err)
			}
			var got, codes []string
			for _, d := range r.Definitions {
				if d.Status == config.Loaded {
					got = append(got, d.File)
				}
			}
			for _, d := range r.Diagnostics {
				codes = append(codes, d.Range.File+": "+string(d.Code))
			}
			slices.Sort(got)
			slices.Sort(codes)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("loaded (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.codes, codes); diff != "" {
				t.Errorf("told (-want +got):\n%s\n%v", diff, r.Diagnostics)
			}
		})
	}
}

// TestSkillFlood: more folders than are searched, and a file larger than is read.
func TestSkillFlood(t *testing.T) {
	root := t.TempDir()
	for i := range maxSkillFolders + 100 {
		if err := os.MkdirAll(filepath.Join(root, "skills", fmt.Sprintf("d%04d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, "skills/d0000/SKILL.md", fmt.Sprintf(anySkill, "d0000"))
	write(t, root, "skills/d2099/SKILL.md", fmt.Sprintf(anySkill, "d2099"))
	write(t, root, "skills/d0001/SKILL.md", fmt.Sprintf(anySkill, "d0001")+strings.Repeat("x", maxFileSize))
	env, _ := testEnv(t)
	r, err := Check(t.Context(), root, &Options{Env: env, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	var names, codes []string
	for _, d := range r.Definitions {
		names = append(names, d.Name+" "+string(d.Status))
	}
	for _, d := range r.Diagnostics {
		if d.Severity <= diag.Warning {
			codes = append(codes, string(d.Code))
		}
	}
	slices.Sort(codes)
	if diff := cmp.Diff([]string{"d0000 loaded", "d0001 broken"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"E-FILE-READ", "W-SKILL-SCAN"}, codes); diff != "" {
		t.Error(diff)
	}
}

// graphOf loads a workspace whose agents have a model, until the test ends.
func graphOf(t *testing.T, root string) *agents.Graph {
	t.Helper()
	env, _ := testEnv(t)
	live := open(t, root, &Options{Env: env, Environ: []string{}, Flags: map[string]string{"defaults::model": "openai/gpt-5"}})
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return g
}

// TestSkillsOfFolders: the .claude of a folder brings skills for the files there, read when they are asked for.
func TestSkillsOfFolders(t *testing.T) {
	root := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""), "agents/none.md", agentFile("none", "skills: []\n"),
		"services/api/.claude/skills/deploy/SKILL.md", fmt.Sprintf(anySkill, "deploy"),
		"services/api/.claude/skills/hidden/SKILL.md", "---\nname: hidden\ndescription: x\ndisable-model-invocation: true\n---\nx",
		"services/api/.claude/skills/broken/SKILL.md", "---\nname: broken\nname: twice\n---\nx")
	g := graphOf(t, root)
	if a, _ := g.Agent("none"); a.Skills.Nests() {
		t.Error("an agent without skills has those of folders")
	}
	a, _ := g.Agent("a")
	if len(a.Skills.All()) != 0 {
		t.Errorf("skills of folders are there before anybody works in them: %v", a.Skills.All())
	}
	found, faults := a.Skills.Below(root, "services/api")
	if skillNames(found) != "services/api:deploy" || len(faults) != 1 || !strings.Contains(faults[0], "services/api/.claude/skills/broken/SKILL.md:3:1: error[E-YAML-DUPKEY]") {
		t.Errorf("found %q, faults %q", skillNames(found), faults)
	}
	for _, dir := range []string{"services", ".", "../x", "/etc", "a:b"} {
		if found, faults := a.Skills.Below(root, dir); len(found)+len(faults) > 0 {
			t.Errorf("%s: %v %v", dir, found, faults)
		}
	}
}

// TestSkillsOfFoldersAlone: a skill of a folder that wants hooks or a conversation of its own is left out, with all that is wrong
// with it.
func TestSkillsOfFoldersAlone(t *testing.T) {
	hooks := "hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: 'true'}]}]}\n"
	root := write(t, t.TempDir(), "agents/a.md", agentFile("a", ""),
		"api/.claude/skills/plain/SKILL.md", fmt.Sprintf(anySkill, "plain"),
		"api/.claude/skills/forked/SKILL.md", "---\nname: forked\ndescription: x\ncontext: fork\n---\nx",
		"api/.claude/skills/hooked/SKILL.md", "---\nname: hooked\ndescription: x\n"+hooks+"---\nx",
		"api/.claude/skills/torn/SKILL.md", "---\nname: torn\ndescription: x\ncontext: fork\nagent: nobody\ndisallowed-tools: {Bash: true}\n---\nx")
	g := graphOf(t, root)
	a, _ := g.Agent("a")
	found, faults := a.Skills.Below(root, "api")
	if skillNames(found) != "api:plain" {
		t.Errorf("found %q", skillNames(found))
	}
	var got []string
	for _, f := range faults {
		place, _, _ := strings.Cut(strings.TrimPrefix(f, "api/.claude/skills/"), "]: ")
		got = append(got, place)
	}
	slices.Sort(got)
	want := []string{
		"forked/SKILL.md:2:7: error[E-SKILL-NESTED", "hooked/SKILL.md:2:7: error[E-SKILL-NESTED",
		"torn/SKILL.md:2:7: error[E-SKILL-NESTED", "torn/SKILL.md:5:8: error[E-DELEGATE-UNKNOWN", "torn/SKILL.md:6:19: error[E-VALUE-TYPE",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
