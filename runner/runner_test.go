package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

var update = flag.Bool("update", false, "write the golden files")

// scene is one run of a test.
type scene struct {
	agents   []*agents.Agent
	budget   agents.Budget
	secrets  []string
	commands *skills.Set
	models   func(string) (providers.Model, error)
	req      runner.Request
	ask      tools.Asker
	store    session.Store
	cancel   time.Duration // after so long; 0 = never
	wantErr  string        // kind
	queued   []queued      // while it works
}

func (s *scene) graph(t *testing.T) *agents.Graph {
	t.Helper()
	g, err := agents.New(agents.Spec{
		Name: "test", Root: "/workspace", Generation: 1, Agents: s.agents, Default: s.agents[0].Name, Budget: s.budget,
		Commands: s.commands, Models: s.models, Secrets: func() []string { return s.secrets },
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// play runs the scene and returns its events as lines, with the result as the last one. It must be called in a bubble.
func (s *scene) play(t *testing.T, steps func(*runner.Runner) runner.Steps) string {
	t.Helper()
	n := 0
	r := runner.New(agents.Static(s.graph(t)), &runner.Options{
		Sessions: s.store,
		NewID:    func() string { n++; return fmt.Sprintf("id-%d", n) },
	})
	var out bytes.Buffer
	w := event.NewWriter(&out)
	opts := &runner.RunOptions{Ask: s.ask, Sink: func(e event.Event) {
		if err := w.Write(e); err != nil {
			t.Error(err)
		}
	}}
	if steps != nil {
		opts.Steps = steps(r)
	}
	ctx := t.Context()
	if s.queued != nil {
		opts.Queue = runner.NewQueue("")
		for _, m := range s.queued {
			defer time.AfterFunc(m.after, func() { m.into(opts.Queue) }).Stop()
		}
	}
	if s.cancel > 0 {
		c, stop := context.WithCancel(ctx)
		time.AfterFunc(s.cancel, stop)
		ctx = c
	}
	res, err := r.Do(ctx, s.req, opts)
	if res.OK != (err == nil) || res.Kind != s.wantErr {
		t.Errorf("got ok %v, kind %q, error %v; want kind %q", res.OK, res.Kind, err, s.wantErr)
	}
	var failed *runner.RunError
	if err != nil && (!errors.As(err, &failed) || failed.Kind != res.Kind) {
		t.Errorf("error %v says something else than the result %q", err, res.Kind)
	}
	if err := w.Result(res); err != nil {
		t.Error(err)
	}
	return elsewhere.ReplaceAllString(out.String(), "$1 …")
}

// elsewhere is texts that other packages word.
var elsewhere = regexp.MustCompile(`(Permission denied:|does not fit its schema:)(?:[^"\\]|\\.)*`)

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".jsonl")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

func scripted(t *testing.T, rules ...script.Rule) providers.Model {
	t.Helper()
	for i := range rules {
		if rules[i].Reply.Usage == nil { // what a script estimates is its own affair
			rules[i].Reply.Usage = &providers.Usage{Input: 100, CachedInput: 60, Output: 10, Reasoning: 2}
		}
	}
	m, err := script.New("script/test", rules)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func worker(t *testing.T, rules ...script.Rule) *agents.Agent {
	t.Helper()
	return &agents.Agent{
		Name: "worker", Description: "Does the work.", Prompt: "You work.", Model: scripted(t, rules...),
		Rules: tools.Rules{All: true}, Tools: []tools.Toolset{toolbox()},
	}
}

func say(text string) script.Reply { return script.Reply{Text: text} }

func use(calls ...script.Call) script.Reply { return script.Reply{ToolCalls: calls} }

func call(name, input string) script.Call {
	return script.Call{Name: name, Input: json.RawMessage(input)}
}

type addIn struct {
	A int `json:"a"`
	B int `json:"b"`
}

type slowIn struct {
	Seconds int `json:"seconds"`
}

// toolbox is the tools of the tests.
func toolbox() tools.Toolset {
	return tools.Fixed(
		tools.Func("add", "Adds two numbers.", func(_ context.Context, in addIn) (string, error) {
			return fmt.Sprint(in.A + in.B), nil
		}),
		tools.Func("slow", "Takes some seconds.", func(ctx context.Context, in slowIn) (string, error) {
			select {
			case <-time.After(time.Duration(in.Seconds) * time.Second):
				return fmt.Sprint("after ", in.Seconds), nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}),
		bare{"breaks", func(*tools.Call) (tools.Result, error) { panic("a nail in the works") }},
		bare{"refuses", func(*tools.Call) (tools.Result, error) {
			return tools.Result{Content: "not today", IsError: true}, nil
		}},
		bare{"faulty", func(*tools.Call) (tools.Result, error) { return tools.Result{}, errors.New("out of order") }},
		bare{"long", func(*tools.Call) (tools.Result, error) {
			return tools.Result{Content: strings.Repeat("é", 100_001)}, nil
		}},
	)
}

// bare is a tool without input.
type bare struct {
	name string
	do   func(*tools.Call) (tools.Result, error)
}

func (b bare) Spec() tools.Spec {
	return tools.NewSpec(b.name, "For tests.", json.RawMessage(`{"type":"object"}`), false)
}

func (b bare) Call(_ context.Context, c *tools.Call) (tools.Result, error) { return b.do(c) }

// person answers every question alike.
type person struct {
	answer tools.Answer
	asked  []tools.Question
}

func (p *person) Ask(_ context.Context, q tools.Question) (tools.Answer, error) {
	p.asked = append(p.asked, q)
	return p.answer, nil
}

func rule(t *testing.T, text string) tools.Rule {
	t.Helper()
	r, err := tools.ParseRule(text, tools.Native, diag.At("swarmrun.yaml", 3, 9, len(text)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func scenes(t *testing.T) map[string]*scene {
	first := script.When{Turn: "1"}
	all := map[string]*scene{}

	a := worker(t, script.Rule{Reply: script.Reply{Thinking: "Let me see.", Text: "It is four."}})
	a.Streaming = true
	all["answer"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "two and two?"}}

	all["tools"] = &scene{agents: []*agents.Agent{worker(t,
		script.Rule{When: []script.When{first}, Reply: use(
			call("slow", `{"seconds":3}`), call("add", `{"a":1,"b":2}`), call("ad", `{}`), call("add", `{"a":"x"}`), call("breaks", `{}`), call("refuses", `{}`),
		)},
		script.Rule{Reply: say(`{{ range .Results }}{{ .Tool }}={{ .IsError }} {{ end }}`)},
	)}, req: runner.Request{Input: "work"}}

	a = worker(t,
		script.Rule{When: []script.When{first}, Reply: use(call("slow", `{"seconds":2}`), call("slow", `{"seconds":1}`), call("add", `{"a":1,"b":1}`))},
		script.Rule{Reply: say("done")},
	)
	a.Limits.MaxConcurrentTools = 1
	all["tools_one_by_one"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "work"}}

	all["tool_fault"] = &scene{agents: []*agents.Agent{worker(t, script.Rule{Reply: use(call("faulty", `{}`), call("add", `{"a":1,"b":1}`))})},
		req: runner.Request{Input: "work"}, wantErr: "internal"}

	a = worker(t, script.Rule{Reply: use(call("add", `{"a":"{{ .Turn | raw }}","b":1}`))})
	a.Limits.MaxTurns = 3
	all["turn_limit"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "work"}, wantErr: "turn_limit"}

	all["token_limit"] = &scene{
		agents: []*agents.Agent{worker(t, script.Rule{Reply: script.Reply{
			ToolCalls: []script.Call{call("add", `{"a":1,"b":1}`)}, Usage: &providers.Usage{Input: 40, Output: 5},
		}})},
		budget: agents.Budget{Tokens: 100}, req: runner.Request{Input: "work"}, wantErr: "token_limit",
	}

	all["loop_guard"] = &scene{agents: []*agents.Agent{worker(t, script.Rule{Reply: use(call("add", `{"a":1,"b":1}`))})},
		req: runner.Request{Input: "work"}, wantErr: "loop_guard"}

	a = worker(t, script.Rule{Reply: use(call("slow", `{"seconds":60}`))})
	a.Limits.Timeout = 10 * time.Second
	all["deadline"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "work"}, wantErr: "deadline"}

	all["cancelled_in_tool"] = &scene{agents: []*agents.Agent{worker(t, script.Rule{Reply: use(call("add", `{"a":1,"b":1}`), call("slow", `{"seconds":60}`))})},
		req: runner.Request{Input: "work"}, cancel: time.Second, wantErr: "cancelled"}

	a = worker(t, script.Rule{Reply: script.Reply{Text: "one two three four five", ChunkDelay: time.Second}})
	a.Streaming = true
	all["cancelled_in_answer"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "count"}, cancel: 2500 * time.Millisecond, wantErr: "cancelled"}

	all["provider_fails"] = &scene{agents: []*agents.Agent{worker(t, script.Rule{Reply: script.Reply{Error: &script.Failure{Kind: providers.KindQuota, Status: 402}}})},
		req: runner.Request{Input: "work"}, wantErr: "quota"}

	a = worker(t)
	a.Model = providers.Fallback(providers.DefaultPolicy(),
		scripted(t, script.Rule{Reply: script.Reply{Error: &script.Failure{Kind: providers.KindQuota, Status: 402}}}),
		priced{scripted(t, script.Rule{Reply: say("by the second one")})},
	)
	all["fallback"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "work"}}

	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	a = worker(t,
		script.Rule{When: []script.When{first}, Reply: say("```json\n{\"n\": \"four\"}\n```")},
		script.Rule{Reply: say("```json\n{\"n\": 4}\n```")},
	)
	a.Output = schema
	all["output_repaired"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "two and two?"}}

	a = worker(t, script.Rule{Reply: say("four")})
	a.Output = schema
	all["output_invalid"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "two and two?"}, wantErr: "output_invalid"}

	addOnce := []script.Rule{
		{When: []script.When{first}, Reply: use(call("add", `{"a":1,"b":1}`))},
		{Reply: say(`{{ (index .Results 0).Text }}`)},
	}
	a = worker(t, addOnce...)
	a.Rules.Ask = []tools.Rule{rule(t, "add")}
	all["ask_nobody"] = &scene{agents: []*agents.Agent{a}, req: runner.Request{Input: "work"}}
	all["ask_once"] = &scene{agents: []*agents.Agent{a}, ask: &person{answer: tools.Once}, req: runner.Request{Input: "work"}}
	all["ask_refused"] = &scene{agents: []*agents.Agent{a}, ask: &person{}, req: runner.Request{Input: "work"}}

	a = worker(t,
		script.Rule{When: []script.When{first}, Reply: use(script.Call{Name: "add", Input: json.RawMessage(`{"a":1,"b":1,"note":"open-sesame-42"}`)})},
		script.Rule{Reply: script.Reply{Text: "the word is open-sesame-42, they say"}},
	)
	a.Streaming = true
	all["redacted"] = &scene{agents: []*agents.Agent{a}, secrets: []string{"open-sesame-42"}, req: runner.Request{Input: "say open-sesame-42"}}

	maps.Copy(all, teams(t))
	maps.Copy(all, compactions(t))
	maps.Copy(all, disclosures(t))
	maps.Copy(all, hooked(t))
	maps.Copy(all, steered(t))
	return all
}

// priced is a model at a dollar a thousand tokens.
type priced struct{ providers.Model }

func (priced) Capabilities() providers.Capabilities {
	return providers.Capabilities{Price: &providers.Price{Input: 1000, Output: 1000, CachedInput: 1000, CacheWrite: 1000}}
}

// teams are the scenes with delegates.
func teams(t *testing.T) map[string]*scene {
	first := script.When{Turn: "1"}
	lead := func(reply script.Reply, delegates ...agents.Delegate) *agents.Agent {
		return &agents.Agent{Name: "lead", Prompt: "You lead.", Delegates: delegates, Model: scripted(t,
			script.Rule{When: []script.When{first}, Reply: reply},
			script.Rule{Reply: say(`{{ range .Results }}[{{ .Tool }} {{ .IsError }} {{ .Text }}]{{ end }}`)},
		)}
	}
	ask := call("WorkWithWorker", `{"message":"add 1 and 2"}`)
	adder := worker(t,
		script.Rule{When: []script.When{{Turn: "1", Prompt: "add"}}, Reply: use(call("add", `{"a":1,"b":2}`))},
		script.Rule{Reply: say(`{{ (index .Results 0).Text }}`)},
	)
	failing := worker(t, script.Rule{Reply: script.Reply{Error: &script.Failure{Kind: providers.KindOverloaded, Status: 529}}})

	heir := worker(t)
	heir.Model = nil
	parent := lead(use(ask), agents.Delegate{Agent: "worker"})
	parent.Model = scripted(t,
		script.Rule{When: []script.When{{Agent: "worker"}}, Reply: say("by the caller's model")},
		script.Rule{When: []script.When{first}, Reply: use(ask)},
		script.Rule{Reply: say(`{{ (index .Results 0).Text }}`)},
	)

	back := worker(t, script.Rule{When: []script.When{first}, Reply: use(call("WorkWithLead", `{"message":"you do it"}`))},
		script.Rule{Reply: say(`{{ (index .Results 0).Text }}`)})
	back.Delegates = []agents.Delegate{{Agent: "lead"}}

	boss := &agents.Agent{Name: "boss", Prompt: "You choose.", Team: []string{"worker", "lead"}, Rules: tools.Rules{Deny: []tools.Rule{rule(t, "Agent(prompt:lead)")}},
		Model: scripted(t,
			script.Rule{When: []script.When{first}, Reply: use(
				call("Agent", `{"subagent_type":"worker","prompt":"add","description":"add two numbers"}`),
				call("Agent", `{"subagent_type":"lead","prompt":"lead"}`), call("Agent", `{"subagent_type":"nobody","prompt":"x"}`),
			)},
			script.Rule{Reply: say(`{{ range .Results }}[{{ .IsError }} {{ .Text }}]{{ end }}`)},
		)}
	boss.Limits.MaxConcurrentTools = 1 // side by side, the order of events is not always the same
	spender := worker(t, script.Rule{Reply: script.Reply{Text: "spent", Usage: &providers.Usage{Input: 90, Output: 1}}})

	gated := lead(use(ask), agents.Delegate{Agent: "worker"})
	gated.Rules.Ask = []tools.Rule{rule(t, "Agent(worker)")}

	return map[string]*scene{
		"delegate_asked":   {agents: []*agents.Agent{gated, adder}, ask: &person{answer: tools.Once}, req: runner.Request{Input: "go"}},
		"delegate_refused": {agents: []*agents.Agent{gated, adder}, ask: &person{}, req: runner.Request{Input: "go"}},
		"delegate": {agents: []*agents.Agent{lead(use(ask), agents.Delegate{Agent: "worker", When: "numbers are to be added"}), adder},
			req: runner.Request{Input: "go"}},
		"delegate_fails":    {agents: []*agents.Agent{lead(use(ask), agents.Delegate{Agent: "worker"}), failing}, req: runner.Request{Input: "go"}},
		"delegate_inherits": {agents: []*agents.Agent{parent, heir}, req: runner.Request{Input: "go"}},
		"delegate_circular": {agents: []*agents.Agent{lead(use(ask), agents.Delegate{Agent: "worker"}), back}, req: runner.Request{Input: "go"}},
		"delegate_budget": {agents: []*agents.Agent{lead(use(ask), agents.Delegate{Agent: "worker"}), spender},
			budget: agents.Budget{Tokens: 90}, req: runner.Request{Input: "go"}, wantErr: "token_limit"},
		"team": {agents: []*agents.Agent{boss, adder, lead(say("led"))}, req: runner.Request{Input: "go"}},
	}
}

func TestEvents(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { golden(t, name, s.play(t, nil)) })
		})
	}
}

// tape is Steps that records, or replays what was recorded.
type tape struct {
	r       *runner.Runner
	records *sync.Map // run and step → JSON
	run     string
	replay  bool
	done    *int // steps that were really done
	mu      *sync.Mutex
}

func (p *tape) Go(ctx context.Context, name string, out any, do func(context.Context) error) func() error {
	key := p.run + " " + name
	if p.replay {
		raw, ok := p.records.Load(key)
		if !ok {
			return func() error { return fmt.Errorf("step %q was not recorded", key) }
		}
		return func() error { return json.Unmarshal(raw.([]byte), out) }
	}
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	return func() error {
		if err := <-done; err != nil {
			return err
		}
		p.mu.Lock()
		*p.done++
		p.mu.Unlock()
		raw, err := json.Marshal(out)
		if _, twice := p.records.Swap(key, raw); twice {
			return fmt.Errorf("two steps are named %q", key)
		}
		return err
	}
}

func (p *tape) Child(ctx context.Context, req runner.Request, w *runner.RunOptions) func() (*runner.Result, error) {
	child := *p
	child.run = req.ID
	opts := *w
	opts.Steps = &child
	done := make(chan *runner.Result, 1)
	go func() {
		res, _ := p.r.Do(ctx, req, &opts)
		done <- res
	}()
	return func() (*runner.Result, error) { return <-done, nil }
}

// TestStepsReplay plays each scene through Steps that record, then again from the records: no model and no tool is called,
// and what happens is the same, but for what was told from inside a step.
func TestStepsReplay(t *testing.T) {
	inside := []string{`"content_chunk"`, `"thinking_chunk"`, `"provider.`, `"permission_asked"`, `"hook_executed"`, `"steering_queued"`}
	for name, s := range scenes(t) {
		if s.cancel > 0 || s.wantErr == "deadline" || s.wantErr == "internal" {
			continue // what time did is not in the records; a fault of ours is not recorded
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var records sync.Map
				var done int
				var mu sync.Mutex
				steps := func(replay bool) func(*runner.Runner) runner.Steps {
					return func(r *runner.Runner) runner.Steps {
						return &tape{r: r, records: &records, run: "root", replay: replay, done: &done, mu: &mu}
					}
				}
				recorded := s.play(t, steps(false))
				if done == 0 {
					t.Fatal("no step was recorded")
				}
				done = 0
				replayed := s.play(t, steps(true))
				if diff := cmp.Diff(outside(recorded, inside), outside(replayed, inside)); diff != "" {
					t.Errorf("replayed differs (-recorded +replayed):\n%s", diff)
				}
				if done != 0 {
					t.Errorf("%d steps were done again", done)
				}
			})
		})
	}
}

// outside drops the lines of some types, and what differs by nature: times and numbers.
func outside(lines string, inside []string) []string {
	var kept []string
next:
	for line := range strings.Lines(lines) {
		for _, mark := range inside {
			if strings.HasPrefix(line, `{"type":`+mark) {
				continue next
			}
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			return []string{err.Error()}
		}
		forget(m)
		raw, err := json.Marshal(m)
		if err != nil {
			return []string{err.Error()}
		}
		kept = append(kept, string(raw))
	}
	return kept
}

func forget(m map[string]any) {
	for k, v := range m {
		switch v := v.(type) {
		case map[string]any:
			forget(v)
		default:
			if k == "time" || k == "seq" || k == "duration_ms" {
				delete(m, k)
			}
		}
	}
}
