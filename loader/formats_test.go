package loader

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// The fixtures of package config, which reads each file alone; here their whole tree is a .claude/agents.
var formats = filepath.Join("..", "config", "testdata", "formats")

func readJSON(t *testing.T, name string, to any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(formats, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		t.Fatal(err)
	}
}

// copyFixtures puts fixtures into a folder, with their bytes as they are.
func copyFixtures(t *testing.T, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(formats, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		write(t, to, name, string(data))
	}
}

// agentFixtures are the names of all agent fixtures.
func agentFixtures(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Join(formats, "agents"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, slash(formats, path))
		}
		return err
	})
	if err != nil || len(names) < 30 {
		t.Fatalf("%d fixtures, %v", len(names), err)
	}
	return names
}

// TestFormatTree loads the tree of all agent fixtures: each has the outcome that the table says, the ones that a whole tree
// decides included, and starts are refused as the table says.
func TestFormatTree(t *testing.T) {
	var table map[string]struct {
		Kind, Outcome, Scope, Winner string
		Diag                         []struct {
			Code         diag.Code
			Line, Column int
		}
		Start *struct {
			Refused    diag.Code
			MessageHas []string `json:"message_has"`
		}
	}
	readJSON(t, "EXPECT.json", &table)
	root := t.TempDir()
	copyFixtures(t, filepath.Join(root, ".claude"), agentFixtures(t)...)
	env, _ := testEnv(t)
	live := open(t, root, &Options{Env: env, Environ: []string{}, Partial: true, Flags: map[string]string{"defaults::model": "openai/gpt-5"}})
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	found := map[string]config.Definition{}
	for _, d := range live.Report().Definitions {
		found[strings.TrimPrefix(d.File, ".claude/")] = d
	}
	for name, want := range table {
		if want.Kind != "agent" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if got := string(found[name].Status); got != want.Outcome {
				t.Errorf("status %q, want %q", got, want.Outcome)
			}
			if want.Scope == "directory" {
				var places []string
				for _, d := range live.Report().Diagnostics {
					if d.Range.File == ".claude/"+name && d.Severity <= diag.Warning {
						places = append(places, fmt.Sprintf("%s %d:%d %s", d.Code, d.Range.Start.Line, d.Range.Start.Column, d.Notes[0].Range.File))
					}
				}
				w := want.Diag[0]
				if diff := cmp.Diff([]string{fmt.Sprintf("%s %d:%d .claude/%s", w.Code, w.Line, w.Column, want.Winner)}, places); diff != "" {
					t.Error(diff)
				}
			}
			if want.Start == nil {
				return
			}
			_, err := g.Start(strings.TrimSuffix(filepath.Base(name), ".md"))
			list, ok := errors.AsType[*diag.ListError](err)
			if !ok || len(list.List) != 1 || list.List[0].Code != want.Start.Refused {
				t.Fatalf("start: %v", err)
			}
			for _, word := range want.Start.MessageHas {
				if d := list.List[0]; !strings.Contains(d.Summary+d.Suggestion, word) {
					t.Errorf("%q is not in: %s %s", word, d.Summary, d.Suggestion)
				}
			}
		})
	}
}

// TestScenarios checks small workspaces as validate does.
func TestScenarios(t *testing.T) {
	var table struct {
		Validate []struct {
			Paths      []string
			Exit       int
			StrictExit int `json:"strict_exit"`
			Counts     map[config.Status]int
		}
	}
	readJSON(t, "SCENARIOS.json", &table)
	ran := 0
	for _, tt := range table.Validate {
		ran++
		t.Run(strings.Join(tt.Paths, "+"), func(t *testing.T) {
			root := t.TempDir()
			copyFixtures(t, filepath.Join(root, ".claude"), tt.Paths...)
			env, _ := testEnv(t)
			r, err := Check(t.Context(), root, &Options{Env: env, Environ: []string{}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.Counts, r.Counts()); diff != "" {
				t.Error(diff)
			}
			if got := r.Diagnostics.HasErrors(); got != (tt.Exit == 3) {
				t.Errorf("errors: %v, want exit %d: %v", got, tt.Exit, r.Diagnostics)
			}
			strict := r.Diagnostics.Count(diag.Error)+r.Diagnostics.Count(diag.Warning) > 0
			if strict != (tt.StrictExit == 3) {
				t.Errorf("errors or warnings: %v, want exit %d under --strict: %v", strict, tt.StrictExit, r.Diagnostics)
			}
		})
	}
	if ran != 7 {
		t.Errorf("only %d scenarios", ran)
	}
}
