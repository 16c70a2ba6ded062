package ignore

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		patterns, path string // a path that ends in / is a folder
		want           Verdict
	}{
		{"*.log", "a.log", Ignored},
		{"*.log", "d/a.log", Ignored},
		{"*.log", "a.log.txt", Silent},
		{"/*.log", "d/a.log", Silent},
		{"build/", "build/", Ignored},
		{"build/", "build", Silent},
		{"build/", "x/build/", Ignored},
		{"/build", "x/build", Silent},
		{"a/b", "a/b", Ignored},
		{"a/b", "x/a/b", Silent},
		{"**/b", "a/x/b", Ignored},
		{"**/b", "b", Ignored},
		{"a/**", "a/x/y", Ignored},
		{"a/**", "a/", Silent},
		{"a/**/b", "a/b", Ignored},
		{"a/**/b", "a/x/y/b", Ignored},
		{"a/**/b", "ab", Silent},
		{"a**b", "axxb", Ignored},
		{"d/a**b", "d/a/b", Silent},
		{"*", "any", Ignored},
		{"f?o", "foo", Ignored},
		{"d/f?o", "d/f/o", Silent},
		{"[a-c]x", "bx", Ignored},
		{"[!a-c]x", "bx", Silent},
		{"[^a-c]x", "dx", Ignored},
		{"[]]x", "]x", Ignored},
		{`[\]]x`, "]x", Ignored},
		{"[[:digit:]]x", "7x", Ignored},
		{"[[:nonsense:]]x", "7x", Silent},
		{"d[+-0]f", "d/f", Silent},
		{"[a", "[a", Silent},
		{`\#x`, "#x", Ignored},
		{"#x", "#x", Silent},
		{`\!x`, "!x", Ignored},
		{"x  ", "x", Ignored},
		{`x\ `, "x ", Ignored},
		{`x\\ `, `x\`, Ignored},
		{`x\`, "x", Silent},
		{"x\r", "x", Ignored},
		{"\ufeffx", "x", Ignored},
		{"{a,b}", "a", Silent},
		{"{a,b}", "{a,b}", Ignored},
		{"ä?", "äö", Ignored},
		{"*.log\n!keep.log", "keep.log", Kept},
		{"!keep.log\n*.log", "keep.log", Ignored},
		{"/", "x", Silent},
		{"", "x", Silent},
	}
	for _, tt := range tests {
		t.Run(tt.patterns+" "+tt.path, func(t *testing.T) {
			rel, dir := strings.CutSuffix(tt.path, "/")
			if got := Parse([]byte(tt.patterns)).Match(rel, dir); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

// TestAsGit asks git about every row that git can be asked about.
func TestAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	patterns := []string{"*.log", "/top", "build/", "a/b", "**/deep", "a/**", "a/**/z", "f?o", "[a-c]1", "[!a-c]2", `\!bang`, "mid/*/x", "tail\\ ", "**", "*/"}
	paths := []string{"x.log", "d/x.log", "top", "d/top", "build/f", "d/build/f", "a/b", "c/a/b", "deep", "p/q/deep", "a/1/2/z", "foo", "b1", "b2", "z2", "!bang", "mid/1/x", "mid/1/2/x", "tail ", "tail"}
	for _, p := range patterns {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), git, "init", "-q", dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(p+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		scope := (*Scope)(nil).In("/w", Parse([]byte(p+"\n")))
		for _, file := range paths {
			ask := exec.CommandContext(t.Context(), git, "-C", dir, "-c", "core.excludesFile=/dev/null", "check-ignore", "-q", "--no-index", file)
			want := ask.Run() == nil
			got := scope.Ignores("/w/"+file, false)
			for up := path.Dir(file); up != "." && !got; up = path.Dir(up) {
				got = scope.Ignores("/w/"+up, true)
			}
			if got != want {
				t.Errorf("%q on %q: got %t, git says %t", p, file, got, want)
			}
		}
	}
}

func TestScope(t *testing.T) {
	top := (*Scope)(nil).In("/w", Parse([]byte("*.log\n/only-top\n")))
	sub := top.In("/w/sub", Parse([]byte("!keep.log\nlocal\n")))
	tests := []struct {
		scope *Scope
		path  string
		want  bool
	}{
		{nil, "/w/a.log", false},
		{top, "/w/sub/a.log", true},
		{sub, "/w/sub/a.log", true},
		{sub, "/w/sub/keep.log", false},
		{sub, "/w/sub/local", true},
		{sub, "/w/sub/only-top", false},
		{sub, "/w/local", false},
		{(*Scope)(nil).In("/", Parse([]byte("x"))), "/x", true},
	}
	for _, tt := range tests {
		if got := tt.scope.Ignores(tt.path, false); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.path, got, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	if n := len(Parse([]byte(strings.Repeat("?\n", maxPatterns+5))).patterns); n != maxPatterns {
		t.Errorf("%d patterns are kept", n)
	}
	if Parse([]byte(strings.Repeat("a", maxPattern+1))).Match("a", false) != Silent {
		t.Error("an endless pattern fits")
	}
}

// FuzzMatch holds that no text breaks the parser and that patterns without special characters fit exactly their name.
func FuzzMatch(f *testing.F) {
	for _, s := range []string{"*.log", "a/**/b", "[!a-z]", `\`, "[[:alpha:]-z]", "**/**/**", "x/", "!/y", "[a-\xff]"} {
		f.Add(s, "a/b.log")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		file := Parse([]byte(pattern))
		file.Match(path, true)
		if v := file.Match(path, false); v != Silent && len(file.patterns) == 0 {
			t.Fatalf("verdict %d without a pattern", v)
		}
		if strings.ContainsAny(pattern, "*?[\\/!# \r\n\ufeff") || pattern == "" || len(pattern) > maxPattern {
			return
		}
		if file.Match(pattern, false) != Ignored || file.Match("d/"+pattern, true) != Ignored || file.Match(pattern+"x", false) != Silent {
			t.Fatalf("%q does not fit its own name and nothing else", pattern)
		}
	})
}
