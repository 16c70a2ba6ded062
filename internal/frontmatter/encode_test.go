package frontmatter_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

func TestEncodeYAML(t *testing.T) {
	in := `{"version":1,"text":"two\nlines\n","none":null,"yes":"yes","number":"42","empty":{},"price":1.50,
		"calls":[{"name":"Read","input":{"file_path":"a.go","limit":20}},{"name":"Bash","text":"` + strings.Repeat("long ", 30) + `"}],"tab":"a\tb","key: odd":true}`
	want := `version: 1
text: |
  two
  lines
none: null
"yes": "yes"
number: "42"
empty: {}
price: 1.50
calls:
  - {name: Read, input: {file_path: a.go, limit: 20}}
  - name: Bash
    text: '` + strings.Repeat("long ", 30) + `'
tab: "a\tb"
'key: odd': true
`
	got, err := frontmatter.EncodeYAML(json.RawMessage(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestEncodeYAMLFaults(t *testing.T) {
	for _, in := range []string{"", "{", `{"a":1} {}`, strings.Repeat("[", 300) + strings.Repeat("]", 300), "nope"} {
		if out, err := frontmatter.EncodeYAML(json.RawMessage(in)); err == nil {
			t.Errorf("%.20q was written as %q", in, out)
		}
	}
}

// FuzzEncodeYAML writes any JSON object and reads it back.
func FuzzEncodeYAML(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":[1,2.0,-3e4,true,null,"x"]}`, `{"a":"x\ny"}`, `{"a":" x\ny"}`, `{"a":"\n"}`, `{"a":"x\n\n"}`, `{"a":"x \ny"}`, `{"a":"\r\n"}`,
		`{"a":"\u2028\n"}`, `{"a":"\ufeff"}`, `{"a":"#x","b":"- y","c":"? z","d":"null","e":"~","f":"2026-01-02","g":"0x1f","h":".inf","i":"<<"}`,
		`{"":"","<<":1,"null":2,"\n":3,"? ":4}`, `{"a":"\u0000\u007f\u0080"}`, `{"a":[[],{},[[]]]}`, `{"a":"---"}`, `{"a":"2026-11-29T10:04:11Z","b":"2026-11-29T10:04:11.5+02:00","c":"9999-12-31T23:59:59Z","d":"2026-11-29T10:04:11.50Z"}`, `{"a":"x\n---\ny"}`, `{"a":"\t\n"}`,
		`{"a":"%x","b":"@y","c":"` + "`z" + `"}`, `{"a":9007199254740993123456789,"b":1E+2}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var want any
		if json.Unmarshal(in, &want) != nil {
			t.Skip()
		}
		m, ok := want.(map[string]any)
		if !ok {
			t.Skip()
		}
		clean, err := json.Marshal(m) // without repeated keys and broken UTF-8
		if err != nil {
			t.Skip()
		}
		out, err := frontmatter.EncodeYAML(clean)
		if err != nil {
			if bytes.Count(clean, []byte("["))+bytes.Count(clean, []byte("{")) < 200 {
				t.Fatalf("%s: %v", clean, err)
			}
			t.Skip()
		}
		d, ds := frontmatter.ParseYAML(out, "f.yaml")
		if ds.HasErrors() {
			t.Fatalf("%q\n%s\n%v", clean, out, ds)
		}
		back, bad := frontmatter.JSON(d.Root)
		if bad != nil {
			t.Fatalf("%s\n%v", out, bad)
		}
		if !bytes.Equal(clean, back) && !same(t, clean, back) {
			t.Fatalf("%q\nwas written as\n%s\nand read as\n%q", clean, out, back)
		}
	})
}

func same(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return cmp.Equal(x, y)
}

func TestLookup(t *testing.T) {
	d, ds := frontmatter.ParseYAML([]byte("a:\n  - b: 1\n    c: 2\n"), "f.yaml")
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	tests := []struct {
		path         []string
		line, column int
	}{
		{nil, 1, 1},
		{[]string{"a", "0", "c"}, 3, 8},
		{[]string{"a", "0", "c", "d"}, 3, 8},
		{[]string{"a", "1"}, 2, 3},
		{[]string{"a", "-1"}, 2, 3},
		{[]string{"x", "c"}, 1, 1},
	}
	for _, tt := range tests {
		if n := d.Lookup(tt.path...); n.Line != tt.line || n.Column != tt.column {
			t.Errorf("%q is at %d:%d", tt.path, n.Line, n.Column)
		}
	}
	if n := (&frontmatter.Document{}).Lookup("a"); n != nil {
		t.Error("a document without root has nodes")
	}
}
