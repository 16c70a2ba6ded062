package frontmatter

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// TestParseJSON lists every value with its place.
func TestParseJSON(t *testing.T) {
	src := "\ufeff{\n  // a comment, with \"quotes\"\n  \"né\": [1, 2.5, /* two */ true,],\r\n  \"x\": {\"y\": null, \"z\": \"a // b\"},\n}\n"
	d, ds := ParseJSON([]byte(src), "f.json")
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	var got []string
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		got = append(got, fmt.Sprintf("%s %s %s", d.Range(n), n.Tag, n.Value))
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(d.Root)
	want := []string{
		"f.json:1:1 !!map ", "f.json:3:3 !!str né", "f.json:3:9 !!seq ", "f.json:3:10 !!int 1", "f.json:3:13 !!float 2.5",
		"f.json:3:28 !!bool true", "f.json:4:3 !!str x", "f.json:4:8 !!map ", "f.json:4:9 !!str y", "f.json:4:14 !!null null",
		"f.json:4:20 !!str z", "f.json:4:25 !!str a // b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseJSONFaults(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`[]`, "f:1:1 the file is no JSON object"},
		{`{"a": {`, "f:1:8 the JSON cannot be read: the text ends too early"},
		{`{} {}`, "f:1:5 the JSON cannot be read: something follows the closing brace"},
		{"{\n \"a\": 1,\n \"a\": 2}", `f:3:2 the JSON cannot be read: the key "a" is given twice`},
		{"{\n oops}", "f:2:2 "},
		{"\xff\xfe{\x00}\x00", "f:1:1 the file is UTF-16"},
		{strings.Repeat("[", 300), "f:1:102 the JSON cannot be read: values lie more"},
	} {
		d, ds := ParseJSON([]byte(tt.text), "f")
		if len(ds) != 1 || d.Root != nil {
			t.Errorf("%q: %v", tt.text, ds)
			continue
		}
		if got := ds[0].Range.String() + " " + ds[0].Summary; !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}

func FuzzParseJSON(f *testing.F) {
	f.Add([]byte(`{"permissions": {"deny": ["a"],}, // c
 "hooks": {}}`))
	f.Add([]byte("\ufeff{\"a\":/**/1}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		d, ds := ParseJSON(src, "f")
		if (d.Root == nil) != ds.HasErrors() {
			t.Fatalf("root %v, findings %v", d.Root, ds)
		}
		if d.Root == nil {
			return
		}
		lines := strings.Split(d.src.text, "\n")
		var walk func(n *yaml.Node)
		walk = func(n *yaml.Node) {
			if n.Line < 1 || n.Line > len(lines) || n.Column < 1 || n.Column > utf8.RuneCountInString(lines[n.Line-1])+1 {
				t.Fatalf("place %d:%d lies outside the text", n.Line, n.Column)
			}
			for _, c := range n.Content {
				walk(c)
			}
		}
		walk(d.Root)
	})
}
