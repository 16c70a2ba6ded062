package importer_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/loader/importer"
	"github.com/swarmrun/swarmrun/loader/standard"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin"
)

var update = flag.Bool("update", false, "write golden files anew")

// unpack writes the files of an archive that are no golden ones.
func unpack(t *testing.T, ar *txtar.Archive) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range ar.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// from is the format that the comment of an archive names in a line "from X"; "" = it is found out.
func from(ar *txtar.Archive) string {
	for line := range strings.Lines(string(ar.Comment)) {
		if f, ok := strings.CutPrefix(strings.TrimSpace(line), "from "); ok {
			return f
		}
	}
	return ""
}

func archives(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) < 6 {
		t.Fatalf("%d archives, %v", len(files), err)
	}
	return files
}

// TestImport imports whole trees and files. An archive of testdata holds the source, and under want/ what is written and
// what is not carried.
func TestImport(t *testing.T) {
	for _, file := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := importer.Read(t.Context(), unpack(t, ar), from(ar), standard.Environment())
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: ar.Comment}
			for _, f := range ar.Files {
				if !strings.HasPrefix(f.Name, "want/") {
					got.Files = append(got.Files, f)
				}
			}
			var left strings.Builder
			for _, d := range r.Left {
				fmt.Fprintf(&left, "%s %s: %s\n", d.Range, d.Code, d.Summary)
			}
			got.Files = append(got.Files, txtar.File{Name: "want/left", Data: []byte(left.String())})
			for _, f := range r.Files {
				got.Files = append(got.Files, txtar.File{Name: "want/" + f.Path, Data: f.Data})
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(txtar.Format(ar)), string(txtar.Format(got))); diff != "" {
				t.Error(diff)
			}
			validates(t, r)
		})
	}
}

// validates loads what was written as a workspace, in which nothing may be wrong.
func validates(t *testing.T, r *importer.Result) {
	t.Helper()
	dir := t.TempDir()
	written, err := r.Write(dir)
	if err != nil || len(written) != len(r.Files) {
		t.Fatalf("%d of %d files, %v", len(written), len(r.Files), err)
	}
	report, err := loader.Check(t.Context(), dir, &loader.Options{Env: standard.Environment(), Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Diagnostics {
		if d.Code == "W-HOOK-MISSING" || d.Code == "W-VAR-UNSET" { // what is not copied, and said so
			continue
		}
		if d.Severity == diag.Error || d.Severity == diag.Warning {
			t.Errorf("%s %s: %s", d.Range, d.Code, d.Summary)
		}
	}
	if again, err := r.Write(dir); err != nil || len(again) > 0 {
		t.Errorf("written twice: %v, %v", again, err)
	}
}

// calls are what agents may try.
var calls = []struct{ tool, input string }{
	{"Bash", `{"command": "ls"}`}, {"Bash", `{"command": "git push --force"}`}, {"Bash", `{"command": "git log"}`},
	{"Bash", `{"command": "rm -rf x"}`}, {"Bash", `{"command": "go test ./..."}`}, {"Bash", `{"command": "ls && rm x"}`},
	{"Read", `{"file_path": "DIR/main.go"}`}, {"Read", `{"file_path": "DIR/.env"}`}, {"Read", `{"file_path": "DIR/sub/.env"}`}, {"Read", `{"file_path": "/etc/passwd"}`},
	{"Write", `{"file_path": "DIR/main.go", "content": ""}`}, {"Write", `{"file_path": "DIR/docs/a.md", "content": ""}`},
	{"Write", `{"file_path": "DIR/secret/x", "content": ""}`}, {"Write", `{"file_path": "DIR/docs/deep/a.lock", "content": ""}`},
	{"Edit", `{"file_path": "DIR/docs/a.md", "old_string": "a", "new_string": "b"}`}, {"Edit", `{"file_path": "DIR/secret/x", "old_string": "a", "new_string": "b"}`},
	{"MultiEdit", `{"file_path": "DIR/main.go", "edits": [{"old_string": "a", "new_string": "b"}]}`},
	{"Grep", `{"pattern": "x"}`}, {"Glob", `{"pattern": "*"}`}, {"TodoWrite", `{"todos": []}`},
	{"WebFetch", `{"url": "https://example.com/", "prompt": "x"}`},
}

// TestNeverWeaker holds what imported agents may do against what the same agents may do where they lie: an import never
// allows what was asked about, nor asks about what was denied.
func TestNeverWeaker(t *testing.T) {
	checked := 0
	for _, file := range archives(t) {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source := unpack(t, ar)
		r, err := importer.Read(t.Context(), source, from(ar), standard.Environment())
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := r.Write(dir); err != nil {
			t.Fatal(err)
		}
		before, after := graph(t, source), graph(t, dir)
		for _, f := range r.Files {
			name := strings.TrimSuffix(filepath.Base(f.Path), ".md")
			if strings.HasPrefix(f.From, "team") || strings.HasPrefix(f.From, "recipe") || !strings.HasPrefix(f.Path, "agents/") {
				continue // is not read where it lies
			}
			a, errA := before.Start(name)
			b, errB := after.Start(name)
			if a == nil || b == nil {
				t.Errorf("%s: %s does not start: %v, %v", file, name, errA, errB)
				continue
			}
			for _, c := range calls {
				checked++
				was, is := decide(t, a, source, c.tool, c.input), decide(t, b, dir, c.tool, c.input)
				if is > was {
					t.Errorf("%s, %s: %s %s was %v and is %v", filepath.Base(file), name, c.tool, c.input, was, is)
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d calls were checked", checked)
	}
}

func graph(t *testing.T, dir string) *agents.Graph {
	t.Helper()
	live, err := loader.Open(t.Context(), dir, &loader.Options{Env: standard.Environment(), Environ: []string{}, Partial: true,
		Flags: map[string]string{"defaults::model": "openai/gpt-5"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = live.Close() })
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return g
}

// decide is what an agent's rules say about one call.
func decide(t *testing.T, a *agents.Agent, dir, tool, input string) tools.Verdict {
	t.Helper()
	for _, b := range builtin.New(nil) {
		if b.Spec().Name == tool {
			return a.Rules.Decide(b, &tools.Call{
				Tool: tool, Input: json.RawMessage(strings.ReplaceAll(input, "DIR", dir)), Roots: tools.Roots{Workspace: dir, Dir: dir},
			}, nil).Verdict
		}
	}
	t.Fatalf("there is no tool %s", tool)
	return tools.Deny
}

// TestSources names what cannot be read.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	if _, err := importer.Read(t.Context(), dir, "", standard.Environment()); !errors.Is(err, importer.ErrNothing) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := importer.Read(t.Context(), filepath.Join(dir, "none"), "", standard.Environment()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such place: %v", err)
	}
	for name, text := range map[string]string{"a.yaml": "agents: [", "b.yaml": "agents: 3\n", "c.yaml": "x: 1\n", "d.json": `{"recipe": 1}`, "e.md": "---\nname: [\n---\n"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := importer.Read(t.Context(), file, "", standard.Environment())
		if err != nil || len(r.Files) > 0 || !r.Left.HasErrors() {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}
