package search

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hits writes hits as "line+lines:text".
func hits(p *Pattern, text string) (got []string) {
	for h := range p.Find([]byte(text)) {
		got = append(got, fmt.Sprintf("%d+%d:%s", h.Line, h.Lines, text[h.Start:h.End]))
	}
	return got
}

const sample = "alpha beta\nBeta gamma\r\n\nÄpfel x_1\nfoo(bar) [baz]\n  indented\tend"

func TestFind(t *testing.T) {
	tests := []struct {
		pattern string
		o       Options
		want    []string
	}{
		{"beta", Options{}, []string{"1+1:alpha beta"}},
		{"beta", Options{IgnoreCase: true}, []string{"1+1:alpha beta", "2+1:Beta gamma\r"}},
		{"äpfel", Options{IgnoreCase: true}, []string{"4+1:Äpfel x_1"}},
		{"gamma$", Options{}, []string{"2+1:Beta gamma\r"}},
		{`gamma\z`, Options{}, []string{"2+1:Beta gamma\r"}},
		{`\ABeta`, Options{}, []string{"2+1:Beta gamma\r"}},
		{"^$", Options{}, []string{"3+1:"}},
		{"end$", Options{}, []string{"6+1:  indented\tend"}},
		{`a\s+b`, Options{}, []string{"1+1:alpha beta"}},
		{`beta\s+B`, Options{}, nil},
		{`(x|y)_\d`, Options{}, []string{"4+1:Äpfel x_1"}},
		{`\bfel`, Options{}, nil},
		{`\x{C4}p`, Options{}, []string{"4+1:Äpfel x_1"}},
		{`[^\x00-\x7F]`, Options{}, []string{"4+1:Äpfel x_1"}},
		{`beta\nBeta`, Options{Multiline: true}, []string{"1+2:alpha beta\nBeta gamma\r"}},
		{`gamma.*foo`, Options{Multiline: true}, []string{"2+4:Beta gamma\r\n\nÄpfel x_1\nfoo(bar) [baz]"}},
		{`\Aalpha`, Options{Multiline: true}, []string{"1+1:alpha beta"}},
		{`\A(alpha|Beta)|foo`, Options{Multiline: true}, []string{"1+1:alpha beta", "5+1:foo(bar) [baz]"}},
		{`a`, Options{Multiline: true}, []string{"1+1:alpha beta", "2+1:Beta gamma\r", "5+1:foo(bar) [baz]"}},
		{`end\z`, Options{Multiline: true}, []string{"6+1:  indented\tend"}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %v", tt.pattern, tt.o), func(t *testing.T) {
			p, err := Compile(tt.pattern, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, hits(p, sample)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoPhantomLine(t *testing.T) {
	for _, o := range []Options{{}, {Multiline: true}} {
		p, err := Compile("^$", o)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]int{"": 0, "a\n": 0, "\n": 1, "a\n\n": 1, "a": 0} {
			if got := len(hits(p, text)); got != want {
				t.Errorf("%v %q: %d empty lines, want %d", o, text, got, want)
			}
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"foo(", "backslash before brackets"},
		{"foo)", "backslash before brackets"},
		{"[a", "backslash before brackets"},
		{"(?=a)b", "look-around"},
		{"(?<!a)b", "look-around"},
		{`(a)\1`, "no regular expression"},
		{"a{2000}", "no regular expression"},
		{`a\nb`, "set multiline"},
		{`[\n]`, "set multiline"},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			if _, err := Compile(tt.pattern, Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestRequired(t *testing.T) {
	tests := []struct {
		pattern string
		want    needles
	}{
		{"needle", needles{texts: []string{"needle"}}},
		{`\bfunc\s+(\w+)`, needles{texts: []string{"func"}}},
		{"(ab|cd)+e?", needles{texts: []string{"ab", "cd"}}},
		{"(?i)Needle", needles{texts: []string{"needle"}, fold: true}},
		{"(?i)desktop", needles{texts: []string{"top"}, fold: true}},
		{"(?i)ask", needles{}},
		{"(?i:needle)|END", needles{texts: []string{"needle", "end"}, fold: true}},
		{"a|.", needles{}},
		{"a*", needles{}},
		{`\x{FFFD}`, needles{}},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			p, err := Compile(tt.pattern, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, p.needles, cmp.AllowUnexported(needles{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAsRipgrep gives ripgrep the same patterns and compares the line numbers.
func TestAsRipgrep(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("ripgrep is not installed")
	}
	const text = sample + "\nK\u212A kelvin ſ\n&& -- ~~ [[x]] a-b a&b\nword-word wordword über\n\\d \\b (?i)\n1٣\n\u00a0nbsp\n"
	file := filepath.Join(t.TempDir(), "sample")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	patterns := []string{
		"beta", "^Beta", "gamma$", "^$", "a.c", `\bword\b`, `\Bword`, `\w+_\w`, `\d`, `\D`, `\s$`, `\S\t`, `[[:punct:]]{3}`, `[a-c&&]`, `[&-~]+~`,
		`[\[\]x-z]{3}`, `[-a]-b`, `(?i)K`, `(?i)s$`, "(?i)ÜBER", `ü`, `.{3}fel`, `a|z|^f`, `(?P<n>foo)\(`, `\\d`, `\(\?i\)`, `x*`, `[^a-z]{4}`, `(?:be)+`, `a{2,3}|t{1}`, `\pL{3}fel`, `\x{212A}`, `\Q[b\E`,
	}
	for _, pattern := range patterns {
		for _, o := range []Options{{}, {IgnoreCase: true}} {
			p, err := Compile(pattern, o)
			if err != nil {
				t.Fatalf("%s: %v", pattern, err)
			}
			out, err := exec.CommandContext(t.Context(), rg, "--no-config", "--line-number", "--no-heading", "--color=never", "--regexp="+p.Ripgrep(), "--", file).Output()
			if ee, ok := err.(*exec.ExitError); ok && ee.ExitCode() > 1 {
				t.Errorf("ripgrep refuses %s, written %s: %s", pattern, p.Ripgrep(), ee.Stderr)
				continue
			}
			want := regexp.MustCompile(`(?m)^\d+`).FindAllString(string(out), -1)
			var got []string
			for h := range p.Find([]byte(text)) {
				got = append(got, fmt.Sprint(h.Line))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %v, written %s (-ripgrep +own):\n%s", pattern, o, p.Ripgrep(), diff)
			}
		}
	}
}

// FuzzFind compares the search with and without the shortcut through a required text, and checks the places it names.
func FuzzFind(f *testing.F) {
	f.Add("be.a$", sample, false, true)
	f.Add("(foo|x)+bar", "xfoobar\nbar\n", true, false)
	f.Add("needle|END|task", "a Needle\nend\nTAS\u212A\ntask", false, true)
	f.Fuzz(func(t *testing.T, pattern, text string, multiline, fold bool) {
		p, err := Compile(pattern, Options{IgnoreCase: fold, Multiline: multiline})
		if err != nil {
			return
		}
		slow := *p
		slow.needles = needles{}
		if diff := cmp.Diff(hits(&slow, text), hits(p, text)); diff != "" {
			t.Fatalf("the shortcut changes the answer:\n%s", diff)
		}
		last := -1
		for h := range p.Find([]byte(text)) {
			if h.Start <= last || h.End < h.Start || h.At < h.Start || h.At > h.End || h.Line != 1+strings.Count(text[:h.Start], "\n") ||
				h.Start > 0 && text[h.Start-1] != '\n' || h.End < len(text) && text[h.End] != '\n' {
				t.Fatalf("hit %+v after offset %d", h, last)
			}
			last = h.End
		}
	})
}
