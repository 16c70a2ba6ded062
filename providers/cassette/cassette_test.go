package cassette

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

func TestScrub(t *testing.T) {
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	s := newScrubber(&Options{Workspace: link, Home: "/home/a", Temp: "/home/a/tmp/"})
	tests := []struct{ in, stored, back string }{
		{"/home/a/x", "$HOME/x", ""},
		{"see /home/a.", "see $HOME.", ""},
		{"'/home/a'", "'$HOME'", ""},
		{"file:///home/a/x", "file://$HOME/x", ""},
		{"/home/ab", "/home/ab", ""},
		{"/home/a.old", "/home/a.old", ""},
		{"/home/a_b", "/home/a_b", ""},
		{"/mnt/home/a", "/mnt/home/a", ""},
		{"/home/a/tmp/y /home/a", "$TMP/y $HOME", ""},
		{"cd $HOME && $TMP_DIR $$HOME $$", "cd $$HOME && $TMP_DIR $$$HOME $$", ""},
		{link + "/z", "$WORKSPACE/z", ""},
		{real + "/z", "$WORKSPACE/z", link + "/z"},
		{"", "", ""},
	}
	for _, tt := range tests {
		got := s.stored(tt.in)
		if got != tt.stored {
			t.Errorf("%q is stored as %q, not %q", tt.in, got, tt.stored)
		}
		if want := max(tt.back, ""); want == "" {
			tt.back = tt.in
		}
		if back := s.restored(got); back != tt.back {
			t.Errorf("%q comes back as %q", tt.in, back)
		}
	}
	if got := (&scrubber{}).restored("$HOME"); got != "$HOME" {
		t.Errorf("a folder that nobody named becomes %q", got)
	}
	if s := newScrubber(&Options{Home: "/"}); len(s.folders) != 0 {
		t.Error("the root stands in every path")
	}
}

func TestKey(t *testing.T) {
	s := newScrubber(&Options{})
	half := 0.5
	base := func() *providers.Request {
		return &providers.Request{
			System: "s",
			Messages: []providers.Message{
				providers.UserText("p"),
				{Role: providers.Assistant, Parts: []providers.Part{providers.ToolCall{ID: "a", Name: "A", Args: json.RawMessage(`{"x":1,"y":[2]}`)}}},
				{Role: providers.Tool, Parts: []providers.Part{providers.ToolResult{CallID: "a", Name: "A", Content: "r"}}},
			},
			Tools:   []providers.ToolSpec{{Name: "A", Schema: json.RawMessage(`{"type":"object","title":"t"}`)}, {Name: "B"}},
			Headers: map[string]string{"X": "1"},
		}
	}
	key := func(change func(*providers.Request)) string {
		req := base()
		change(req)
		r, _ := s.normalise(req)
		return r.key()
	}
	plain := key(func(*providers.Request) {})
	same := map[string]func(*providers.Request){
		"who asks": func(r *providers.Request) { r.Caller = providers.Caller{Run: "x", Agent: "y", Turn: 3} },
		"headers":  func(r *providers.Request) { r.Headers = nil },
		"call ids": func(r *providers.Request) {
			r.Messages[1].Parts[0] = providers.ToolCall{ID: "zz", Name: "A", Args: json.RawMessage(`{ "y": [2], "x": 1 }`)}
			r.Messages[2].Parts[0] = providers.ToolResult{CallID: "zz", Name: "A", Content: "r"}
		},
		"order of tools": func(r *providers.Request) { r.Tools[0], r.Tools[1] = r.Tools[1], r.Tools[0] },
		"keys of schema": func(r *providers.Request) { r.Tools[0].Schema = json.RawMessage(`{"title":"t","type":"object"}`) },
		"signature": func(r *providers.Request) {
			r.Messages[1].Parts = append(r.Messages[1].Parts, providers.Opaque{Provider: "p", Raw: json.RawMessage(`1`)})
		},
	}
	for name, change := range same {
		if key(change) != plain {
			t.Errorf("%s changes the key", name)
		}
	}
	differ := map[string]func(*providers.Request){
		"system": func(r *providers.Request) { r.System = "t" },
		"prompt": func(r *providers.Request) { r.Messages[0] = providers.UserText("q") },
		"role":   func(r *providers.Request) { r.Messages[0].Role = providers.Assistant },
		"result": func(r *providers.Request) {
			r.Messages[2].Parts[0] = providers.ToolResult{CallID: "a", Name: "A", Content: "r", IsError: true}
		},
		"call of it": func(r *providers.Request) {
			r.Messages[2].Parts[0] = providers.ToolResult{CallID: "b", Name: "A", Content: "r"}
		},
		"arguments": func(r *providers.Request) {
			r.Messages[1].Parts[0] = providers.ToolCall{ID: "a", Name: "A", Args: json.RawMessage(`{"x":2}`)}
		},
		"tools":       func(r *providers.Request) { r.Tools = r.Tools[:1] },
		"temperature": func(r *providers.Request) { r.Temperature = &half },
		"top_p":       func(r *providers.Request) { r.TopP = &half },
		"stop":        func(r *providers.Request) { r.Stop = []string{"x"} },
		"output":      func(r *providers.Request) { r.Output = json.RawMessage(`{}`) },
		"thinking":    func(r *providers.Request) { r.Thinking = &providers.Thinking{Effort: "high", Budget: 5} },
		"choice":      func(r *providers.Request) { r.ToolChoice = "none" },
		"cap":         func(r *providers.Request) { r.MaxOutput = 5 },
		"more":        func(r *providers.Request) { r.Parameters = map[string]json.RawMessage{"seed": json.RawMessage(`1`)} },
		"image": func(r *providers.Request) {
			r.Messages[0].Parts = append(r.Messages[0].Parts, providers.Blob{MediaType: "image/png", Data: []byte("x")})
		},
		"another image": func(r *providers.Request) {
			r.Messages[0].Parts = append(r.Messages[0].Parts, providers.Blob{MediaType: "image/png", Data: []byte("y")})
		},
		"image of a result": func(r *providers.Request) {
			r.Messages[2].Parts[0] = providers.ToolResult{CallID: "a", Name: "A", Content: "r", Blobs: []providers.Blob{{MediaType: "image/png", URL: "u"}}}
		},
	}
	seen := map[string]string{plain: "nothing"}
	for name, change := range differ {
		k := key(change)
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[k] = name
	}
}

// TestDifferences has random walks of requests written as differences and read back.
func TestDifferences(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		before := &request{}
		for range 6 {
			now := &request{System: pick(rnd, before.System, "", "s1", "s2"), Tools: before.Tools, Parameters: before.Parameters}
			if rnd.IntN(3) == 0 {
				now.Tools = nil
				for i := range rnd.IntN(3) {
					now.Tools = append(now.Tools, tool{Name: fmt.Sprint("T", i), InputSchema: json.RawMessage(`{"type":"object"}`)})
				}
			}
			if rnd.IntN(3) == 0 {
				now.Parameters = nil
				if rnd.IntN(2) == 0 {
					now.Parameters = json.RawMessage(`{"seed":1}`)
				}
			}
			now.Messages = append(now.Messages, before.Messages[:rnd.IntN(len(before.Messages)+1)]...)
			for range rnd.IntN(3) {
				now.Messages = append(now.Messages, message{Role: "user", Text: pick(rnd, "a", "b", "c", "")})
			}
			var c change
			if err := json.Unmarshal(compact(difference(before, now)), &c); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(compact(now)), string(compact(c.apply(before)))); diff != "" {
				t.Fatal(diff)
			}
			before = now
		}
	}
}

func pick(rnd *rand.Rand, of ...string) string { return of[rnd.IntN(len(of))] }

// TestReleasedForms reads a file of every released version; the files are never changed.
func TestReleasedForms(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "released-v1.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	rec, ds := parse(src, "released-v1.yaml")
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	for _, e := range rec.entries {
		if e.key != e.made {
			t.Errorf("the key of line %d is %s, made from the request it is %s", e.line, e.key, e.made)
		}
	}
	again, err := rec.encode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(src), string(again)); diff != "" {
		t.Error(diff)
	}
}

func TestDifflines(t *testing.T) {
	tests := []struct{ a, b, want string }{
		{"a b c", "a b c", "  a|  b|  c"},
		{"a b c", "a x c", "  a|- b|+ x|  c"},
		{"a b c d", "b d e", "- a|  b|- c|  d|+ e"},
		{"", "a", "+ a"},
		{"a a a", "a a", "  a|  a|- a"},
	}
	for _, tt := range tests {
		if got := strings.Join(difflines(strings.Fields(tt.a), strings.Fields(tt.b)), "|"); got != tt.want {
			t.Errorf("%s → %s: %s", tt.a, tt.b, got)
		}
	}
	long := strings.Fields(strings.Repeat("x ", 30) + "y")
	if got := strings.Join(around(difflines(long, long[:30])), "|"); got != "  …|  x|  x|- y" {
		t.Error(got)
	}
	many := around(marked("+ ", make([]string, 500)))
	if len(many) != maxShown+1 {
		t.Errorf("%d lines", len(many))
	}
	if got := cut("+ " + strings.Repeat("ü", 200)); len(got) > maxLine+len("…") || !strings.HasSuffix(got, "ü…") {
		t.Errorf("%q", got)
	}
	if got := middle(make([]string, maxCompared+1), []string{"a"}); len(got) != maxCompared+2 {
		t.Errorf("%d lines", len(got))
	}
}

func TestStream(t *testing.T) {
	tests := []struct {
		text   string
		chunks []int
		want   string
	}{
		{"grüße", []int{3, 2}, "grü|ße"},
		{"grüße", nil, "grüße"},
		{"abc", []int{1}, "a|bc"},
		{"abc", []int{2, 0, 9, 4}, "ab|c"},
		{"abc", []int{-1, 1}, "a|bc"},
		{"", []int{1}, ""},
	}
	for _, tt := range tests {
		var got []string
		if _, err := stream(tt.text, tt.chunks, func(s string) error { got = append(got, s); return nil }); err != nil {
			t.Fatal(err)
		}
		if joined := strings.Join(got, "|"); joined != tt.want {
			t.Errorf("%q by %v: %q", tt.text, tt.chunks, joined)
		}
	}
}

// FuzzParse reads anything: no panic, faults inside the file, and what is read is written so that it reads the same.
func FuzzParse(f *testing.F) {
	const head = "version: 1\nrecorded: 2026-11-29T10:04:11Z\n" // seeds are short: minimising long ones takes all the time
	for _, s := range []string{
		"calls: []\n", "mask: ['\\d+']\ncalls:\n  - {key: a, request: {system: 1 x}, answer: {finish: stop}}\n",
		"calls:\n  - {key: a, request: {keeps: -4, messages: [{role: user}]}, answer: {finish: stop, chunks: [-1], parts: [{type: text}]}}\n",
		"calls:\n  - key: a\n    agent: b\n    models: [c]\n    request: {tools: [{name: T, input_schema: {a: 1}}], parameters: {x: 1}}\n    answer:\n" +
			"      text: |\n        $HOME\n      tool_calls: [{id: i, name: T, input: {a: $TMP}}]\n      finish: stop\n      usage: {input_tokens: 1}\n",
	} {
		f.Add([]byte(head + s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		rec, ds := parse(src, "f.yaml")
		lines := strings.Count(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n") + strings.Count(string(src), "\r") + 1
		for _, d := range ds {
			if at := d.Range.Start; at.Line < 1 || int(at.Line) > lines || at.Column < 1 {
				t.Errorf("%v is outside the file of %d lines", at, lines)
			}
		}
		if rec == nil {
			if !ds.HasErrors() {
				t.Error("nothing was read, and nothing is wrong")
			}
			return
		}
		s := newScrubber(&Options{Home: "/home/a"})
		for _, e := range rec.entries {
			if resp, err := s.response(&e.answer); err == nil {
				_ = pieces(resp.Message, e.answer.Chunks, func(providers.Delta) error { return nil })
			}
		}
		out, err := rec.encode()
		if err != nil {
			return // a year that RFC 3339 cannot write, more levels than YAML takes
		}
		again, ds := parse(out, "again.yaml")
		if ds.HasErrors() || len(again.entries) != len(rec.entries) {
			t.Fatalf("%v\n%s", ds, out)
		}
		for i, e := range again.entries {
			if e.made != rec.entries[i].made {
				t.Errorf("call %d has another key after writing:\n%s\n%s", i, compact(rec.entries[i].request), compact(e.request))
			}
		}
	})
}

// A short file whose requests all repeat a long one is refused before it is gone through.
func TestRoom(t *testing.T) {
	src := "version: 1\ncalls:\n"
	for i := range 3 {
		src += fmt.Sprintf("  - {key: k%d, request: {messages: [{role: user, text: 12345678}]}, answer: {finish: stop}}\n", i)
	}
	src = strings.ReplaceAll(src, "12345678", `"12345678"`)
	if _, ds := (&parser{file: "c.yaml", room: 8 + 16 + 24}).parse([]byte(src)); ds.HasErrors() {
		t.Error(ds)
	}
	_, ds := (&parser{file: "c.yaml", room: 8 + 16 + 23}).parse([]byte(src))
	if len(ds) != 1 || ds[0].Range.Start.Line != 5 || !strings.Contains(ds[0].Summary, "come to more than") {
		t.Errorf("%v", ds)
	}
}
