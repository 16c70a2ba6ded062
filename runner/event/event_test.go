package event_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

var update = flag.Bool("update", false, "write the golden files and docs/events.md")

func head() event.Header {
	return event.Header{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 6_999_999, time.FixedZone("CET", 3600)), Run: "r1", Agent: "writer", Session: "s1",
		Generation: 2, Depth: 1, ParentRun: "r0",
	}
}

func samples() []event.Event {
	usage := event.Usage{Usage: providers.Usage{Input: 10, CachedInput: 4, Output: 3}, Cost: 0.25}
	result := &event.Result{
		OK: true, Agent: "writer", Session: "s1", Output: json.RawMessage(`"a <b>"`), Turns: 1, Usage: usage, Attempts: 1,
		PerAgent: map[string]event.AgentUsage{"writer": {Turns: 1, Attempts: 1, Usage: usage, Models: map[string]event.Usage{"a/b": usage}}},
		Duration: 1500 * time.Millisecond,
	}
	bare := event.Header{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return []event.Event{
		&event.RunStart{Header: head(), Target: "writer", Kind: "agent", Prompt: "go", Source: "user"},
		&event.ContentChunk{Header: head(), ChunkType: "content", Content: "tab\t \"quote\" <é> \u2028 \x01 ☃"},
		&event.ThinkingChunk{Header: bare, Content: ""},
		&event.AgentStep{
			Header: head(), Turn: 1, Model: "a/b", Content: "x",
			ToolCalls:    []event.Request{{ID: "c1", Name: "Read", Arguments: json.RawMessage(`{"path":"a.go"}`)}},
			FinishReason: "tool_calls", Usage: event.Usage{Unpriced: true}, Context: event.Context{Used: 13},
		},
		&event.ToolResult{Header: head(), ToolCallID: "c1", Tool: "Read", Result: "y", Blocked: "schema", IsError: true},
		&event.Lower{Header: head(), Note: event.Raw{Name: "todo_changed", Fields: json.RawMessage(`{"todos":[]}`)}},
		&event.Lower{Header: head(), Note: event.Raw{Name: "provider.stream_committed", Fields: json.RawMessage(`{"call":"c1","n":1}`)}},
		&event.RunStop{Header: head(), Result: result, LastAgent: "writer"},
	}
}

func TestWire(t *testing.T) {
	var got bytes.Buffer
	w := event.NewWriter(&got)
	for _, e := range samples() {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	failed := &event.Result{Kind: "turn_limit", Message: "stopped", ExitCode: 7, Output: json.RawMessage(`"lost"`)}
	if err := w.Result(failed); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "wire-v0.jsonl"), got.Bytes())
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// TestParse reads the stored file of this version and writes it again.
func TestParse(t *testing.T) {
	stored, err := os.ReadFile(filepath.Join("testdata", "wire-v0.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want bytes.Buffer
	w := event.NewWriter(&got)
	for line := range bytes.Lines(stored) {
		if bytes.HasPrefix(line, []byte(`{"type":"result"`)) {
			var r event.Result
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			if err := w.Result(&r); err != nil {
				t.Fatal(err)
			}
		} else {
			e, err := event.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		want.Write(line)
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("read and written again (-want +got):\n%s", diff)
	}
}

func TestUsage(t *testing.T) {
	known := event.Priced(providers.Usage{Input: 1e6}, &providers.Price{Input: 2})
	unknown := event.Priced(providers.Usage{Input: 1}, nil)
	none := event.Priced(providers.Usage{}, nil)
	for _, tc := range []struct {
		name string
		u    event.Usage
		want string
	}{
		{"known", known, `"cost_usd":2,"cost_known":true`},
		{"unknown", unknown, `"cost_usd":null,"cost_known":false`},
		{"one unknown in a sum", known.Add(unknown), `"cost_usd":null,"cost_known":false`},
		{"nothing used", known.Add(none), `"cost_usd":2,"cost_known":true`},
	} {
		got, err := json.Marshal(tc.u)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(got), tc.want) {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestExitCode(t *testing.T) {
	want := map[string]int{
		"": 0, "output_invalid": 1, "no such kind": 1, "usage": 2, "definitions": 3, "orphan_tool_calls": 4, "contract": 5,
		"deadline": 6, "loop_guard": 7, "content_filter": 8, "cancelled": 130,
	}
	for kind, code := range want {
		if got := event.ExitCode(kind); got != code {
			t.Errorf("ExitCode(%q) = %d, want %d", kind, got, code)
		}
	}
	for _, kind := range event.Kinds() {
		if event.ExitCode(kind) == 0 {
			t.Errorf("kind %q exits 0", kind)
		}
	}
}

func TestReference(t *testing.T) {
	golden(t, filepath.Join("..", "..", "docs", "events.md"), []byte(event.Reference()))
}

// TestCatalogueIsWhole finds each type of the package that has a method Type and looks it up in the reference.
func TestCatalogueIsWhole(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	reference, found := event.Reference(), 0
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != "Type" || fn.Recv == nil {
				continue
			}
			lit, ok := fn.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.BasicLit)
			if !ok {
				continue
			}
			found++
			if !strings.Contains(reference, "| `"+strings.Trim(lit.Value, `"`)+"` |") {
				t.Errorf("%s: event %s is not in the catalogue", file, lit.Value)
			}
		}
	}
	if found < 20 {
		t.Errorf("found %d event types, the search is broken", found)
	}
}

func BenchmarkAppendChunk(b *testing.B) {
	e := &event.ContentChunk{Header: head(), ChunkType: "content", Content: "a few words of an answer, "}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = event.Append(buf[:0], e, 1)
	}
}

func BenchmarkAppendStep(b *testing.B) {
	e := samples()[3]
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = event.Append(buf[:0], e, 1)
	}
}

// TestTime: moments have three digits of seconds and are of UTC, wherever they come from.
func TestTime(t *testing.T) {
	at := event.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 900_456_789, time.FixedZone("", 3600))}
	got, err := json.Marshal(at)
	if want := `"2026-01-02T02:04:05.900Z"`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	var back event.Time
	if err := json.Unmarshal(got, &back); err != nil || !back.Equal(at.Truncate(time.Millisecond)) {
		t.Errorf("%v, %v", back, err)
	}
}
