package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"text/template"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

func TestRunYieldsEverything(t *testing.T) {
	s := scenes(t)["answer"]
	var want, got []string
	mustDo(t, newRunner(t, s, nil), s.req, &runner.RunOptions{Sink: func(e event.Event) { want = append(want, e.Type()) }})
	for e, err := range newRunner(t, s, nil).Run(t.Context(), s.req, nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Type())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-Do +Run):\n%s", diff)
	}
}

func TestRunYieldsTheErrorLast(t *testing.T) {
	s := scenes(t)["turn_limit"]
	var last event.Event
	var failed *runner.RunError
	n := 0
	for e, err := range newRunner(t, s, nil).Run(t.Context(), s.req, nil) {
		if failed != nil {
			t.Error("something follows the error")
		}
		if err != nil && !errors.As(err, &failed) {
			t.Errorf("error is %v", err)
		}
		if e != nil {
			last = e
		}
		n++
	}
	if failed == nil || failed.Kind != "turn_limit" || failed.Agent != "worker" || failed.Turn != 3 {
		t.Errorf("error %+v after %d events", failed, n)
	}
	if last.Type() != "run_stop" {
		t.Errorf("the last event is %s", last.Type())
	}
}

// TestLeavingTheLoop leaves at every event in turn: the run is over, with every goroutine and toolset of it, before the loop is.
func TestLeavingTheLoop(t *testing.T) {
	s := scenes(t)["tools"]
	var open atomic.Int32
	s.agents[0].Tools = append(s.agents[0].Tools, counted{&open})
	for leave := 1; leave < 20; leave++ {
		synctest.Test(t, func(t *testing.T) { // a goroutine that is left behind is a deadlock of the bubble
			n := 0
			for range newRunner(t, s, nil).Run(t.Context(), s.req, nil) {
				if n++; n == leave {
					break
				}
			}
			if open.Load() != 0 {
				t.Errorf("left at event %d: %d toolsets are open", leave, open.Load())
			}
		})
	}
}

// counted is a toolset that knows how often it is open.
type counted struct{ open *atomic.Int32 }

func (c counted) Open(context.Context, tools.Roots) ([]tools.Tool, func(), error) {
	c.open.Add(1)
	return nil, func() { c.open.Add(-1) }, nil
}

// TestToolsOfTheLastHooks: tools work until hooks of the end, and those that run on, had their say.
func TestToolsOfTheLastHooks(t *testing.T) {
	for _, async := range []bool{false, true} {
		a := worker(t, script.Rule{Reply: say("done")})
		var open atomic.Int32
		ends := func(context.Context, *hook.Input) hook.Result {
			if open.Load() != 1 {
				t.Errorf("async %t: the tools of the agent are released while its hooks run", async)
			}
			return hook.Result{}
		}
		a.Tools = append(a.Tools, counted{&open})
		a.Hooks = hook.Chain{{Name: "ends", On: []string{"run_stop"}, Hook: hook.Func(ends), Async: async}}
		s := &scene{agents: []*agents.Agent{a}}
		mustDo(t, newRunner(t, s, nil), runner.Request{Input: "work"}, nil)
		if open.Load() != 0 {
			t.Errorf("async %t: %d toolsets are open", async, open.Load())
		}
	}
}

// TestNothingIsLeft runs every scene and compares goroutines and files with before.
func TestNothingIsLeft(t *testing.T) {
	all := scenes(t)
	goroutines, files := runtime.NumGoroutine(), openFiles()
	for name, s := range all {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err := newRunner(t, s, nil).Do(ctx, s.req, &runner.RunOptions{Ask: s.ask})
		cancel()
		if (err == nil) != (s.wantErr == "") && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		runtime.Gosched() // those that have said their last word are still on their way out
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if n := openFiles(); n > files {
		t.Errorf("%d open files, %d before", n, files)
	}
}

func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

func TestFailingSink(t *testing.T) {
	s := scenes(t)["answer"]
	var heard []string
	r := newRunner(t, s, &runner.Options{Sink: func(event.Event) { panic("a listener breaks") }})
	res := mustDo(t, r, s.req, &runner.RunOptions{Sink: func(e event.Event) {
		if w, ok := e.(*event.Warning); ok {
			heard = append(heard, w.Code+": "+w.Message)
		}
	}})
	if !res.OK {
		t.Errorf("result: %+v", res)
	}
	if diff := cmp.Diff([]string{"sink_failed: a listener failed and hears no more: a listener breaks"}, heard); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestRefusedStarts(t *testing.T) {
	mute := worker(t)
	mute.Name, mute.Model = "mute", nil
	broken := diag.List{diag.New("E-TOOL-UNKNOWN", diag.At("agents/broken.md", 6, 8, 4), "no tool named %q", "Raed")}
	other := worker(t, script.Rule{Reply: say("other model")})
	g, err := agents.New(agents.Spec{
		Name: "test", Root: t.TempDir(), Agents: []*agents.Agent{worker(t, script.Rule{Reply: say("own model")}), mute}, Default: "worker",
		Broken: map[string]diag.List{"broken": broken},
		Models: func(ref string) (providers.Model, error) {
			if ref == "other" {
				return other.Model, nil
			}
			return nil, fmt.Errorf("no model named %q", ref)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := runner.New(agents.Static(g), nil)
	for _, tc := range []struct {
		name string
		req  runner.Request
		kind string
		exit int
		text string
	}{
		{"default", runner.Request{}, "", 0, "own model"},
		{"other model", runner.Request{Model: "other"}, "", 0, "other model"},
		{"no such agent", runner.Request{Target: "wroker"}, "usage", 2, `no such agent: "wroker"`},
		{"no such model", runner.Request{Model: "x/y"}, "usage", 2, `no model named "x/y"`},
		{"broken", runner.Request{Target: "broken"}, "definitions", 3, "agents/broken.md:6:8: error[E-TOOL-UNKNOWN]"},
		{"no model", runner.Request{Target: "mute"}, "definitions", 3, "E-MODEL-NONE"},
		{"model for one without", runner.Request{Target: "mute", Model: "other"}, "", 0, "other model"},
		{"schema that is none", runner.Request{Output: json.RawMessage(`{"type":"nothing"}`)}, "definitions", 3, "the schema of the output"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res, err := r.Do(t.Context(), tc.req, nil)
			text := res.Text()
			if err != nil {
				text = err.Error()
			}
			if res.Kind != tc.kind || res.ExitCode != tc.exit || !strings.Contains(text, tc.text) {
				t.Errorf("kind %q, exit %d, %q; want %q, %d, %q", res.Kind, res.ExitCode, text, tc.kind, tc.exit, tc.text)
			}
			var faults *diag.ListError
			if tc.kind == "definitions" && tc.req.Output == nil && !errors.As(err, &faults) {
				t.Errorf("the error %v has no diagnostics", err)
			}
		})
	}
}

// unpriced is a model whose price nobody knows.
type unpriced struct{ providers.Model }

func (unpriced) Capabilities() providers.Capabilities { return providers.Capabilities{} }

func TestCost(t *testing.T) {
	a := worker(t, script.Rule{Reply: say("dear")})
	a.Model = unpriced{a.Model}
	s := &scene{agents: []*agents.Agent{a}}
	res := mustDo(t, newRunner(t, s, nil), runner.Request{Input: "go"}, nil)
	raw, err := json.Marshal(res.Usage)
	if err != nil || !strings.Contains(string(raw), `"cost_usd":null,"cost_known":false`) {
		t.Errorf("usage of a model without price: %s, %v", raw, err)
	}
	res, err = newRunner(t, s, nil).Do(t.Context(), runner.Request{Input: "go", Budget: agents.Budget{Cost: 1}}, nil)
	if res.Kind != "definitions" || res.ExitCode != 3 || !strings.Contains(err.Error(), "E-BUDGET-PRICE") {
		t.Errorf("a budget over it: kind %q, exit %d, %v", res.Kind, res.ExitCode, err)
	}

	b := worker(t)
	b.Model = turner{turns: 20} // 1000 tokens in, 10 out, a dollar a million
	b.Tools = []tools.Toolset{tools.Fixed(tools.Func("read", "Reads.", func(_ context.Context, in readIn) (string, error) { return fmt.Sprint(in.N), nil }))}
	var warned []event.LimitWarning
	res, err = newRunner(t, &scene{agents: []*agents.Agent{b}}, nil).Do(t.Context(), runner.Request{Input: "go", Budget: agents.Budget{Cost: 0.0050}},
		&runner.RunOptions{Sink: func(e event.Event) {
			if w, ok := e.(*event.LimitWarning); ok {
				warned = append(warned, event.LimitWarning{Limit: w.Limit, Used: w.Used, Max: w.Max})
			}
		}})
	if res.Kind != "cost_limit" || res.ExitCode != 7 || res.Turns != 5 || err == nil {
		t.Errorf("kind %q, exit %d after %d turns, %v", res.Kind, res.ExitCode, res.Turns, err)
	}
	if len(warned) != 1 || warned[0].Limit != "cost" || warned[0].Used < 0.004 || warned[0].Max != 0.005 {
		t.Errorf("warnings: %+v", warned)
	}
}

// TestDepth builds a chain of agents each of which asks the next one: the ninth below the target is refused.
func TestDepth(t *testing.T) {
	s := &scene{}
	for n := range 11 {
		next := fmt.Sprintf("a%d", n+1)
		a := &agents.Agent{Name: fmt.Sprintf("a%d", n), Prompt: "You ask.", Model: scripted(t,
			script.Rule{When: []script.When{{Turn: "1", Offered: "ask"}}, Reply: use(call("ask", `{"message":"go"}`))},
			script.Rule{Reply: say(`{{ with .Results }}{{ (index . 0).Text }}{{ end }}`)},
		)}
		if n < 10 {
			a.Delegates = []agents.Delegate{{Agent: next, As: "ask"}}
		}
		s.agents = append(s.agents, a)
	}
	depth := 0
	res := mustDo(t, newRunner(t, s, nil), runner.Request{Input: "go"}, &runner.RunOptions{Sink: func(e event.Event) { depth = max(depth, e.Head().Depth) }})
	if depth != 8 || !strings.Contains(res.Text(), "9 agents are at work") {
		t.Errorf("depth %d, answer %q", depth, res.Text())
	}
}

func TestTerminated(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(runner.ErrTerminated)
	s := scenes(t)["answer"]
	res, err := newRunner(t, s, nil).Do(ctx, s.req, nil)
	if res.Kind != "cancelled" || res.ExitCode != 143 || !errors.Is(err, runner.ErrTerminated) {
		t.Errorf("kind %q, exit %d, %v", res.Kind, res.ExitCode, err)
	}
}

func TestPromptTemplate(t *testing.T) {
	a := worker(t, script.Rule{Reply: say(`{{ .System }}`)})
	a.Template = template.Must(template.New("").Parse(`{{ .Vars.a }} {{ .Vars.b }} {{ .Env.WHO }} {{ .Date }} {{ .Directory }}`))
	a.Vars, a.Directory = map[string]string{"a": "1", "b": "2"}, "sub"
	r := newRunner(t, &scene{agents: []*agents.Agent{a}}, &runner.Options{
		Environ: []string{"WHO=me", "broken"}, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	})
	res := mustDo(t, r, runner.Request{Input: "go", Vars: map[string]string{"b": "3"}}, nil)
	if want := "1 3 me 2026-01-02 /workspace/sub"; res.Text() != want {
		t.Errorf("prompt %q, want %q", res.Text(), want)
	}
}

// TestPromptThatCannotBeMade leaves nothing open, also where its end cannot be stored.
func TestPromptThatCannotBeMade(t *testing.T) {
	for _, kind := range []string{"io", "definitions"} {
		var open atomic.Int32
		a := worker(t, script.Rule{Reply: say("done")})
		a.Template = template.Must(template.New("").Option("missingkey=error").Parse(`{{ .Vars.missing }}`))
		a.Tools = append(a.Tools, counted{&open})
		o := &runner.Options{}
		if kind == "io" {
			o.Sessions = failing{session.NewDir(filepath.Join(t.TempDir(), "sessions")), 0}
		}
		res, err := newRunner(t, &scene{agents: []*agents.Agent{a}}, o).Do(t.Context(), runner.Request{Input: "go", Fork: true}, nil)
		if err == nil || res.Kind != kind {
			t.Errorf("kind %q, want %q: %v", res.Kind, kind, err)
		}
		if open.Load() != 0 {
			t.Errorf("%s: %d toolsets are open", kind, open.Load())
		}
	}
}

// TestPromptKeepsSecrets: a prompt goes to whoever runs the model, so variables that hold secrets are not in it.
func TestPromptKeepsSecrets(t *testing.T) {
	for _, line := range []string{"CANARY_API_KEY=abc", "github_token=abc", "PGPASSWORD=abc", "AWS_SECRET_ACCESS_KEY=abc", "HARMLESS=sk-ant-api03-0123456789abcdef0123456789"} {
		name, _, _ := strings.Cut(line, "=")
		a := worker(t, script.Rule{Reply: say(`{{ .System }}`)})
		a.Template = template.Must(template.New("").Option("missingkey=error").Parse(`{{ .Env.WHO }} {{ .Env.` + name + ` }}`))
		r := newRunner(t, &scene{agents: []*agents.Agent{a}}, &runner.Options{Environ: []string{"WHO=me", line}})
		if res, err := r.Do(t.Context(), runner.Request{Input: "go"}, nil); err == nil {
			t.Errorf("%s: the prompt is %q", name, res.Text())
		}
	}
}

func TestPromptIsBounded(t *testing.T) {
	a := worker(t, script.Rule{Reply: say("x")})
	a.Template = template.Must(template.New("").Parse(`{{ range 100000000 }}again and again {{ end }}`))
	r := newRunner(t, &scene{agents: []*agents.Agent{a}}, nil)
	if _, err := r.Do(t.Context(), runner.Request{Input: "go"}, nil); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %v", err)
	}
}

func TestOffer(t *testing.T) {
	a := worker(t, script.Rule{Reply: say("x")})
	a.Rules = tools.Rules{Grants: []tools.Rule{rule(t, "add"), rule(t, "refuses")}, Removed: []tools.Rule{rule(t, "refuses")}}
	a.Delegates = []agents.Delegate{{Agent: "helper"}, {Agent: "other"}}
	a.Rules.Deny = []tools.Rule{rule(t, "WorkWithOther")}
	helper, other := worker(t), worker(t)
	helper.Name, other.Name = "helper", "other"
	var open atomic.Int32
	a.Tools = append(a.Tools, counted{&open})
	g := (&scene{agents: []*agents.Agent{a, helper, other}}).graph(t)
	all, release, err := runner.Offer(t.Context(), g, a, tools.Roots{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range all {
		got = append(got, fmt.Sprintf("%s %s %s", o.Tool.Spec().Name, o.Offer.Effect, o.Source))
	}
	want := []string{
		"WorkWithHelper offered agent:helper", "WorkWithOther removed agent:other", "add offered ", "breaks not named ", "faulty not named ",
		"long not named ", "refuses removed ", "slow not named ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
	if open.Load() != 1 {
		t.Errorf("%d toolsets are open", open.Load())
	}
	release()
	a.Rules.Deny, a.Team = []tools.Rule{rule(t, "Agent(helper)")}, []string{"helper", "other"}
	all, release, err = runner.Offer(t.Context(), g, a, tools.Roots{})
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, o := range all[:3] {
		got = append(got, fmt.Sprintf("%s %s %v", o.Tool.Spec().Name, o.Offer.Effect, o.Tool.Spec().Agents))
	}
	if diff := cmp.Diff([]string{"Agent offered [other]", "WorkWithHelper removed [helper]", "WorkWithOther offered [other]"}, got); diff != "" {
		t.Errorf("offered where one agent is denied (-want +got):\n%s", diff)
	}
	release()
	if open.Load() != 0 {
		t.Errorf("%d toolsets are open after release", open.Load())
	}
}

// stuck is a toolset that does not open.
type stuck struct{}

func (stuck) Open(context.Context, tools.Roots) ([]tools.Tool, func(), error) {
	return nil, nil, errors.New("the server does not answer")
}

func TestToolsetThatDoesNotOpen(t *testing.T) {
	var open atomic.Int32
	a := worker(t, script.Rule{Reply: say("x")})
	a.Tools = []tools.Toolset{counted{&open}, stuck{}, counted{&open}}
	res, err := newRunner(t, &scene{agents: []*agents.Agent{a}}, nil).Do(t.Context(), runner.Request{Input: "go"}, nil)
	if res.Kind != "internal" || err == nil || !strings.Contains(err.Error(), "the server does not answer") {
		t.Errorf("kind %q, %v", res.Kind, err)
	}
	if open.Load() != 0 {
		t.Errorf("%d toolsets are left open", open.Load())
	}
}

// hasty is a model that breaks down.
type hasty struct{}

func (hasty) Name() string { return "test/hasty" }

func (hasty) Generate(context.Context, *providers.Request, func(providers.Delta) error) (*providers.Response, error) {
	panic("no time")
}

func TestModelThatBreaksDown(t *testing.T) {
	a := worker(t)
	a.Model = hasty{}
	res, err := newRunner(t, &scene{agents: []*agents.Agent{a}}, nil).Do(t.Context(), runner.Request{Input: "go"}, nil)
	if res.Kind != "internal" || res.ExitCode != 1 || err == nil || !strings.Contains(err.Error(), "no time") {
		t.Errorf("kind %q, exit %d, %v", res.Kind, res.ExitCode, err)
	}
}

// TestKeyThatIsLookedUpLate makes a secret known while the model is called, as a key is that is looked up at the first send.
func TestKeyThatIsLookedUpLate(t *testing.T) {
	const key = "key-of-the-late-hour"
	for _, streaming := range []bool{true, false} {
		a := worker(t, script.Rule{Reply: say("the key is " + key)})
		a.Streaming = streaming
		s := &scene{agents: []*agents.Agent{a}}
		a.Model = lateKey{a.Model, func() { s.secrets = []string{key} }}
		var out strings.Builder
		res := mustDo(t, newRunner(t, s, nil), runner.Request{Input: "go"}, &runner.RunOptions{Sink: func(e event.Event) {
			line, err := event.Append(nil, e, 1)
			if err != nil {
				t.Error(err)
			}
			out.Write(line)
		}})
		if strings.Contains(out.String(), key) || res.Text() != "the key is [redacted]" {
			t.Errorf("streaming %v: the answer is %q, the events are %s", streaming, res.Text(), out.String())
		}
	}
}

type lateKey struct {
	providers.Model
	look func()
}

func (l lateKey) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	l.look()
	return l.Model.Generate(ctx, req, emit)
}

// TestToolThatAsksTheModel lets a tool ask its agent's model, return a picture and touch the rules of a search.
func TestToolThatAsksTheModel(t *testing.T) {
	a := worker(t,
		script.Rule{When: []script.When{{System: "^You judge"}}, Reply: say("good: {{ .Prompt }}")},
		script.Rule{When: []script.When{{Turn: "1"}}, Reply: use(call("judge", `{}`))},
		script.Rule{Reply: say(`{{ (index .Results 0).Text }}`)},
	)
	a.Rules.Deny = []tools.Rule{rule(t, "Read(secret.txt)")}
	a.Tools = []tools.Toolset{tools.Fixed(bare{"judge", func(c *tools.Call) (tools.Result, error) {
		text, err := c.Model.Sample(t.Context(), "You judge.", "this")
		readable := fmt.Sprint(c.Readable("/workspace/a.txt"), c.Readable("/workspace/secret.txt"))
		return tools.Result{Content: text + " " + readable, Blobs: []tools.Blob{{MediaType: "image/png", Data: []byte{1}}}}, err
	}})}
	h, err := session.New(nil, session.Head{ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	res := mustDo(t, newRunner(t, &scene{agents: []*agents.Agent{a}}, nil), runner.Request{Input: "go"}, &runner.RunOptions{Session: h})
	if res.Text() != "good: this true false" {
		t.Errorf("answer %q", res.Text())
	}
	if res.Turns != 2 || res.Usage.Input != 300 {
		t.Errorf("%d turns, %d tokens in: the tool's call costs too, and is no turn", res.Turns, res.Usage.Input)
	}
	result := h.Take("worker", false).Messages[2].Parts[0].(providers.ToolResult)
	if diff := cmp.Diff([]providers.Blob{{MediaType: "image/png", Data: []byte{1}}}, result.Blobs); diff != "" {
		t.Errorf("pictures (-want +got):\n%s", diff)
	}
}

func TestModeOfTheRequest(t *testing.T) {
	s := scenes(t)["ask_nobody"]
	for mode, want := range map[tools.Mode]string{"": "Permission denied", tools.ModeBypass: "2"} {
		res := mustDo(t, newRunner(t, s, nil), runner.Request{Input: "go", Mode: mode}, nil)
		if !strings.Contains(res.Text(), want) {
			t.Errorf("mode %q: %q", mode, res.Text())
		}
	}
}

// TestPassForTheRun answers "this run": the person is asked in the first turn and not again.
func TestPassForTheRun(t *testing.T) {
	a := worker(t,
		script.Rule{When: []script.When{{Turn: "<=2"}}, Reply: use(call("add", `{"a":"{{ .Turn | raw }}","b":1}`))},
		script.Rule{Reply: say(`{{ range .AllResults }}{{ .Text }} {{ end }}`)},
	)
	a.Rules.Ask = []tools.Rule{rule(t, "add")}
	p := &person{answer: tools.ThisRun}
	res := mustDo(t, newRunner(t, &scene{agents: []*agents.Agent{a}}, nil), runner.Request{Input: "go"}, &runner.RunOptions{Ask: p})
	if res.Text() != "2 3 " || len(p.asked) != 1 {
		t.Errorf("answer %q, asked %d times: %+v", res.Text(), len(p.asked), p.asked)
	}
}

func TestInstructions(t *testing.T) {
	base := t.TempDir()
	dir, home := filepath.Join(base, "work"), filepath.Join(base, "home")
	for name, text := range map[string]string{
		"home/.claude/CLAUDE.md": "from home @more.md",
		"home/.claude/more.md":   "and more",
		"work/CLAUDE.md":         "root rules\n<!-- hidden\nalso hidden -->\n@docs/style.md and `@docs/code.md`\n```\n@docs/fence.md\n```\n@../secret.md @nowhere.md",
		"work/docs/style.md":     "style @deep1.md",
		"work/docs/deep1.md":     "one @deep2.md", "work/docs/deep2.md": "two @deep3.md", "work/docs/deep3.md": "three @deep4.md", "work/docs/deep4.md": "four",
		"work/docs/code.md": "WRONG", "work/docs/fence.md": "WRONG", "secret.md": "WRONG",
		"work/sub/.claude/CLAUDE.md": "sub rules", "work/sub/CLAUDE.local.md": "local rules", "work/sub/AGENTS.md": "agents rules",
		"work/below/AGENTS.md": "WRONG",
	} {
		file := filepath.Join(base, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		os.Symlink(filepath.Join(base, "secret.md"), filepath.Join(dir, "CLAUDE.local.md")), // leads outside
		os.Symlink("CLAUDE.md", filepath.Join(dir, "AGENTS.md")),                            // is there already
	); err != nil {
		t.Fatal(err)
	}
	a := worker(t, script.Rule{Reply: say(`{{ .System }}`)})
	a.Instructed, a.Directory = true, "sub"
	var warnings []string
	res := mustDo(t, newRunner(t, &scene{agents: []*agents.Agent{a}}, &runner.Options{Home: home}),
		runner.Request{Input: "go", Roots: tools.Roots{Workspace: dir}}, &runner.RunOptions{Sink: func(e event.Event) {
			if w, ok := e.(*event.Warning); ok {
				warnings = append(warnings, w.Message)
			}
		}})
	want := `You work.

# Instructions from .claude/CLAUDE.md

from home and more

# Instructions from CLAUDE.md

root rules
style one two three @deep4.md and ` + "`@docs/code.md`\n```\n@docs/fence.md\n```" + `
@../secret.md @nowhere.md

# Instructions from sub/.claude/CLAUDE.md

sub rules

# Instructions from sub/CLAUDE.local.md

local rules

# Instructions from sub/AGENTS.md

agents rules`
	if diff := cmp.Diff(want, res.Text()); diff != "" {
		t.Errorf("system text (-want +got):\n%s", diff)
	}
	wantWarnings := []string{"@deep4.md is not read: imports go 4 levels deep", "@../secret.md is not read: it lies outside the workspace", "CLAUDE.local.md is not read: path escapes from parent"}
	if diff := cmp.Diff(wantWarnings, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
