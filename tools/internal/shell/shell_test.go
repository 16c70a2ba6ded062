package shell_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools/internal/shell"
)

const (
	u = string(shell.Unknown)
	p = string(shell.Piece)
	b = string(shell.Blank)
)

// TestWords: what is left of a word after quote removal, and what only the shell knows.
func TestWords(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`git diff`, "git diff"},
		{`"git" 'di'ff`, "git diff"},
		{`\rm x\ y`, "rm x" + b + "y"},
		{"a\\\nb", "ab"},
		{`a\`, `a\`},
		{`"a b" 'c	d'`, "a" + b + "b c" + b + "d"},
		{`"a\"\$\x\\"`, `a"$\x\`},
		{`a$x "a$x"`, "a" + u + " a" + p},
		{`"$@" "${a[@]}"`, u + " " + u},
		{`$(ls) "$(ls)"`, u + " " + p},
		{`*.go [a] a?`, p + ".go " + p + "a] a" + p},
		{`'*.go' "~"`, "*.go ~"},
		{`~/x a~`, p + "/x a~"},
		{`{a,b} x{1..2} {} '{a,b}'`, u + " " + u + " {} {a,b}"},
		{`$'x' $'\x72m' $"x"`, "x " + p + " " + p},
		{`<(ls)`, p},
		{`timeout -k 1 5 nice -n 3 git diff`, "git diff"},
		{`timeout --odd 5 git diff`, "timeout --odd 5 git diff"},
		{`command -v git`, "command -v git"},
		{`xargs git add`, "git add " + u},
		{`A=1 B=2 git diff`, "git diff"},
		{`export A=1 B`, "export A=1 B"},
	} {
		s := shell.Parse(tt.line)
		if len(s.Commands) == 0 || s.Opaque != "" {
			t.Errorf("%q: %+v", tt.line, s)
			continue
		}
		if d := cmp.Diff(tt.want, strings.Join(s.Commands[0].Words, " ")); d != "" {
			t.Errorf("%q: %s", tt.line, d)
		}
	}
}

func TestFiles(t *testing.T) {
	r := func(path string) shell.File { return shell.File{Path: path} }
	w := func(path string) shell.File { return shell.File{Path: path, Write: true} }
	for _, tt := range []struct {
		line string
		want []shell.File
	}{
		{"a >x 2>>y <z", []shell.File{w("x"), w("y"), r("z")}},
		{"a &>x", []shell.File{w("x")}},
		{"a >&x 2>&1 <&3 >&-", []shell.File{w("x")}},
		{"a <>x", []shell.File{w("x"), r("x")}},
		{">x", []shell.File{w("x")}},
		{"cat <<E\nx\nE", nil},
		{"{ a; } >x", []shell.File{w("x")}},
		{"a >\"$x\"", []shell.File{w(p)}},
		{"git diff --output=x --out y", []shell.File{w("x"), w("y")}},
		{"sort -ox", []shell.File{w("x")}},
		{"git log -- --output=x", nil},
		{"sh -c 'a >x'", []shell.File{w("x")}},
	} {
		if d := cmp.Diff(tt.want, shell.Parse(tt.line).Files); d != "" {
			t.Errorf("%q: %s", tt.line, d)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, line string
		covered       bool
		hit           shell.Match
	}{
		{"npm run build", "npm run build", true, shell.Hits},
		{"npm run build", "npm run build x", false, shell.Miss},
		{"git *", "git", true, shell.Hits},
		{"git:*", "git diff", true, shell.Hits},
		{"ls *", "lsof", false, shell.Miss},
		{"ls*", "lsof", true, shell.Hits},
		{"a:*b", "a b", false, shell.Miss}, // :* counts at the end only
		{"git * main", "git push origin main", true, shell.Hits},
		{"git * main", "git push main x", false, shell.Miss},
		{"git diff *", "git diff $x", false, shell.Hits}, // may be an option
		{"ls *", "ls $x", true, shell.Hits},
		{"ls a", "ls $x", false, shell.May},
		{"ls a", "ls b$x", false, shell.Miss},
		{"rm *", "$x", false, shell.May},
		{"rm *", "/bin/rm x", false, shell.Hits},
		{"rm *", "sudo rm x", false, shell.Hits},
		{"sudo rm x", "sudo rm x", true, shell.Hits},
		{"timeout 5 make", "timeout 5 make", true, shell.Hits},
		{"make *", "timeout 5 make all", true, shell.Hits},
		{"*", "rm x", true, shell.Hits},
		{`git commit -m "a *"`, `git commit -m "a b"`, true, shell.Hits},
		{"ls *", "A=1 ls", false, shell.Hits},
		{"ls *", "LC_ALL=C ls", true, shell.Hits},
	} {
		c := shell.Parse(tt.line).Commands[0]
		if got := c.Covered(tt.pattern); got != tt.covered {
			t.Errorf("%q covers %q: %v", tt.pattern, tt.line, got)
		}
		if got := c.Hit(tt.pattern); got != tt.hit {
			t.Errorf("%q hits %q: %v, want %v", tt.pattern, tt.line, got, tt.hit)
		}
	}
}

// FuzzParse: no line and no pattern brings the parser down, what is covered is hit, and every command of a readable line lies
// in it.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"git diff; rm x", "a $(b `c`) <(d) >e", "sh -c 'a; b'", "for x in {a,b}; do $x; done", "xargs rm", "[[ a -eq b ]]", "${a[x]}", "f() { a; }", "a <<E\n$(b)\nE"} {
		f.Add(line, "git diff *")
	}
	f.Add("a b", "* b:*")
	f.Fuzz(func(t *testing.T, line, pattern string) {
		s := shell.Parse(line)
		shell.DeletesRoot(line, "/work")
		for _, c := range s.Commands {
			if !c.Inner && !strings.Contains(line, c.Source) {
				t.Errorf("%q has a command %q", line, c.Source)
			}
			hit := c.Hit(pattern)
			if c.Covered(pattern) && hit != shell.Hits && len(c.Words) > 0 {
				t.Errorf("%q is covered by %q, but %v", line, pattern, hit)
			}
		}
	})
}
