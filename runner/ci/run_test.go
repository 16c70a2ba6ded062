package ci

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/cassette"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin"
)

// reader reads a file twice, then answers with how often it was asked. fail says which calls of Generate fail.
type reader struct {
	calls atomic.Int64
	fail  func(n int64) bool
}

func (m *reader) Name() string { return "test/reader" }

func (m *reader) Generate(_ context.Context, req *providers.Request, _ func(providers.Delta) error) (*providers.Response, error) {
	n := m.calls.Add(1)
	if m.fail != nil && m.fail(n) {
		return nil, &providers.Error{Kind: "server", Candidate: m.Name(), Terminal: true}
	}
	parts := []providers.Part{providers.Text{Text: "read it"}}
	finish := providers.Finish("stop")
	if turn := req.Caller.Turn; turn < 3 {
		args := json.RawMessage(fmt.Sprintf(`{"file_path":"a.txt","limit":%d}`, turn))
		parts, finish = []providers.Part{providers.ToolCall{ID: fmt.Sprint("c", turn), Name: "Read", Args: args}}, "tool_calls"
	}
	return &providers.Response{
		Message: providers.Message{Role: providers.Assistant, Parts: parts}, Finish: finish,
		Candidate: m.Name(), Provider: "test", Model: "reader", Usage: providers.Usage{Input: 10, Output: 1},
	}, nil
}

// project is a graph with one agent and one job of so many cases, in a folder with a fixture.
func project(t testing.TB, m providers.Model, cases int, tape bool) (*agents.Graph, string) {
	t.Helper()
	root := t.TempDir()
	fixture := filepath.Join(root, "fixture")
	if err := os.Mkdir(fixture, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(fixture, "a.txt"), []byte("alpha\nbeta\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	j := &agents.Job{Name: "read"}
	for i := range cases {
		c := &agents.Case{
			Name: fmt.Sprintf("case %d", i+1), Target: "reader", Prompt: fmt.Sprintf("read %d", i), Repeat: 1, PassRate: 1, StopEarly: true,
			Setup: agents.Setup{Files: fixture},
			Checks: []agents.Check{
				{Kind: "contains", Text: []string{"read"}},
				{Kind: "tool_called", Name: "Read", Times: &agents.Bound{Low: 2, High: 2, Text: "2"}},
				{Kind: "turns", Times: &agents.Bound{Low: math.Inf(-1), High: 3, Text: "<= 3"}},
			},
		}
		if tape {
			c.Tape = filepath.Join(root, "cassettes", fmt.Sprintf("%d.yaml", i))
		}
		j.Cases = append(j.Cases, c)
	}
	rules := tools.Rules{All: true}
	g, err := agents.New(agents.Spec{
		Name: "w", Root: root, Jobs: []*agents.Job{j},
		Agents: []*agents.Agent{{
			Name: "reader", Model: cassette.Wrap(m), Tools: []tools.Toolset{tools.Fixed(builtin.New(nil)...)}, Rules: rules,
			Limits: agents.Limits{MaxTurns: 10, MaxConcurrentTools: 4},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return g, root
}

func run(t testing.TB, g *agents.Graph, o *Options) *Report {
	t.Helper()
	r, err := Run(t.Context(), agents.Static(g), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReplaysAreEqual records cases, then replays them twice side by side: the reports are equal but for their clocks.
func TestReplaysAreEqual(t *testing.T) {
	m := &reader{}
	g, _ := project(t, m, 40, true)
	if r := run(t, g, &Options{Mode: Record, Concurrency: 4}); !r.OK {
		t.Fatalf("%+v", r.Totals)
	}
	asked := m.calls.Load()
	if asked != 120 {
		t.Errorf("the model was asked %d times", asked)
	}
	var reports [2][]byte
	for i := range reports {
		r := run(t, g, &Options{Concurrency: 1 + 3*i})
		if !r.OK || r.Totals.Passed != 40 {
			t.Fatalf("%+v", r.Totals)
		}
		r.Concurrency = 0
		raw, err := json.MarshalIndent(r.Untimed(), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		reports[i] = raw
	}
	if diff := cmp.Diff(string(reports[0]), string(reports[1])); diff != "" {
		t.Error(diff)
	}
	if m.calls.Load() != asked {
		t.Error("a replay has asked the model")
	}
}

func TestRetriesAreToldAsFlaky(t *testing.T) {
	first := true
	m := &reader{}
	m.fail = func(int64) bool { was := first; first = false; return was }
	g, _ := project(t, m, 1, false)
	r := run(t, g, &Options{Retries: 2})
	c := r.Jobs[0].Cases[0]
	if !r.OK || c.Outcome != Flaky || len(c.Attempts) != 2 || c.Attempts[0].Kind != "server" || c.Attempts[1].Try != 2 || r.Totals.Flaky != 1 || r.Totals.Passed != 0 {
		t.Errorf("%+v\n%+v", r.Totals, c)
	}
	m.fail = func(int64) bool { return true }
	if r = run(t, g, &Options{Retries: 2}); r.OK || r.Totals.Errors != 1 || len(r.Jobs[0].Cases[0].Attempts) != 3 {
		t.Errorf("%+v", r.Totals)
	}
}

// TestInterruptedReportIsComplete cancels a run in its midst.
func TestInterruptedReportIsComplete(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := &reader{}
	m.fail = func(n int64) bool {
		if n == 4 {
			cancel()
		}
		return false
	}
	g, _ := project(t, m, 5, false)
	r, err := Run(ctx, agents.Static(g), &Options{Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.ExitCode != 130 || r.Totals.Cases != 5 || r.Totals.Passed != 1 || r.Totals.Errors != 1 || r.Totals.Skipped != 3 {
		t.Errorf("exit %d, %+v", r.ExitCode, r.Totals)
	}
	for _, c := range r.Jobs[0].Cases {
		if c.Outcome == "" {
			t.Errorf("%s has no outcome", c.ID)
		}
	}
}

func TestNoFolderIsLeft(t *testing.T) {
	temp := t.TempDir()
	g, root := project(t, &reader{}, 3, false)
	g.Jobs()[0].Cases[0].Checks = append(g.Jobs()[0].Cases[0].Checks, agents.Check{Kind: "matches", Pattern: regexp.MustCompile("never")})
	if r := run(t, g, &Options{Temp: temp, Concurrency: 3}); r.Totals.Failed != 1 || r.Totals.Passed != 2 || r.ExitCode != 1 {
		t.Errorf("%+v", r.Totals)
	}
	for _, dir := range []string{temp, root} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "fixture" {
				t.Errorf("%s is left in %s", e.Name(), dir)
			}
		}
	}
}

func TestNoCaseIsAFailure(t *testing.T) {
	g, _ := project(t, &reader{}, 2, false)
	if r := run(t, g, &Options{Tags: []string{"none"}}); r.OK || r.Kind != "no_cases" || r.ExitCode != 1 {
		t.Errorf("%+v", r)
	}
}

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		passed, of int
		low, high  float64
	}{{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {8, 10, 0.4902, 0.9433}, {80, 100, 0.7112, 0.8666}} {
		if low, high := wilson(tt.passed, tt.of); low != tt.low || high != tt.high {
			t.Errorf("%d of %d: %v to %v, want %v to %v", tt.passed, tt.of, low, high, tt.low, tt.high)
		}
	}
	r := Rate{Wanted: 0.8, Planned: 5}
	for _, tt := range []struct {
		passed, run int
		certain     bool
	}{{3, 3, false}, {4, 4, true}, {2, 3, false}, {2, 4, true}, {0, 1, false}, {0, 2, true}} {
		if r.judge(tt.passed, tt.run); r.certain() != tt.certain {
			t.Errorf("%d of %d: certain %v", tt.passed, tt.run, r.certain())
		}
	}
}
