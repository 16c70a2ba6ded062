package expression

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names() map[string]any {
	return map[string]any{"output": "", "turns": 0, "matrix": map[string]any{}, "list": []any{}, "json": nil}
}

func values() map[string]any {
	return map[string]any{
		"output": "a nil b", "turns": 3, "matrix": map[string]any{"model": "fast", "n": 2.0}, "list": []any{1.0, 2.0, 3.0},
		"json": map[string]any{"ok": true},
	}
}

func TestEval(t *testing.T) {
	for _, tt := range []struct {
		source string
		want   any
	}{
		{`output contains "nil"`, true},
		{`turns <= 3 and matrix.model == "fast"`, true},
		{`len(list)`, 3},
		{`matrix?.lost ?? "x"`, "x"},
		{`output matches "^a.*b$"`, true},
		{`map(list, # * 2)`, []any{2.0, 4.0, 6.0}},
		{`nil`, nil},
		{`json.ok and not (json?.lost ?? false)`, true},
	} {
		p, err := Compile(tt.source, names(), false)
		if err != nil {
			t.Errorf("%s: %v", tt.source, err)
			continue
		}
		got, err := p.Eval(values())
		if err != nil {
			t.Errorf("%s: %v", tt.source, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.source, diff)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tt := range []struct {
		source       string
		truth        bool
		want         string
		line, column int
	}{
		{source: "", want: "empty"},
		{source: "output +", want: "unexpected", line: 1, column: 8},
		{source: "true and\nlost > 1", want: "lost", line: 2, column: 1},
		{source: "turns + 1", truth: true, want: "bool"},
		{source: `now()`, want: "now", line: 1, column: 1},
		{source: strings.Repeat("1+", 3000) + "1", want: "longer"},
		{source: strings.Repeat("-", 1200) + "1", want: "nodes", line: -1},
	} {
		_, err := Compile(tt.source, names(), tt.truth)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, tt.want) || strings.Contains(e.Message, "\n") {
			t.Errorf("%.40s: %v, want %q", tt.source, err, tt.want)
			continue
		}
		if tt.line > 0 && (e.Line != tt.line || e.Column != tt.column) {
			t.Errorf("%s: at %d:%d, want %d:%d", tt.source, e.Line, e.Column, tt.line, tt.column)
		}
	}
}

func TestEvalIsBounded(t *testing.T) {
	for _, source := range []string{
		`len(1..1000000)`, `repeat(output, 1000000)`, `len(map(1..1000, map(1..1000, #)))`, `list[99]`,
	} {
		p, err := Compile(source, names(), false)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if v, err := p.Eval(values()); err == nil {
			t.Errorf("%s: %.60v, want an error", source, v)
		}
	}
}

func TestUses(t *testing.T) {
	p, err := Compile("output == matrix.model ||\n  matrix[\"n\"] > turns", names(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Use{{"matrix", "model", 1, 11}, {"matrix", "n", 2, 3}}
	if diff := cmp.Diff(want, p.Uses()); diff != "" {
		t.Error(diff)
	}
}

func TestText(t *testing.T) {
	text, err := CompileText("with ${{ matrix.model }}:\n${{ matrix.n + 1 }} of ${{list}}, ${{ nil }}.", names())
	if err != nil {
		t.Fatal(err)
	}
	got, err := text.Eval(values())
	if err != nil {
		t.Fatal(err)
	}
	if want := "with fast:\n3 of [1,2,3], ."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if diff := cmp.Diff([]Use{{"matrix", "model", 1, 10}, {"matrix", "n", 2, 5}}, text.Uses()); diff != "" {
		t.Error(diff)
	}
	for source, place := range map[string][2]int{"a\n b ${{ 1": {2, 4}, "ab ${{ lost }}": {1, 8}} {
		_, err := CompileText(source, names())
		var e *Error
		if !errors.As(err, &e) || e.Line != place[0] || e.Column != place[1] {
			t.Errorf("%q: %v, want it at %v", source, err, place)
		}
	}
	const plain = "no $ {{ here"
	if text, err := CompileText(plain, nil); err != nil || len(text.Uses()) > 0 || text.Alone() {
		t.Errorf("plain text: %v", err)
	} else if got, err := text.Eval(nil); err != nil || got != plain {
		t.Errorf("plain text is %q, %v", got, err)
	}
}

// TestValue: whole numbers keep their digits and stay comparable with all others.
func TestValue(t *testing.T) {
	got := Value([]byte(`{"id":9007199254740993,"share":0.5,"ten":1e1,"three":3.0,"huge":18446744073709551616,"list":[-1,null,"x",true]}`))
	want := map[string]any{"id": 9007199254740993, "share": 0.5, "ten": 10.0, "three": 3.0, "huge": 18446744073709551616.0, "list": []any{-1, nil, "x", true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "{", "1 2"} {
		if got := Value([]byte(bad)); got != nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
	env := map[string]any{"json": got}
	for _, source := range []string{
		`json.id == 9007199254740993`, `json.id != 9007199254740992`, `json.id > json.three`, `json.three == 3`, `json.id % 2 == 1`, `json.list[0] + json.share < 0`,
		`json.ten in [10.0]`, `json.list[0] in [-1, 2]`, `json.huge > json.id`,
	} {
		p, err := Compile(source, map[string]any{"json": nil}, true)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := p.Eval(env); v != true {
			t.Errorf("%s: %v, %v", source, v, err)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`output contains "x"`, `len(list) > 1`, "${{ matrix.model }}", `map(list, #.a ?? 1)`, "a\n+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Compile(source, names(), false)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line > strings.Count(source, "\n")+1 {
				t.Fatalf("%v", err)
			}
		} else {
			_, _ = p.Eval(values())
		}
		if text, err := CompileText(source, names()); err == nil {
			_, _ = text.Eval(values())
		}
	})
}
