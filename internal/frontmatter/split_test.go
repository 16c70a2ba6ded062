package frontmatter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

var known = Keys{"name": true, "description": true, "tools": true, "model": true, "argument-hint": true, "globs": true, "hooks": true}

// told are findings as "line:column code".
func told(ds diag.List) []string {
	out := []string{}
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%d:%d %s", d.Range.Start.Line, d.Range.Start.Column, d.Code))
	}
	return out
}

// values are the top-level entries of a document as "line:column key=value".
func values(d *Document) []string {
	out := []string{}
	if d.Root == nil {
		return out
	}
	for i := 0; i+1 < len(d.Root.Content); i += 2 {
		k, v := d.Root.Content[i], d.Root.Content[i+1]
		out = append(out, fmt.Sprintf("%d:%d %s=%s", v.Line, v.Column, k.Value, d.Written(v)))
	}
	return out
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string // values
		told      []string
		body      string
	}{
		{"plain", "---\nname: a\n---\nbody\n", []string{"2:7 name=a"}, nil, "body\n"},
		{"mark", "\ufeff---\nname: a\n---\nbody\n", []string{"2:7 name=a"}, nil, "body\n"},
		{"CRLF", "---\r\nname: a\r\nmodel: b\r\n---\r\nbody\r\n", []string{"2:7 name=a", "3:8 model=b"}, nil, "body\n"},
		{"CR", "---\rname: a\rmodel: b\r---\rbody\r", []string{"2:7 name=a", "3:8 model=b"}, nil, "body\n"},
		{"all line ends", "---\r\nname: a\nmodel: b\r---\nbody", []string{"2:7 name=a", "3:8 model=b"}, nil, "body"},
		{"wide characters", "---\ntools: [\"ä\", 'ö日本', x]\nname: ö\n---\n", []string{"2:8 tools=[\"ä\", 'ö日本', x]", "3:7 name=ö"}, nil, ""},
		{"breaks of YAML alone", "---\ndescription: \"a\u2028b\u0085c\"\nname: x\n---\n", []string{"2:14 description=a\u2028b c", "3:7 name=x"}, nil, ""},
		{"blank lines on top", "\n \t\n---\nname: a\n---\n", []string{"4:7 name=a"}, []string{"3:1 W-FENCE-BLANK"}, ""},
		{"fences with blanks", "---  \nname: a\n--- \t\nbody", []string{"2:7 name=a"}, nil, "body"},
		{"dots close", "---\nname: a\n...\nbody\n", []string{"2:7 name=a"}, nil, "body\n"},
		{"fence ends the file", "---\nname: a\n---", []string{"2:7 name=a"}, nil, ""},
		{"fence in a block", "---\ndescription: |\n  a\n  ---\n  b\nname: x\n---\n", []string{"2:14 description=a\n---\nb\n", "6:7 name=x"}, nil, ""},
		{"fence with text", "---\ndescription: |\n  a\nname: x\n---\n---\n", []string{"2:14 description=a\n", "4:7 name=x"}, nil, "---\n"},
		{"nothing", "---\n---\nbody\n", []string{}, nil, "body\n"},
		{"comments only", "---\n# nothing\n---\n", []string{}, nil, ""},
		{"documentation", "# Agents\n\nname them well\n", []string{}, nil, "# Agents\n\nname them well\n"},
		{"empty", "", []string{}, nil, ""},
		{"no closing fence", "---\nname: a\nbody\n", []string{}, []string{"1:1 E-FENCE-CLOSE"}, ""},
		{"no opening fence", "name: a\ndescription: b\n---\nbody\n", []string{}, []string{"1:1 E-FENCE-OPEN"}, ""},
		{"indented opening fence", " ---\nname: a\n---\n", []string{}, []string{"1:1 E-FENCE-OPEN"}, ""},
		{"opening fence with text", "---yaml\nname: a\n---\n", []string{}, []string{"1:1 E-FENCE-OPEN"}, ""},
		{"prose that begins with a key", "name: a word with a colon\n\nand prose\n", []string{}, nil, "name: a word with a colon\n\nand prose\n"},
		{"code block", "```yaml\n---\nname: a\n---\n```\n", []string{}, []string{"1:1 E-FENCE-CODE"}, ""},
		{"code block without fences", "```yml\nname: a\n```\n", []string{}, []string{"1:1 E-FENCE-CODE"}, ""},
		{"example of code", "```sh\nls\n```\n", []string{}, nil, "```sh\nls\n```\n"},
		{"UTF-16", "\xff\xfe-\x00-\x00-\x00", []string{}, []string{"1:1 E-ENCODING"}, ""},
		{"UTF-16 without mark", "\x00-\x00-\x00-", []string{}, []string{"1:1 E-ENCODING"}, ""},
		{"UTF-32", "\xff\xfe\x00\x00-\x00\x00\x00", []string{}, []string{"1:1 E-ENCODING"}, ""},
		{"bad byte", "---\r\nname: ä\xffb\n---\n", []string{}, []string{"2:8 E-ENCODING"}, ""},
		{"bad byte behind a mark", "\ufeffab\xc3", []string{}, []string{"1:3 E-ENCODING"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ds := Split([]byte(c.src), "x.md", known)
			if diff := cmp.Diff(c.want, values(d)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append([]string{}, c.told...), told(ds)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if d.Body != c.body {
				t.Errorf("body %q, want %q", d.Body, c.body)
			}
		})
	}
}

func TestLadder(t *testing.T) {
	for _, c := range []struct {
		name, meta string
		want       []string
		told       []string
		fix        string // of the first repair: "line-last text"
	}{
		{"colon", "name: a\ndescription: Two jobs: both\n", []string{"2:7 name=a", "3:14 description=Two jobs: both"},
			[]string{"3:14 W-YAML-QUOTED"}, `3-3 description: "Two jobs: both"`},
		{"star", "tools: *\n", []string{"2:8 tools=*"}, []string{"2:8 W-YAML-QUOTED"}, `2-2 tools: "*"`},
		{"glob", "globs: **/*.ts\n", []string{"2:8 globs=**/*.ts"}, []string{"2:8 W-YAML-QUOTED"}, `2-2 globs: "**/*.ts"`},
		{"two lists", "argument-hint: [a] [b]\n", []string{"2:16 argument-hint=[a] [b]"}, []string{"2:16 W-YAML-QUOTED"}, `2-2 argument-hint: "[a] [b]"`},
		{"backslash stays", `description: a: \n "b"` + "\n", []string{`2:14 description=a: \n "b"`}, []string{"2:14 W-YAML-QUOTED"}, `2-2 description: "a: \\n \"b\""`},
		{"text behind a quote", `description: 'a' - b` + "\n", []string{"2:14 description='a' - b"}, []string{"2:14 W-YAML-QUOTED"}, `2-2 description: "'a' - b"`},
		{"hash with a colon", "description: a: b #c\n", []string{"2:14 description=a: b #c"}, []string{"2:14 W-YAML-QUOTED"}, `2-2 description: "a: b #c"`},
		{"two repairs", "description: a: b\ntools: *\n", []string{"2:14 description=a: b", "3:8 tools=*"},
			[]string{"2:14 W-YAML-QUOTED", "3:8 W-YAML-QUOTED"}, `2-2 description: "a: b"`},
		{"wide indentation of the value", "description:   a: b  \n", []string{"2:16 description=a: b"}, []string{"2:16 W-YAML-QUOTED"}, `2-2 description:   "a: b"`},
		{"lines at column 0", "description: a:\n\n<x>\nContext: y\n\nmodel: m\n", []string{"2:14 description=a:\n\n<x>\nContext: y", "7:8 model=m"},
			[]string{"2:14 W-YAML-FOLDED"}, `2-5 description: "a:\n\n<x>\nContext: y"`},
		{"indented lines with colons", "description: a: b\n  c: d\nname: x\n", []string{"2:14 description=a: b\n  c: d", "4:7 name=x"},
			[]string{"2:14 W-YAML-FOLDED"}, `2-3 description: "a: b\n  c: d"`},
		{"what parses alone keeps its meaning", "name: a: b\ntools:\n  - x\ndescription: c\n  d\nmodel: e\nf\n",
			[]string{"2:7 name=a: b", "4:3 tools=[x]", "5:14 description=c d", "7:8 model=e\nf"},
			[]string{"2:7 W-YAML-QUOTED", "7:8 W-YAML-FOLDED"}, `2-2 name: "a: b"`},
		{"valid is never repaired", "description: a\n  b\nother: 'x'\n", []string{"2:14 description=a b", "4:8 other=x"}, nil, ""},
		{"case of a key matters", "description: a\nName: b: c\n", []string{"2:14 description=a\nName: b: c"}, []string{"2:14 W-YAML-FOLDED"}, `2-3 description: "a\nName: b: c"`},
		{"twice", "name: a\nname: b\n", []string{"2:7 name=a"}, []string{"3:1 E-YAML-DUPKEY"}, ""},
		{"twice inside", "hooks: {a: 1, a: 2}\n", []string{"2:8 hooks={a: 1, a: 2}"}, []string{"2:15 E-YAML-DUPKEY"}, ""},
		{"three times", "name: a\nname: b\nname: c\n", []string{"2:7 name=a"}, []string{"3:1 E-YAML-DUPKEY", "4:1 E-YAML-DUPKEY"}, ""},
		{"anchor", "name: &x a\n", []string{}, []string{"2:7 E-YAML-ANCHOR"}, ""},
		{"alias", "name: &x a\ntools: [*x]\n", []string{}, []string{"2:7 E-YAML-ANCHOR", "3:9 E-YAML-ANCHOR"}, ""},
		{"merge", "hooks:\n  <<: {a: b}\n", []string{}, []string{"3:3 E-YAML-ANCHOR"}, ""},
		{"list", "- a\n- b\n", []string{}, []string{"2:1 E-YAML-SHAPE"}, ""},
		{"text", "just text\n", []string{}, []string{"2:1 E-YAML-SHAPE"}, ""},
		{"key that is a list", "hooks:\n  ? [a]\n  : b\n", []string{}, []string{"3:5 E-YAML-SHAPE"}, ""},
		{"second document", "name: a\n--- b\n", []string{"2:7 name=a\n--- b"}, []string{"2:7 W-YAML-FOLDED"}, `2-3 name: "a\n--- b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ds := Split([]byte("---\n"+c.meta+"---\nbody\n"), "x.md", known)
			if diff := cmp.Diff(c.want, values(d)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append([]string{}, c.told...), told(ds)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			fix := ""
			if len(d.Fixes) > 0 {
				fix = fmt.Sprintf("%d-%d %s", d.Fixes[0].Line, d.Fixes[0].EndLine, d.Fixes[0].Text)
			}
			if fix != c.fix {
				t.Errorf("fix %s, want %s", fix, c.fix)
			}
		})
	}
}

// TestSyntaxErrors has metadata that no repair helps, with the place and a word of the hint.
func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		name, meta string
		want       []string
		hint       string
	}{
		{"tab", "name: a\nhooks:\n\ta: b\n", []string{"4:1 E-YAML"}, "blanks"},
		{"tab behind blanks", "hooks:\n  a: b\n \tc: d\n", []string{"4:2 E-YAML"}, "blanks"},
		{"open quote", "name: a\ndescription: \"b\nmodel: c\n", []string{"3:14 E-YAML"}, "close the quote"},
		{"open quote in a list", "hooks:\n  - 'x\n", []string{"3:5 E-YAML"}, "close the quote"},
		{"no blank behind the colon", "colour:red\nshape: b\n", []string{"2:7 E-YAML"}, "blank after the colon"},
		{"open list", "shape: a\ncolours: [red,\n", []string{"3:10 E-YAML"}, "]"},
		{"open map", "limits: {a: 1\n", []string{"2:9 E-YAML"}, "}"},
		{"colon in an unknown key", "note: a: b\n", []string{"2:8 E-YAML"}, "in quotes"},
		{"at", "note: @x\n", []string{"2:7 E-YAML"}, "in quotes"},
		{"unknown alias in a list", "notes: [*x]\n", []string{"2:9 E-YAML"}, "in quotes"},
		{"two faults", "note: a: b\nshape: c\nmemo: @x\n", []string{"2:8 E-YAML", "4:7 E-YAML"}, "in quotes"},
		{"text behind an unknown quote", "note: \"a\" b\n", []string{"2:11 E-YAML"}, "whole value"},
		{"stray line", "- a\nname: x\n", []string{"2:1 E-YAML"}, "key of the list"},
		{"control character", "note: a\x01b\n", []string{"2:8 E-YAML"}, "remove"},
		{"uneven indentation", "hooks:\n    a: 1\n  b: 2\n", []string{"4:3 E-YAML"}, "indent"},
		{"behind wide characters", "note: äö: b\n", []string{"2:9 E-YAML"}, "in quotes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ds := Split([]byte("---\n"+c.meta+"---\nbody\n"), "x.md", known)
			if d.Root != nil {
				t.Errorf("there are values: %v", values(d))
			}
			if diff := cmp.Diff(c.want, told(ds)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			for _, f := range ds {
				if !strings.Contains(f.Suggestion, c.hint) || f.Suggestion == "" {
					t.Errorf("hint %q lacks %q", f.Suggestion, c.hint)
				}
			}
		})
	}
}

func TestParseYAML(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
		told      []string
	}{
		{"plain", "a: 1\nb: [x, y]\n", []string{"1:4 a=1", "2:4 b=[x, y]"}, nil},
		{"mark and CRLF", "\ufeffa: 1\r\nb: 2\r\n", []string{"1:4 a=1", "2:4 b=2"}, nil},
		{"start of the document", "# c\n---\na: 1\n", []string{"3:4 a=1"}, nil},
		{"alias", "a: &x {b: 1}\nc: *x\n", []string{"1:4 a={b: 1}", "1:4 c={b: 1}"}, nil},
		{"merge", "a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", []string{"1:4 a={b: 1, c: 2}", "2:4 d={c: 3, b: 1}"}, nil},
		{"empty", "", []string{}, nil},
		{"two documents", "a: 1\n---\nb: 2\n", []string{}, []string{"2:1 E-YAML-SHAPE"}},
		{"list", "- a\n", []string{}, []string{"1:1 E-YAML-SHAPE"}},
		{"twice", "a: 1\na: 2\n", []string{"1:4 a=1"}, []string{"2:1 E-YAML-DUPKEY"}},
		{"anchor in itself", "a: &x [*x]\n", []string{}, []string{"1:8 E-YAML-ANCHOR"}},
		{"merge of text", "a: {<<: b}\n", []string{}, []string{"1:9 E-YAML-ANCHOR"}},
		{"nothing is repaired", "name: a: b\n", []string{}, []string{"1:8 E-YAML"}},
		{"map as key", "a: {{ .Prompt }}\n", []string{}, []string{"1:5 E-YAML-SHAPE"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ds := ParseYAML([]byte(c.src), "x.yaml")
			got := []string{}
			if d.Root != nil {
				for i := 0; i+1 < len(d.Root.Content); i += 2 {
					var b strings.Builder
					v := d.Root.Content[i+1]
					writeFlow(&b, v)
					got = append(got, fmt.Sprintf("%d:%d %s=%s", v.Line, v.Column, d.Root.Content[i].Value, b.String()))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append([]string{}, c.told...), told(ds)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBombs has anchors that would expand to billions of values.
func TestBombs(t *testing.T) {
	src := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		src += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	d, ds := ParseYAML([]byte(src), "x.yaml")
	if d.Root != nil || len(ds) != 1 || ds[0].Code != "E-YAML-ANCHOR" {
		t.Errorf("root %v, findings %v", d.Root, ds)
	}
}

func TestRanges(t *testing.T) {
	d, ds := Split([]byte("---\nname: \"a b\" # c\ntools: Read, Bash(git a,b) ,  Grep\nhooks: {a: [1, '}'], b: 2}\nmodel: |-\n  x\ndescription: Sort #3\n---\n\nText\nmore\n"), "x.md", known)
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	at := func(i int) *yaml.Node { return d.Root.Content[2*i+1] }
	for i, want := range []diag.Range{
		diag.At("x.md", 2, 7, 5), diag.At("x.md", 3, 8, 27), diag.At("x.md", 4, 8, 19), diag.At("x.md", 5, 8, 2), diag.At("x.md", 7, 14, 4),
	} {
		if got := d.Range(at(i)); got != want {
			t.Errorf("value %d: %v to %v, want %v to %v", i, got, got.End, want, want.End)
		}
	}
	find := d.Find(at(1))
	for i, want := range []diag.Range{diag.At("x.md", 3, 8, 4), diag.At("x.md", 3, 14, 13), diag.At("x.md", 3, 31, 4)} {
		if got := find.Next([]string{"Read", "Bash(git a,b)", "Grep"}[i]); got != want {
			t.Errorf("item %d: %v to %v, want %v to %v", i, got, got.End, want, want.End)
		}
	}
	if got := find.Next("Edit"); got != d.Range(at(1)) {
		t.Errorf("an item that is not there: %v", got)
	}
	if got, ok := d.Comment(at(4)); !ok || got != diag.At("x.md", 7, 19, 2) {
		t.Errorf("comment at %v, %v", got, ok)
	}
	if _, ok := d.Comment(at(0)); ok {
		t.Error("the comment behind a quoted value was meant as one")
	}
	if got := d.BodyRange(strings.Index(d.Body, "more"), 4); got != diag.At("x.md", 11, 1, 4) {
		t.Errorf("body: %v", got)
	}
}

// TestLargeFiles has what would take minutes if a part of the work grew with the square of the file.
func TestLargeFiles(t *testing.T) {
	const n = 50_000
	d, ds := Split([]byte("---\nname: a\ntools: ["+strings.Repeat("Read, ", n)+"Last]\n---\n"), "x.md", known)
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	items := d.Root.Content[3].Content
	for _, c := range items {
		d.Range(c)
	}
	if got, want := d.Range(items[n]), diag.At("x.md", 3, 9+6*n, 4); got != want {
		t.Errorf("last item at %v to %v, want %v", got, got.End, want)
	}

	d, _ = Split([]byte("---\ntools: \""+strings.Repeat(`\x20a,`, n)+"b\"\n---\n"), "x.md", known)
	find := d.Find(d.Root.Content[1])
	for range n {
		find.Next("c")
	}
	if got := find.Next("b"); got != d.Range(d.Root.Content[1]) {
		t.Errorf("after many misses: %v", got)
	}

	_, ds = Split([]byte("---\n"+strings.Repeat("name: a\n", n)+"---\n"), "x.md", known)
	if len(ds) != maxDuplicates {
		t.Errorf("%d findings for keys that repeat", len(ds))
	}
	_, ds = Split([]byte("---\nnotes:\n"+strings.Repeat("  - [a]\n", n)+"  - [\n---\n"), "x.md", known)
	if diff := cmp.Diff([]string{fmt.Sprintf("%d:5 E-YAML", n+3)}, told(ds)); diff != "" {
		t.Errorf("an open bracket behind many (-want +got):\n%s", diff)
	}
}
