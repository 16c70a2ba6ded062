package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

func noProgram(string) (string, error) { return "", exec.ErrNotFound }

// engines are the two ways to search: options and whether they can be used here.
func engines(t *testing.T, test func(t *testing.T, o Options)) {
	t.Run("walk", func(t *testing.T) { test(t, Options{LookPath: noProgram}) })
	t.Run("ripgrep", func(t *testing.T) {
		if _, err := exec.LookPath("rg"); err != nil {
			t.Skip("ripgrep is not installed")
		}
		test(t, Options{})
	})
}

func TestGrepModes(t *testing.T) {
	engines(t, func(t *testing.T, o Options) {
		b := newBenchWith(t, o)
		b.write("f", "one\ntwo needle\nthree\nfour\nfive needle\nsix\nseven\neight\nnine\nten needle needle\n")
		b.write("g.md", "needle\r\n")
		b.write("h", "nothing\n")
		f, g := b.path("f"), b.path("g.md")
		tests := []struct {
			name  string
			input in
			want  string
		}{
			{"files", in{}, f + "\n" + g + "\n"},
			{"count", in{"output_mode": "count"}, f + ":3\n" + g + ":1\n\n[4 matching lines in 2 files]\n"},
			{"content", in{"output_mode": "content"}, f + "\n2:two needle\n5:five needle\n10:ten needle needle\n\n" + g + "\n1:needle\n"},
			{"no numbers", in{"output_mode": "content", "show_line_numbers": false, "path": "g.md"}, g + "\nneedle\n"},
			{"context", in{"output_mode": "content", "context": 1, "path": "f"}, f + "\n1-one\n2:two needle\n3-three\n4-four\n5:five needle\n6-six\n--\n9-nine\n10:ten needle needle\n"},
			{"before", in{"output_mode": "content", "context_before": 3, "path": "f"}, f + "\n1-one\n2:two needle\n3-three\n4-four\n5:five needle\n--\n7-seven\n8-eight\n9-nine\n10:ten needle needle\n"},
			{"after", in{"output_mode": "content", "context_after": 1, "path": "f"}, f + "\n2:two needle\n3-three\n--\n5:five needle\n6-six\n--\n10:ten needle needle\n"},
			{"overlapping context", in{"output_mode": "content", "context": 5, "path": "f"}, f + "\n1-one\n2:two needle\n3-three\n4-four\n5:five needle\n6-six\n7-seven\n8-eight\n9-nine\n10:ten needle needle\n"},
			{"head, files", in{"head_limit": 1}, f + "\n\n[1 of 2 files shown; narrow the search or raise head_limit]\n"},
			{"head, content", in{"output_mode": "content", "head_limit": 2}, f + "\n2:two needle\n5:five needle\n\n[2 of 4 matching lines shown; narrow the search or raise head_limit]\n"},
			{"head, count", in{"output_mode": "count", "head_limit": 1}, f + ":3\n\n[1 of 2 files shown; narrow the search or raise head_limit]\n\n[4 matching lines in 2 files]\n"},
			{"type", in{"type": "md"}, g + "\n"},
			{"glob", in{"glob": "*.md"}, g + "\n"},
			{"glob that leaves out", in{"glob": "!*.md"}, f + "\n"},
			{"case", in{"pattern": "NEEDLE", "case_insensitive": true, "glob": "g*"}, g + "\n"},
			{"case kept", in{"pattern": "NEEDLE"}, "No matches found.\n"},
			{"anchor before CRLF", in{"pattern": "^needle$"}, g + "\n"},
			{"multiline", in{"pattern": `three\nfour`, "multiline": true, "output_mode": "content", "context": 1}, f + "\n2-two needle\n3:three\n4:four\n5-five needle\n"},
			{"multiline, files", in{"pattern": `four.five`, "multiline": true}, f + "\n"},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				if tt.input["pattern"] == nil {
					tt.input["pattern"] = "needle"
				}
				if diff := cmp.Diff(tt.want, b.of(t).ok("Grep", tt.input)); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
}

func TestGrepRefuses(t *testing.T) {
	b := newBench(t)
	b.link(t.TempDir(), "out")
	b.refused("pattern is empty", "Grep", in{"pattern": ""})
	b.refused("backslash before brackets", "Grep", in{"pattern": "f("})
	b.refused("does not exist", "Grep", in{"pattern": "x", "path": "nope"})
	b.refused("neither a folder nor", "Grep", in{"pattern": "x", "path": "/dev/zero"})
	b.refused("leads out of", "Grep", in{"pattern": "x", "path": "out"})
	b.refused("types are bash, c,", "Grep", in{"pattern": "x", "type": "klingon"})
	b.refused("no valid pattern", "Grep", in{"pattern": "x", "glob": "[a"})
	b.refused("none of", "Grep", in{"pattern": "x", "output_mode": "lines"})
	b.refused("at least 1", "Grep", in{"pattern": "x", "head_limit": 0})
	if got := b.ok("Grep", in{"pattern": "x"}); got != "No matches found.\n" {
		t.Errorf("nothing: %q", got)
	}
}

func TestGrepBounds(t *testing.T) {
	engines(t, func(t *testing.T, o Options) {
		b := newBenchWith(t, o)
		var many strings.Builder
		for i := range 300 {
			fmt.Fprintf(&many, "needle %d\n", i)
		}
		b.write("many", many.String())
		got := b.ok("Grep", in{"pattern": "needle", "output_mode": "content"})
		if !strings.Contains(got, "\n250:needle 249\n") || !strings.HasSuffix(got, "\n[250 of 300 matching lines shown; narrow the search or raise head_limit]\n") {
			t.Errorf("default head: ends %q", got[len(got)-120:])
		}
		b.write("wide", strings.Repeat("needle "+strings.Repeat("x", 400)+"\n", 200))
		got = b.ok("Grep", in{"pattern": "needle", "output_mode": "content", "path": "wide"})
		if len(got) > tools.MaxText+200 || !strings.Contains(got, " of 200 matching lines shown") {
			t.Errorf("%d characters, ends %q", len(got), got[len(got)-100:])
		}
		b.write("minified", strings.Repeat("a", 5000)+"needle"+strings.Repeat("b", 5000)+"\n")
		got = b.ok("Grep", in{"pattern": "needle", "output_mode": "content", "path": "minified"})
		if !strings.Contains(got, "aneedleb") || len(got) > 700 {
			t.Errorf("a long line: %d bytes, %.80q", len(got), got)
		}
	})
}

// TestGrepShowsOnlyReadable: a denied file is neither listed nor counted, in no mode (P06).
func TestGrepShowsOnlyReadable(t *testing.T) {
	engines(t, func(t *testing.T, o Options) {
		b := newBenchWith(t, o)
		b.write("a", "needle\n")
		b.write("secret/b", "needle\n")
		b.link("secret/b", "link")
		b.call.Readable = func(path string) bool { return !strings.Contains(path, "secret") }
		for _, mode := range []string{modeFiles, modeContent, modeCount} {
			got := b.ok("Grep", in{"pattern": "needle", "output_mode": mode})
			if strings.Contains(got, "secret") || strings.Contains(got, "2 ") || !strings.HasPrefix(got, b.path("a")) {
				t.Errorf("%s: %q", mode, got)
			}
		}
		if got := b.ok("Grep", in{"pattern": "needle", "path": "secret/b"}); got != "No matches found.\n" {
			t.Errorf("named outright: %q", got)
		}
	})
}

// TestGrepEnginesAgree runs many searches over one corpus with both engines.
func TestGrepEnginesAgree(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("ripgrep is not installed")
	}
	own := newBenchWith(t, Options{LookPath: noProgram})
	own.repository()
	own.link("src", "linked")
	own.link("src/b.go", "linked.go")
	own.write("late", strings.Repeat("filler\n", 20_000)+"needle\n\x00")
	own.write("early", "needle\n"+strings.Repeat("filler\n", 20_000)+"\x00")
	own.write("bom.txt", "\ufeffneedle at the start\n")
	own.write("wide.txt", "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00")
	own.write("crlf.txt", "x needle\r\ny\r\n")
	own.write("open.txt", "needle without an end")
	own.write("we ird\nname.txt", "needle\n")
	own.write(".ignore", "a.go\n")
	own.write(".git/info/exclude", "a.go\n")
	own.write("src/deep/.gitignore", "/c*.go\n!c.go\n")
	own.write("build/x/out.txt", "needle built\n")
	own.write("build/.gitignore", "*\n!.gitignore\n")
	own.write("docs/a/b/c.txt", "needle\n")
	own.write("docs/.gitignore", "a/**/c.txt\n")

	rg := newBench(t)
	rg.call.Roots = own.call.Roots
	patterns := []in{
		{"pattern": "needle"}, {"pattern": "NEEDLE", "case_insensitive": true}, {"pattern": "^needle"}, {"pattern": "needle$"},
		{"pattern": `\bneedle\b`}, {"pattern": `needle\s+\w+$`}, {"pattern": "(?i)Needle (hidden|at)"}, {"pattern": `filler\nneedle`, "multiline": true},
		{"pattern": "needle.*", "multiline": true}, {"pattern": "."}, {"pattern": "no such text"}, {"pattern": `[^\x00-\x7F]`},
	}
	places := []in{
		{}, {"path": "src"}, {"path": "src/deep"}, {"path": "node_modules"}, {"path": "node_modules/m"}, {"path": "build/x"}, {"path": "vendor"}, {"path": ".git"},
		{"path": "linked"}, {"glob": "*.go"}, {"glob": "src/**/*.go"}, {"glob": "!*.go"}, {"glob": "*.{log,txt}"}, {"glob": "*.log"}, {"type": "go"}, {"type": "go", "glob": "c*"},
	}
	agree := func(inputs ...in) {
		t.Helper()
		for _, mode := range []string{modeFiles, modeCount} {
			input := in{"pattern": "needle", "output_mode": mode}
			for _, more := range inputs {
				maps.Copy(input, more)
			}
			want, got := own.ok("Grep", input), rg.ok("Grep", input)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v (-walk +ripgrep):\n%s", input, diff)
			}
		}
	}
	for _, p := range patterns {
		agree(p)
	}
	for _, p := range places {
		agree(p)
	}
	own.write("src/.rgignore", "b.go\n")
	agree(in{"pattern": "(?i)needle"})
	agree(in{"pattern": "(?i)needle", "path": "src/deep"})
}

// TestGrepAsksRipgrep holds that the comparison above compares two things: without a program there is nothing to start, and
// the one that is found is started.
func TestGrepAsksRipgrep(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "rg")
	script := "#!/bin/sh\ncase \"$*\" in *--files\\ *) exit 1;; esac\necho \"$@\" >" + fake + ".log\nprintf './f\\0./gone\\0'\n"
	if err := os.WriteFile(fake, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	b := newBenchWith(t, Options{LookPath: func(string) (string, error) { return fake, nil }})
	b.write("f", "needle\n")
	b.write("g", "needle\n")
	if got := b.ok("Grep", in{"pattern": "needle"}); got != b.path("f")+"\n" {
		t.Errorf("got %q, want just the file that the program named", got)
	}
	if got := b.ok("Grep", in{"pattern": "other"}); got != "No matches found.\n" {
		t.Errorf("what the program names is looked at again: %q", got)
	}
	log, err := os.ReadFile(fake + ".log")
	if err != nil || !strings.Contains(string(log), "--no-config") {
		t.Errorf("%s, %v", log, err)
	}
}

func TestGrepWithoutUsableRipgrep(t *testing.T) {
	failing := filepath.Join(t.TempDir(), "rg")
	if err := os.WriteFile(failing, []byte("#!/bin/sh\nexit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"fails":       {LookPath: func(string) (string, error) { return failing, nil }},
		"is gone":     {LookPath: func(string) (string, error) { return failing + "-gone", nil }},
		"is confined": {Launcher: sandbox.Launcher{Mode: sandbox.Require}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBenchWith(t, o)
			b.write("f", "needle\n")
			if got := b.ok("Grep", in{"pattern": "needle"}); got != b.path("f")+"\n" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestGrepOutsideARepository: a .gitignore above the run's folder is not the run's, for both engines.
func TestGrepOutsideARepository(t *testing.T) {
	engines(t, func(t *testing.T, o Options) {
		b := newBenchWith(t, o)
		b.write(".gitignore", "*.log\n")
		b.write("run/.gitignore", "*.tmp\n")
		for _, f := range []string{"run/a.log", "run/a.tmp", "run/d/b.log", "run/d/b.tmp"} {
			b.write(f, "needle\n")
		}
		b.call.Roots.Dir = b.path("run")
		if diff := cmp.Diff([]string{"a.log", "d/b.log"}, b.relative(b.ok("Grep", in{"pattern": "needle"}))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"d/b.log"}, b.relative(b.ok("Grep", in{"pattern": "needle", "path": "d"}))); diff != "" {
			t.Error(diff)
		}
	})
}

func TestGrepStopsWhenCancelled(t *testing.T) {
	engines(t, func(t *testing.T, o Options) {
		b := newBenchWith(t, o)
		for i := range 200 {
			b.write(fmt.Sprintf("%d/f", i), "needle\n")
		}
		ctx, cancel := context.WithCancel(t.Context())
		c := b.call
		c.Input = json.RawMessage(`{"pattern":"needle"}`)
		c.Readable = func(string) bool { cancel(); return true }
		if _, err := b.tools["Grep"].Call(ctx, &c); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}

func TestFileTypes(t *testing.T) {
	types := fileTypes()
	if !slices.IsSortedFunc(types, func(a, b fileType) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the types are not in order")
	}
	for _, ft := range types {
		for _, g := range ft.globs {
			if !simple(g) {
				t.Errorf("type %s: %q is not simple", ft.name, g)
			}
		}
	}
}

func BenchmarkGrep(b *testing.B) {
	dir := b.TempDir()
	line := strings.Repeat("the quick brown fox jumps over the lazy dog; ", 2) + "\n"
	for i := range 2000 {
		sub := filepath.Join(dir, fmt.Sprint(i%50))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			b.Fatal(err)
		}
		content := strings.Repeat(line, 200)
		if i%100 == 0 {
			content += "a needle\n"
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprint(i)), []byte(content), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for name, look := range map[string]func(string) (string, error){"walk": noProgram, "ripgrep": exec.LookPath} {
		if _, err := look("rg"); err != nil && name == "ripgrep" {
			continue
		}
		for _, pattern := range []string{"needle", `(?i)n[e]{2}dle`} {
			b.Run(name+"/"+pattern, func(b *testing.B) {
				grep := newGrep(paths{}, ripgrep{lookPath: look})
				input, err := json.Marshal(in{"pattern": pattern})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					res, err := grep.Call(b.Context(), &tools.Call{Input: input, Roots: tools.Roots{Dir: dir}})
					if err != nil || strings.Count(res.Content, "\n") != 20 {
						b.Fatalf("%q, %v", res.Content, err)
					}
				}
			})
		}
	}
}
