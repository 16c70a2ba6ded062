package agents

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
)

type anyModel struct{ providers.Model }

func fault(code diag.Code, file string) diag.List {
	return diag.List{diag.New(code, diag.At(file, 1, 1, 1), "it is wrong")}
}

// team is a graph whose agents show every reason to refuse a start.
func team(t *testing.T) *Graph {
	t.Helper()
	m := anyModel{}
	g, err := New(Spec{
		Agents: []*Agent{
			{Name: "lead", Model: m, Delegates: []Delegate{{Agent: "ok"}, {Agent: "sub"}}},
			{Name: "sub", Model: m, Delegates: []Delegate{{Agent: "lost"}}},
			{Name: "ok", Model: m, Team: []string{"lost"}},
			{Name: "bare"},
			{Name: "inherits", Alone: m},
			{Name: "guarded", Model: m, Refused: fault("E-HOOK-INACTIVE", "guarded.md")},
			{Name: "dear", Model: m, Unpriced: fault("E-BUDGET-PRICE", "dear.md")},
			{Name: "buyer", Model: m, Delegates: []Delegate{{Agent: "dear"}}},
		},
		Broken: map[string]diag.List{"lost": fault("E-YAML", "lost.md")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestStart(t *testing.T) {
	for _, tt := range []struct {
		name          string
		want, withOwn string // codes, or ok
	}{
		{name: "ok", want: "ok", withOwn: "ok"},
		{name: "lead", want: "E-YAML", withOwn: "E-YAML"},
		{name: "lost", want: "E-YAML", withOwn: "E-YAML"},
		{name: "bare", want: "E-MODEL-NONE", withOwn: "ok"},
		{name: "inherits", want: "ok", withOwn: "ok"},
		{name: "guarded", want: "E-HOOK-INACTIVE", withOwn: "E-HOOK-INACTIVE"},
		{name: "dear", want: "E-BUDGET-PRICE", withOwn: "ok"},
		{name: "buyer", want: "E-BUDGET-PRICE", withOwn: "E-BUDGET-PRICE"},
		{name: "nobody", want: "none", withOwn: "none"},
		{name: "", want: "none", withOwn: "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := team(t)
			if diff := cmp.Diff(tt.want, outcome(g.Start(tt.name))); diff != "" {
				t.Error("Start:", diff)
			}
			if diff := cmp.Diff(tt.withOwn, outcome(g.StartWithModel(tt.name))); diff != "" {
				t.Error("StartWithModel:", diff)
			}
		})
	}
}

// outcome puts a start in a word.
func outcome(a *Agent, err error) string {
	if list, ok := errors.AsType[*diag.ListError](err); ok {
		var codes []string
		for _, d := range list.List {
			codes = append(codes, string(d.Code))
		}
		return strings.Join(codes, " ")
	}
	switch {
	case errors.Is(err, ErrNoTarget):
		return "none"
	case err == nil && a != nil:
		return "ok"
	}
	return "neither an agent nor a known error"
}

func TestFaultsReachEveryTarget(t *testing.T) {
	g, err := New(Spec{Agents: []*Agent{{Name: "a", Model: anyModel{}}}, Faults: fault("E-KEY-UNKNOWN", "swarmrun.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("E-KEY-UNKNOWN", outcome(g.Start(""))); diff != "" {
		t.Error(diff)
	}
}

func TestDefault(t *testing.T) {
	a, b := &Agent{Name: "a"}, &Agent{Name: "b"}
	broken := map[string]diag.List{"x": nil}
	for _, tt := range []struct {
		name string
		spec Spec
		want string
	}{
		{"named", Spec{Agents: []*Agent{a, b}, Default: "b"}, "b"},
		{"the only one", Spec{Agents: []*Agent{a}}, "a"},
		{"two and no name", Spec{Agents: []*Agent{a, b}}, ""},
		{"a broken one counts", Spec{Agents: []*Agent{a}, Broken: broken}, ""},
		{"only a broken one", Spec{Broken: broken}, "x"},
		{"none", Spec{}, ""},
	} {
		g, err := New(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Default(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestComplete: what a graph adds is added once, to whom is asked for, and not to the agent that other graphs have too.
func TestComplete(t *testing.T) {
	a, b := &Agent{Name: "a"}, &Agent{Name: "b"}
	var asked []string
	g, err := New(Spec{Agents: []*Agent{a, b}, Complete: func(x *Agent) { asked = append(asked, x.Name); x.Notes = "of " + x.Name }})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := g.Agent("a")
	started, err := g.StartWithModel("a")
	if err != nil || started != first || first.Notes != "of a" || a.Notes != "" {
		t.Errorf("asked twice: %+v and %+v, %v", first, started, err)
	}
	all := g.Agents()
	if len(all) != 2 || all[0] != first || all[1].Notes != "of b" {
		t.Errorf("all: %+v", all)
	}
	if _, ok := g.Agent("c"); ok {
		t.Error("there is an agent c")
	}
	if diff := cmp.Diff([]string{"a", "b"}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestNewRefuses(t *testing.T) {
	a := &Agent{Name: "a"}
	for _, tt := range []struct {
		want string
		spec Spec
	}{
		{"two agents are named", Spec{Agents: []*Agent{a, {Name: "a"}}}},
		{"delegates to", Spec{Agents: []*Agent{{Name: "a", Delegates: []Delegate{{Agent: "b"}}}}}},
		{"may start", Spec{Agents: []*Agent{{Name: "a", Team: []string{"b"}}}}},
		{"default agent", Spec{Agents: []*Agent{a}, Default: "b"}},
		{"two tools named WorkWithAB", Spec{Agents: []*Agent{{Name: "a_b"}, {Name: "a-b"},
			{Name: "c", Delegates: []Delegate{{Agent: "a_b"}, {Agent: "a-b"}}}}}},
	} {
		if _, err := New(tt.spec); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("want an error with %q, got %v", tt.want, err)
		}
	}
}

func TestCloseRunsOnceInReverse(t *testing.T) {
	var order []int
	closer := func(n int) func() error {
		return func() error { order = append(order, n); return errors.New("gone") }
	}
	g, err := New(Spec{Closers: []func() error{closer(1), closer(2)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err == nil || g.Close() != err {
		t.Errorf("Close: %v", err)
	}
	if diff := cmp.Diff([]int{2, 1}, order); diff != "" {
		t.Error(diff)
	}
}

func TestToolName(t *testing.T) {
	for name, want := range map[string]string{
		"backend_dev": "WorkWithBackendDev",
		"backend-dev": "WorkWithBackendDev",
		"backendDev":  "WorkWithBackendDev",
		"3000":        "WorkWith3000",
		"a.b c/d":     "WorkWithABCD",
		"rené":        "WorkWithRenU00E9",
		"审查":          "WorkWithU5BA1U67E5",
	} {
		if got := ToolName("WorkWith", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	long, other := strings.Repeat("x", 80), strings.Repeat("x", 81)
	if n := len(ToolName("WorkWith", long)); n != MaxToolName {
		t.Errorf("a long name has %d characters", n)
	}
	if ToolName("WorkWith", long) == ToolName("WorkWith", other) {
		t.Error("two long names became one")
	}
}
