package frontmatter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// FuzzSplit looks for panics, for places outside of the file, and for repairs that do not hold.
func FuzzSplit(f *testing.F) {
	seeds, err := filepath.Glob(filepath.Join("..", "..", "config", "testdata", "formats", "agents", "*.md"))
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, s := range seeds {
		src, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, s := range []string{
		"---\rname: a: b\r---\r", "---\ndescription: |\n  a\u2028b\n---\n", "---\nname: a\n\ttools: *\n---\n", "---\nname: &a [*a]\n---\n",
		"---\n? [a]\n: b\n---\n", "---\n- a\nname: \"x\n---\n", "---\ntools: [a,\nb: {c\n---\n", "---\nname: \"a\n b\" c\ntools:\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, ds := Split(src, "x.md", known)
		ends := lineLengths(src)
		for _, x := range ds {
			inside(t, ends, x.Range, string(x.Code))
			for _, n := range x.Notes {
				inside(t, ends, n.Range, "note")
			}
		}
		if d.Root == nil {
			return
		}
		walk(d.Root, func(n *yaml.Node) { inside(t, ends, d.Range(n), n.Value) })
		if d.Repaired() {
			holds(t, src, d)
		}
	})
}

// holds writes the repairs and expects YAML to take the result as it is, with the same values.
func holds(t *testing.T, src []byte, d *Document) {
	t.Helper()
	s, bad := readSource(src, "x.md")
	if bad != nil {
		t.Fatal(bad.Summary)
	}
	lines := strings.Split(s.text, "\n")
	for i := len(d.Fixes) - 1; i >= 0; i-- {
		fix := d.Fixes[i]
		lines = append(lines[:fix.Line-1], append([]string{fix.Text}, lines[fix.EndLine:]...)...)
	}
	again, ds := Split([]byte(strings.Join(lines, "\n")), "x.md", known)
	if again.Root == nil || again.Repaired() {
		t.Fatalf("the repaired text is not strict YAML: %v\n%s", ds, strings.Join(lines, "\n"))
	}
	var a, b strings.Builder
	writeFlow(&a, d.Root)
	writeFlow(&b, again.Root)
	if a.String() != b.String() || d.Body != again.Body {
		t.Fatalf("the repaired text reads differently:\n%s\n%s", a.String(), b.String())
	}
}

func walk(n *yaml.Node, visit func(*yaml.Node)) {
	visit(n)
	for _, c := range n.Content {
		walk(c, visit)
	}
}

// lineLengths is the number of characters of each line as an editor shows it.
func lineLengths(src []byte) []int {
	text := strings.TrimPrefix(strings.ToValidUTF8(string(src), "?"), bom)
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var out []int
	for _, line := range strings.Split(text, "\n") {
		out = append(out, utf8.RuneCountInString(line))
	}
	return out
}

func inside(t *testing.T, ends []int, r diag.Range, what string) {
	t.Helper()
	for _, p := range []diag.Pos{r.Start, r.End} {
		if p.Line < 1 || int(p.Line) > len(ends) || p.Column < 1 || int(p.Column) > ends[p.Line-1]+1 {
			t.Fatalf("%q is at %d:%d, outside of the file", what, p.Line, p.Column)
		}
	}
	if r.End.Compare(r.Start) < 0 {
		t.Fatalf("%q ends before it begins", what)
	}
}

// FuzzParseYAML looks for panics and for places outside of the file.
func FuzzParseYAML(f *testing.F) {
	for _, s := range []string{
		"a: 1\nb: [x, y]\n", "a: &x {b: 1}\nc: {<<: *x}\n", "a: &x [*x]\n", "%YAML 1.2\n---\na: 1\n...\n", "a: |\n  x\n---\nb", "? a\n: b\n", "a: 'x\n", "\ufeffa:\r b",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, ds := ParseYAML(src, "x.yaml")
		ends := lineLengths(src)
		for _, x := range ds {
			inside(t, ends, x.Range, string(x.Code))
		}
		if d.Root != nil {
			walk(d.Root, func(n *yaml.Node) { inside(t, ends, d.Range(n), n.Value) })
		}
	})
}
