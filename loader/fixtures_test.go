package loader

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/config"
)

// TestEveryFixture holds that no fixture is forgotten: every file has an entry, or belongs to a skill or link that has one,
// and every entry is of a kind whose test reads it. Then one workspace holds them all at once: each lies where its kind
// lies, and has the outcome of its entry beside all others.
func TestEveryFixture(t *testing.T) {
	var table map[string]struct {
		Kind, Outcome, Scope, Link, Origin, Context string
	}
	readJSON(t, "EXPECT.json", &table)
	kinds := map[string]int{}
	for _, e := range table {
		kinds[e.Kind]++
	}
	for kind, n := range kinds {
		if want := map[string]int{"agent": 32, "command": 1, "skill": 14, "hooks": 3, "mcp": 3}[kind]; n != want {
			t.Errorf("%d entries of kind %s, and %d are tested", n, kind, want)
		}
	}
	err := filepath.WalkDir(formats, func(path string, e fs.DirEntry, err error) error {
		name := slash(formats, path)
		if err != nil || e.IsDir() || strings.HasSuffix(name, ".json") && !strings.Contains(name, "/") || !strings.Contains(name, "/") {
			return err
		}
		if _, ok := table[name]; !ok && !strings.HasPrefix(name, "skills-target/") {
			t.Errorf("nothing is expected of %s", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	root := t.TempDir()
	where := map[string]string{} // of an entry → where it lies in the workspace
	for name, e := range table {
		to := ".claude/" + name
		switch {
		case e.Kind == "command":
			to = ".claude/commands/" + filepath.Base(name)
		case e.Kind == "hooks":
			to = ".github/hooks/" + filepath.Base(name)
		case e.Kind == "mcp":
			dir := ".claude/plugins/" + strings.TrimSuffix(filepath.Base(name), ".json")
			write(t, root, dir+"/.claude-plugin/plugin.json", `{"name": "`+filepath.Base(dir)+`"}`)
			to = dir + "/.mcp.json"
		}
		where[name] = to
		if e.Link != "" { // a folder: its target lies beside the tree, or is the tree
			copyFixtures(t, filepath.Join(root, ".claude"), "skills-target/linked/SKILL.md")
			link := filepath.Join(root, filepath.FromSlash(to))
			if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(filepath.FromSlash(e.Link), link)); err != nil {
				t.Fatal(err)
			}
			where[name] += "/SKILL.md"
			continue
		}
		data, err := os.ReadFile(filepath.Join(formats, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		write(t, root, to, string(data))
	}
	env, _ := testEnv(t)
	r, err := Check(t.Context(), root, &Options{Env: env, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	status := map[string]config.Status{}
	for _, d := range r.Definitions {
		file, _, _ := strings.Cut(d.File, "#")
		status[file] = d.Status
	}
	for name, e := range table {
		got, found := status[where[name]]
		if e.Kind == "hooks" || e.Kind == "mcp" {
			continue // several definitions of one file: told apart by the tests of package config
		}
		if (e.Outcome == "ignored") == found || found && string(got) != e.Outcome {
			t.Errorf("%s is %q (listed: %v), want %s", where[name], got, found, e.Outcome)
		}
	}
}
