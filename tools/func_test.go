package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/toolstest"
)

type order struct {
	ID    string `json:"id" jsonschema:"the order's number"`
	Limit int    `json:"limit,omitempty"`
}

func lookup(ctx context.Context, in order) (map[string]any, error) {
	switch in.ID {
	case "none":
		return nil, errors.New("there is no such order")
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return map[string]any{"id": in.ID, "state": "sent"}, nil
}

func TestFuncConforms(t *testing.T) {
	toolstest.Run(t, toolstest.Case{
		Tool: tools.Func("lookup_order", "Looks an order up.", lookup),
		Good: json.RawMessage(`{"id":"42"}`),
		Bad:  json.RawMessage(`{"id":"none"}`),
		Slow: json.RawMessage(`{"id":"slow"}`),
	})
}

func TestFuncShape(t *testing.T) {
	tool := tools.Func("lookup_order", "", lookup)
	var got map[string]any
	if err := json.Unmarshal(tool.Spec().Schema, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"type": "object", "required": []any{"id"}, "additionalProperties": false,
		"properties": map[string]any{"id": map[string]any{"type": "string", "description": "the order's number"}, "limit": map[string]any{"type": "integer"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	text := tools.Func("t", "", func(context.Context, struct{}) (string, error) { return "as it is", nil })
	full := tools.Func("t", "", func(context.Context, struct{}) (tools.Result, error) {
		return tools.Result{Content: "x", IsError: true}, nil
	})
	for _, tt := range []struct {
		tool  tools.Tool
		input string
		want  tools.Result
	}{
		{tool, `{"id":"1"}`, tools.Result{Content: `{"id":"1","state":"sent"}`}},
		{text, ``, tools.Result{Content: "as it is"}},
		{full, `{}`, tools.Result{Content: "x", IsError: true}},
	} {
		got, err := tt.tool.Call(t.Context(), &tools.Call{Input: json.RawMessage(tt.input)})
		if d := cmp.Diff(tt.want, got); d != "" || err != nil {
			t.Errorf("%v\n%s", err, d)
		}
	}
}

func TestRegistry(t *testing.T) {
	var r tools.Registry
	ok := func(name string) tools.Tool {
		return tools.Func(name, "d", func(context.Context, struct{}) (string, error) { return "", nil })
	}
	for _, name := range []string{"b", "a"} {
		if err := r.Register(ok(name)); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"a", "b"}, r.Names()); d != "" {
		t.Error(d)
	}
	if got, found := r.Lookup("a"); !found || got.Spec().Name != "a" {
		t.Errorf("Lookup(a) = %v, %v", got, found)
	}
	if _, found := r.Lookup("A"); found {
		t.Error("Lookup does not look at case")
	}
	for _, tt := range []struct {
		tool tools.Tool
		want string
	}{
		{ok("a"), "twice"},
		{ok("a b"), "letters"},
		{ok(""), "letters"},
		{tools.Func("c", "", func(context.Context, map[int]string) (string, error) { return "", nil }), "as input"},
		{tools.Func("d", "", func(context.Context, int) (string, error) { return "", nil }), "tools take an object"},
	} {
		if err := r.Register(tt.tool); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
	ts, release, err := tools.Fixed(ok("x"), ok("y")).Open(t.Context(), tools.Roots{})
	if err != nil || len(ts) != 2 {
		t.Fatalf("%d tools: %v", len(ts), err)
	}
	release()
}

func TestSpecCheck(t *testing.T) {
	s := tools.NewSpec("Write", "", json.RawMessage(`{"type":"object","required":["file_path"],"properties":{"file_path":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false}`), false)
	literal := tools.Spec{Name: s.Name, Schema: s.Schema}
	for _, tt := range []struct {
		input string
		want  []string // nil = fits
	}{
		{`{"file_path":"x"}`, nil},
		{` {"file_path":"x","n":1}`, nil},
		{``, []string{"Write", "file_path"}},
		{`{"file_path":7,"x":1}`, []string{"file_path: ", "x"}},
		{`{"file_path":"x"`, []string{"ends too early"}},
		{`[]`, []string{"must be a JSON object"}},
	} {
		for _, spec := range []tools.Spec{s, literal} {
			err := spec.Check(json.RawMessage(tt.input))
			if (err == nil) != (tt.want == nil) {
				t.Errorf("%q: %v", tt.input, err)
				continue
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q: %v, want %q in it", tt.input, err, want)
				}
			}
		}
	}
	broken := tools.NewSpec("x", "", json.RawMessage(`{"type":"objekt"}`), false)
	if err := broken.Check(json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "cannot be called") {
		t.Errorf("broken schema: %v", err)
	}
}

func TestCut(t *testing.T) {
	if got := tools.Cut("häh", 3); got.Content != "häh" || got.Full != "" {
		t.Errorf("%+v", got)
	}
	long := "Ä" + strings.Repeat("x", 100) + "Ö"
	got := tools.Cut(long, 10)
	if !strings.HasPrefix(got.Content, "Äxxxx\n") || !strings.HasSuffix(got.Content, "\nxxxxÖ") || got.Full != long || !strings.Contains(got.Content, "92 characters left out") {
		t.Errorf("%+v", got)
	}
}
