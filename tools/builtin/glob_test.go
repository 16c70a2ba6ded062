package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
)

// relative is the paths of a listing below the bench's folder, sorted.
func (b *bench) relative(listing string) []string {
	var paths []string
	for line := range strings.Lines(listing) {
		if rel, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), b.call.Roots.Dir+"/"); ok {
			paths = append(paths, rel)
		}
	}
	slices.Sort(paths)
	return paths
}

// repository fills the bench with a tree that has everything a search must mind.
func (b *bench) repository() {
	for name, content := range map[string]string{
		".git/config":         "needle in git\n",
		".gitignore":          "*.log\nnode_modules/\n/top-only\n",
		".hidden/f.go":        "needle hidden\n",
		"a.go":                "package a // needle\n",
		"a.log":               "needle ignored\n",
		"src/.gitignore":      "!keep.log\n",
		"src/b.go":            "package b // Needle\n",
		"src/keep.log":        "needle kept\n",
		"src/deep/c.go":       "needle needle\nneedle\n",
		"src/deep/c_test.go":  "no\n",
		"src/top-only":        "needle below\n",
		"node_modules/m/x.js": "needle module\n",
		"vendor/.git":         "gitdir: elsewhere\n",
		"vendor/own.log":      "needle vendored\n",
		"bin":                 "needle\x00\n",
	} {
		b.write(name, content)
	}
}

func TestGlob(t *testing.T) {
	b := newBench(t)
	b.repository()
	b.link("src", "linked")
	b.link("a.go", "link.go")
	tests := []struct {
		name  string
		input in
		want  []string
	}{
		{"one level, links as such", in{"pattern": "*.go"}, []string{"a.go", "link.go"}},
		{"all levels, hidden too, no folder twice", in{"pattern": "**/*.go"}, []string{".hidden/f.go", "a.go", "link.go", "src/b.go", "src/deep/c.go", "src/deep/c_test.go"}},
		{"braces", in{"pattern": "src/{b,x}.{go,js}"}, []string{"src/b.go"}},
		{"braces with folders", in{"pattern": "{src/deep,.hidden}/*.go"}, []string{".hidden/f.go", "src/deep/c.go", "src/deep/c_test.go"}},
		{"class", in{"pattern": "src/[a-c].go"}, []string{"src/b.go"}},
		{"folders", in{"pattern": "*"}, []string{".gitignore", ".hidden/", "a.go", "bin", "link.go", "linked", "src/", "vendor/"}},
		{"path", in{"pattern": "*.go", "path": "src"}, []string{"src/b.go"}},
		{"absolute", in{"pattern": b.path("src/*.go")}, []string{"src/b.go"}},
		{"up and down", in{"pattern": "../*.go", "path": "src"}, []string{"a.go", "link.go"}},
		{"ignored, brought back, other repository", in{"pattern": "**/*.log"}, []string{"src/keep.log", "vendor/own.log"}},
		{"inside an ignored folder", in{"pattern": "node_modules/**/*.js"}, []string{"node_modules/m/x.js"}},
		{"path inside an ignored folder", in{"pattern": "*", "path": "node_modules/m"}, []string{"node_modules/m/x.js"}},
		{"ignored, named exactly", in{"pattern": "a.log"}, []string{"a.log"}},
		{"no such folder in the pattern", in{"pattern": "nope/*.go"}, nil},
		{"a file as folder", in{"pattern": "a.go/*"}, nil},
		{"never .git", in{"pattern": "**/config"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, b.relative(b.of(t).ok("Glob", tt.input))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGlobRefuses(t *testing.T) {
	b := newBench(t)
	b.link(t.TempDir(), "out")
	b.refused("the word", "Glob", in{"pattern": "*", "path": "null"})
	b.refused("the word", "Glob", in{"pattern": "*", "path": "undefined"})
	b.refused("pattern is empty", "Glob", in{"pattern": ""})
	b.refused("no valid pattern", "Glob", in{"pattern": "[a"})
	b.refused("no such folder", "Glob", in{"pattern": "*", "path": "nope"})
	b.refused("leads out of", "Glob", in{"pattern": "out/*"})
	if got := b.ok("Glob", in{"pattern": "*.rs"}); got != "No files found.\n" {
		t.Errorf("nothing: %q", got)
	}
}

// TestSearchesShowOnlyReadable: with real rules a denied entry is neither listed nor counted, by its name or by a link (P03,
// P06).
func TestSearchesShowOnlyReadable(t *testing.T) {
	rule := func(text string) tools.Rule {
		r, err := tools.ParseRule(text, tools.Native, diag.Range{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	engines(t, func(t *testing.T, o Options) {
		b := newBenchWith(t, o)
		for _, name := range []string{"a", "secret/b", "secret/deep/.env"} {
			b.write(name, "needle\n")
		}
		b.link("secret/b", "link")
		rules := &tools.Rules{Grants: []tools.Rule{rule("Glob"), rule("Grep")}, Deny: []tools.Rule{rule("Read(secret/**)")}}
		b.call.Readable = rules.Readable("Glob", b.call.Roots)
		if diff := cmp.Diff(b.path("a")+"\n", b.ok("Glob", in{"pattern": "**"})); diff != "" {
			t.Error(diff)
		}
		b.call.Readable = rules.Readable("Grep", b.call.Roots)
		if diff := cmp.Diff(b.path("a")+":1\n\n[1 matching line in 1 file]\n", b.ok("Grep", in{"pattern": "needle", "output_mode": "count"})); diff != "" {
			t.Error(diff)
		}
	})
}

// TestGlobOddNames: a file system knows names that are no text.
func TestGlobOddNames(t *testing.T) {
	b := newBench(t)
	if err := os.Mkdir(b.path("bad\xff"), 0o777); err != nil {
		t.Skipf("this file system takes text only: %v", err)
	}
	b.write("bad\xff/f", "")
	if diff := cmp.Diff([]string{"bad\xff/f"}, b.relative(b.ok("Glob", in{"pattern": "**/f"}))); diff != "" {
		t.Error(diff)
	}
}

func TestGlobNewestFirst(t *testing.T) {
	b := newBench(t)
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range maxGlob + 5 {
		name := fmt.Sprintf("f%04d", i)
		b.write(name, "")
		if err := os.Chtimes(b.path(name), day, day.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	got := strings.Split(b.ok("Glob", in{"pattern": "f*"}), "\n")
	if got[0] != b.path("f1004") || got[maxGlob-1] != b.path("f0005") {
		t.Errorf("first %s, last %s", got[0], got[maxGlob-1])
	}
	if want := "[the newest 1000 of 1005; narrow the pattern to see others]"; got[maxGlob+1] != want {
		t.Errorf("note %q, want %q", got[maxGlob+1], want)
	}
}

// TestGlobAboveTheFolder: the ignore files of the whole repository count in a search that begins below its top.
func TestGlobAboveTheFolder(t *testing.T) {
	b := newBench(t)
	b.repository()
	b.call.Roots.Dir = b.path("src")
	if diff := cmp.Diff([]string{"keep.log"}, b.relative(b.ok("Glob", in{"pattern": "*.log"}))); diff != "" {
		t.Error(diff)
	}
	b.write(".gitignore", "")
	b.write("x.log", "")
	if diff := cmp.Diff([]string(nil), b.relative(b.ok("Glob", in{"pattern": "*.log"}))); diff != "" {
		t.Error(diff)
	}
}

func TestWalkStopsWhenCancelled(t *testing.T) {
	b := newBench(t)
	for i := range 20 {
		b.write(filepath.Join(fmt.Sprint(i), "f"), "")
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := b.call
	c.Input = json.RawMessage(`{"pattern":"**"}`)
	seen := 0
	c.Readable = func(string) bool {
		seen++
		cancel()
		return true
	}
	if _, err := b.tools["Glob"].Call(ctx, &c); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if seen > 2 {
		t.Errorf("%d more entries were looked at", seen-1)
	}
}
