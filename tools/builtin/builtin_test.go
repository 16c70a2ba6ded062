package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/toolstest"
)

// bench is one conversation in one folder, with the tools of New.
type bench struct {
	t     *testing.T
	tools map[string]tools.Tool
	call  tools.Call
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchWith(t, Options{})
}

func newBenchWith(t *testing.T, o Options) *bench {
	t.Helper()
	b := &bench{t: t, tools: map[string]tools.Tool{}}
	b.call.Roots = tools.Roots{Workspace: t.TempDir()}
	b.call.Roots.Dir = b.call.Roots.Workspace
	b.call.Ground = tools.NewGround(b.call.Roots)
	b.call.State = &tools.State{}
	o.Home = t.TempDir()
	b.call.Now = o.Clock
	if o.Clock == nil {
		b.call.Now = func() time.Time { return time.Date(2026, 11, 29, 10, 4, 11, 0, time.UTC) }
	}
	for _, tool := range New(&o) {
		b.tools[tool.Spec().Name] = tool
	}
	return b
}

// of is the same bench reporting to a subtest.
func (b *bench) of(t *testing.T) *bench {
	c := *b
	c.t = t
	return &c
}

func (b *bench) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(b.call.Roots.Dir, name)
}

func (b *bench) write(name, content string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(content), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) content(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) link(target, name string) {
	b.t.Helper()
	if err := os.Symlink(target, b.path(name)); err != nil {
		b.t.Fatal(err)
	}
}

type in = map[string]any

// run calls a tool with the conversation's call.
func (b *bench) run(tool string, input in) tools.Result {
	b.t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		b.t.Fatal(err)
	}
	c := b.call
	c.Tool, c.Input = tool, raw
	res, err := b.tools[tool].Call(b.t.Context(), &c)
	if err != nil {
		b.t.Fatalf("%s(%s): %v", tool, raw, err)
	}
	return res
}

// ok runs a tool that must succeed and returns its text.
func (b *bench) ok(tool string, input in) string {
	b.t.Helper()
	res := b.run(tool, input)
	if res.IsError {
		b.t.Fatalf("%s(%v) failed: %s", tool, input, res.Content)
	}
	return res.Content
}

// refused runs a tool that must fail with a text that says want.
func (b *bench) refused(want, tool string, input in) {
	b.t.Helper()
	res := b.run(tool, input)
	if !res.IsError {
		b.t.Fatalf("%s(%v) succeeded: %s", tool, input, res.Content)
	}
	if !strings.Contains(res.Content, want) {
		b.t.Errorf("%s(%v) said %q, want %q in it", tool, input, res.Content, want)
	}
}

func TestSpecs(t *testing.T) {
	for _, tool := range New(nil) {
		s := tool.Spec()
		t.Run(s.Name, func(t *testing.T) {
			var schema struct {
				Type       string                     `json:"type"`
				Properties map[string]json.RawMessage `json:"properties"`
				Required   []string                   `json:"required"`
			}
			if err := json.Unmarshal(s.Schema, &schema); err != nil {
				t.Fatal(err)
			}
			if schema.Type != "object" || schema.Properties == nil {
				t.Errorf("schema %s is no object with properties", s.Schema)
			}
			for _, name := range schema.Required {
				if schema.Properties[name] == nil {
					t.Errorf("required %q is no property", name)
				}
			}
			if s.Description == "" || len(s.Description) > 400 {
				t.Errorf("description has %d bytes, want 1 to 400", len(s.Description))
			}
			if _, ok := tool.(tools.Toucher); !ok {
				t.Error("is no Toucher, so rules about paths and hosts pass it by")
			}
		})
	}
}

// TestConformance holds every tool against what the runner relies on. Bash has a test of its own.
func TestConformance(t *testing.T) {
	net := newSite(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page") }, map[string][]string{"example.com": {public}})
	inputs := map[string]struct{ good, bad string }{
		"Read":      {`{"file_path":"f"}`, `{"file_path":"nope"}`},
		"Write":     {`{"file_path":"new/f","content":"x"}`, `{"file_path":"f","content":"x"}`},
		"Edit":      {`{"file_path":"f","old_string":"text","new_string":"b"}`, `{"file_path":"nope","old_string":"a","new_string":"b"}`},
		"MultiEdit": {`{"file_path":"f","edits":[{"old_string":"text","new_string":"b"}]}`, `{"file_path":"f","edits_json":"["}`},
		"Glob":      {`{"pattern":"**"}`, `{"pattern":"["}`},
		"Grep":      {`{"pattern":"text"}`, `{"pattern":"("}`},
		"Think":     {`{"thoughts":"x"}`, `{"thoughts":""}`},
		"Clock":     {`{}`, ""},
		"TodoWrite": {`{"todos_json":"[{\"content\":\"a\",\"status\":\"pending\",\"activeForm\":\"b\"}]"}`, `{"todos":[]}`},
		"Report":    {`{"message":"x","file":"f","line":3}`, `{"message":"x","line":3}`},
		"WebFetch":  {`{"url":"https://example.com/"}`, `{"url":"https://127.0.0.1/"}`},
	}
	for name, tool := range net.tools {
		if name == "Bash" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte("text\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			c := toolstest.Case{Tool: tool, Roots: tools.Roots{Workspace: dir, Dir: dir}, Good: json.RawMessage(inputs[name].good)}
			if inputs[name].bad != "" {
				c.Bad = json.RawMessage(inputs[name].bad)
			}
			if strings.HasSuffix(name, "Edit") {
				c.Tool = afterRead{tool, tool.(tools.Toucher), net.tools["Read"]}
			}
			toolstest.Run(t, c)
		})
	}
}

// afterRead is an editing tool whose conversation has read the file: the suite begins each call in a new one.
type afterRead struct {
	tools.Tool
	tools.Toucher
	read tools.Tool
}

func (a afterRead) Call(ctx context.Context, c *tools.Call) (tools.Result, error) {
	before := *c
	before.Input = json.RawMessage(`{"file_path":"f"}`)
	if res, err := a.read.Call(ctx, &before); err != nil || res.IsError {
		return res, err
	}
	return a.Tool.Call(ctx, c)
}

func TestBadArguments(t *testing.T) {
	b := newBench(t)
	b.refused("do not fit", "Read", in{"file_path": 7})
	toucher := b.tools["Read"].(tools.Toucher)
	if _, err := toucher.Touches(json.RawMessage(`{"file_path":7}`), b.call.Roots); err == nil {
		t.Error("Touches took a number for a path")
	}
}

func TestTouches(t *testing.T) {
	at := tools.Roots{Workspace: "/w", Dir: "/w/sub"}
	tests := []struct {
		tool, input string
		want        tools.Touch
	}{
		{"Read", `{"file_path":"a.txt"}`, tools.Touch{Kind: tools.TouchRead, Value: "/w/sub/a.txt"}},
		{"Read", `{"file_path":"../b/../a.txt"}`, tools.Touch{Kind: tools.TouchRead, Value: "/w/a.txt"}},
		{"Read", `{"file_path":"/etc//passwd"}`, tools.Touch{Kind: tools.TouchRead, Value: "/etc/passwd"}},
		{"Read", `{"file_path":"~/x"}`, tools.Touch{Kind: tools.TouchRead, Value: "/home/p/x"}},
		{"Read", `{"file_path":"~"}`, tools.Touch{Kind: tools.TouchRead, Value: "/home/p"}},
		{"Read", `{"file_path":"~x"}`, tools.Touch{Kind: tools.TouchRead, Value: "/w/sub/~x"}},
		{"Write", `{"file_path":"a","content":""}`, tools.Touch{Kind: tools.TouchWrite, Value: "/w/sub/a"}},
		{"Edit", `{"file_path":"a"}`, tools.Touch{Kind: tools.TouchWrite, Value: "/w/sub/a"}},
		{"MultiEdit", `{"file_path":"a"}`, tools.Touch{Kind: tools.TouchWrite, Value: "/w/sub/a"}},
		{"Glob", `{"pattern":"*.go"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/w/sub"}},
		{"Glob", `{"pattern":"a/b/*/c.go","path":"d"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/w/sub/d/a/b"}},
		{"Glob", `{"pattern":"../x/*"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/w/x"}},
		{"Glob", `{"pattern":"*/../../../etc/*"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/etc"}},
		{"Glob", `{"pattern":"/etc/**"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/etc"}},
		{"Glob", `{"pattern":"/*"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/"}},
		{"Grep", `{"pattern":"x"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/w/sub"}},
		{"Grep", `{"pattern":"x","path":"../y"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/w/y"}},
		{"WebFetch", `{"url":"http://user.Example.COM.:8080/x"}`, tools.Touch{Kind: tools.TouchHost, Value: "user.example.com"}},
		{"WebFetch", `{"url":"https://[::1]/"}`, tools.Touch{Kind: tools.TouchHost, Value: "::1"}},
		{"Glob", `{"pattern":"main.go"}`, tools.Touch{Kind: tools.TouchSearch, Value: "/w/sub"}},
	}
	byName := map[string]tools.Tool{}
	for _, tool := range New(&Options{Home: "/home/p"}) {
		byName[tool.Spec().Name] = tool
	}
	for _, tt := range tests {
		t.Run(tt.tool+tt.input, func(t *testing.T) {
			got, err := byName[tt.tool].(tools.Toucher).Touches(json.RawMessage(tt.input), at)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
