package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
)

func build(t *testing.T, rules ...script.Rule) providers.Model {
	t.Helper()
	m, err := script.New("script/test", rules)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// history is a review after its first turn: one call answered, one failed.
func history() *providers.Request {
	return &providers.Request{
		System: "You review Go code.",
		Messages: []providers.Message{
			providers.UserText("an older question"),
			{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: "an older answer"}}},
			providers.UserText("Review cart/total.go please."),
			{Role: providers.Assistant, Parts: []providers.Part{
				providers.Reasoning{Text: "I need the file."},
				providers.ToolCall{ID: "c1", Name: "Read", Args: json.RawMessage(`{"file_path":"cart/total.go","limit":20}`)},
				providers.ToolCall{ID: "c2", Name: "Bash", Args: json.RawMessage(`{"command":"go vet ./..."}`)},
			}},
			{Role: providers.Tool, Parts: []providers.Part{
				providers.ToolResult{CallID: "c1", Name: "Read", Content: "package cart\nreturn nil\n// return nil twice\n"},
				providers.ToolResult{CallID: "c2", Name: "Bash", Content: `{"findings":[{"line":7,"odd key":true},{"line":9}]}`, IsError: true},
			}},
		},
		Tools:  []providers.ToolSpec{{Name: "Read", Schema: json.RawMessage(`{}`)}, {Name: "Bash", Schema: json.RawMessage(`{}`)}},
		Caller: providers.Caller{Run: "r1", Agent: "reviewer", Turn: 2},
	}
}

func TestWhen(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		name string
		when []script.When
		want bool
	}{
		{"nothing", nil, true},
		{"agent", []script.When{{Agent: "reviewer"}}, true},
		{"other agent", []script.When{{Agent: "writer"}}, false},
		{"model", []script.When{{Model: "script/test"}}, true},
		{"model without prefix", []script.When{{Model: "test"}}, true},
		{"other model", []script.When{{Model: "est"}}, false},
		{"turn", []script.When{{Turn: "2"}}, true},
		{"other turn", []script.When{{Turn: "3"}}, false},
		{"turn from", []script.When{{Turn: ">=2"}}, true},
		{"turn after", []script.When{{Turn: ">2"}}, false},
		{"turn up to", []script.When{{Turn: "<= 2"}}, true},
		{"turn before", []script.When{{Turn: "<2"}}, false},
		{"turn between", []script.When{{Turn: "1..2"}}, true},
		{"turn not between", []script.When{{Turn: "3..4"}}, false},
		{"last prompt", []script.When{{Prompt: `\S+\.go`}}, true},
		{"not an older prompt", []script.When{{Prompt: "older"}}, false},
		{"system", []script.When{{System: "^You"}}, true},
		{"tool", []script.When{{Tool: "Bash"}}, true},
		{"no such result", []script.When{{Tool: "Write"}}, false},
		{"result", []script.When{{ToolResult: "return nil"}}, true},
		{"error", []script.When{{ToolError: &yes}}, true},
		{"no error", []script.When{{ToolError: &no}}, false},
		{"offered", []script.When{{Offered: "Read"}}, true},
		{"not offered", []script.When{{Offered: "Write"}}, false},
		{"not", []script.When{{Not: &script.When{Tool: "Write"}}}, true},
		{"not both", []script.When{{Not: &script.When{Agent: "reviewer", Turn: "1"}}}, true},
		{"not, but all hold", []script.When{{Not: &script.When{Agent: "reviewer", Turn: "2"}}}, false},
		{"all must hold", []script.When{{Agent: "reviewer", Turn: "1"}}, false},
		{"one of them", []script.When{{Turn: "1"}, {Agent: "reviewer"}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := build(t, script.Rule{Name: "tried", When: tt.when}, script.Rule{Name: "else"})
			got, err := m.Generate(t.Context(), history(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Rule == "tried") != tt.want {
				t.Errorf("rule %q answered", got.Rule)
			}
		})
	}
}

// TestResultsOfOlderTurnsAreOver has an answer after the results.
func TestResultsOfOlderTurnsAreOver(t *testing.T) {
	req := history()
	req.Messages = append(req.Messages,
		providers.Message{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: "Done."}}}, providers.UserText("And now?"))
	yes := true
	m := build(t,
		script.Rule{Name: "tool", When: []script.When{{Tool: "Read"}, {ToolError: &yes}, {ToolResult: "."}}},
		script.Rule{Name: "else", Reply: script.Reply{Text: "{{ len .Results }} of {{ len .AllResults }}"}})
	got, err := m.Generate(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rule != "else" || got.Message.Text() != "0 of 2" {
		t.Errorf("%s: %s", got.Rule, got.Message.Text())
	}
}

func TestTemplates(t *testing.T) {
	when := []script.When{{Prompt: `(?P<file>\S+\.go)( (?P<rest>\w+))?`, ToolResult: `return (?P<value>\w+)`}}
	tests := []struct{ name, in, want string }{
		{"plain", "no holes } here", "no holes } here"},
		{"prompt, system, agent, turn", "{{ .Prompt }}|{{ .System }}|{{ .Agent }}|{{ .Turn }}", "Review cart/total.go please.|You review Go code.|reviewer|2"},
		{"groups of all patterns", "{{ .Match.file }} {{ .Match.rest }} {{ .Match.value }}", "cart/total.go please nil"},
		{"specification's example", "{{ (index .Results 0).Input.file_path }}: {{ .Results | join | grep `return nil` | first }}", "cart/total.go: return nil"},
		{"result reads as text", "{{ index .Results 0 | lines | len }} {{ (index .Results 1).IsError }} {{ (index .Results 1).Tool }}", "3 true Bash"},
		{"join with", `{{ lines (index .Results 0) | join "; " }}`, "package cart; return nil; // return nil twice"},
		{"last line", "{{ last (index .Results 0).Text }}", "// return nil twice"},
		{"last of a list", "{{ (last .Results).Tool }}", "Bash"},
		{"first of nothing", "{{ with .Results | join | grep `absent` | first }}x{{ else }}none{{ end }}", "none"},
		{"trim", "[{{ trim \"  a \" }}]", "[a]"},
		{"replace", `{{ replace "cart/" "" .Match.file }}`, "total.go"},
		{"replace by groups", "{{ replace `(\\w+)/(\\w+)` `$2 of $1` .Match.file }}", "total of cart.go"},
		{"json number", "{{ json `$.findings[0].line` (index .Results 1) }}", "7"},
		{"json list", "{{ json `findings` (index .Results 1) }}", `[{"line":7,"odd key":true},{"line":9}]`},
		{"json odd key", "{{ json `$.findings[0][\"odd key\"]` (index .Results 1).Text }}", "true"},
		{"json goes on", "{{ range json `$.findings` (index .Results 1) }}{{ .line }};{{ end }}", "7;9;"},
		{"json of json", "{{ json `$.findings` (index .Results 1) | json `1.line` }}", "9"},
		{"quote", "{{ quote (first (lines (index .Results 1))) }}", `"{\"findings\":[{\"line\":7,\"odd key\":true},{\"line\":9}]}"`},
		{"input prints as written", "{{ (index .Results 0).Input }}", `{"file_path":"cart/total.go","limit":20}`},
		{"history", "{{ range .Messages }}{{ .Role }} {{ len .Calls }} {{ .Thinking }};{{ end }}", "user 0 ;assistant 0 ;user 0 ;assistant 2 I need the file.;tool 0 ;"},
		{"raw inside text", `{"n": {{ json "$.findings[1]" (index .Results 1) | raw }}}`, `{"n": {"line":9}}`},
		{"no html escapes", `{{ "a<b>&c" | quote }}`, `"a<b>&c"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := build(t, script.Rule{When: when, Reply: script.Reply{Text: tt.in, Thinking: tt.in}})
			got, err := m.Generate(t.Context(), history(), nil)
			if err != nil {
				t.Fatal(err, hint(err))
			}
			want := []providers.Part{providers.Reasoning{Text: tt.want}, providers.Text{Text: tt.want}}
			if diff := cmp.Diff(want, got.Message.Parts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTemplateFaults(t *testing.T) {
	for name, in := range map[string]string{
		"unknown group":     "{{ .Match.nobody }}",
		"unknown input":     "{{ (index .Results 0).Input.nobody }}",
		"index":             "{{ index .Results 9 }}",
		"no json":           "{{ json `$.a` (index .Results 0) }}",
		"no key":            "{{ json `$.a` (index .Results 1) }}",
		"no element":        "{{ json `$.findings[7]` (index .Results 1) }}",
		"key of a list":     "{{ json `$.findings.line` (index .Results 1) }}",
		"bad path":          "{{ json `$..a` (index .Results 1) }}",
		"bad pattern":       "{{ grep `(` .Prompt }}",
		"bad replacement":   "{{ replace `(` `` .Prompt }}",
		"raw of no json":    "{{ .Prompt | raw }}",
		"two values":        "{{ raw `1 2` }}",
		"endless":           "{{ range 100000000 }}{{ $.System }}{{ end }}",
		"join of too many":  "{{ join 1 2 3 }}",
		"path of no object": "{{ json `a.b` `{\"a\":1}` }}",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := build(t, script.Rule{Name: "r", Reply: script.Reply{Text: in}}).Generate(t.Context(), history(), nil)
			var e *providers.Error
			if !errors.As(err, &e) || e.Kind != providers.KindInvalidRequest || e.Code != script.CodeTemplate || !strings.Contains(e.Hint, "r of script/test: ") {
				t.Errorf("got %v, %q", err, hint(err))
			}
		})
	}
}

func TestToolCalls(t *testing.T) {
	input := `{"path": "{{ .Match.file }}", "line": "{{ json \"$.findings[0].line\" (index .Results 1) | raw }}", "n": "{{ \"42\" | raw }}",
		"deep": [{"all": " {{ json \"$.findings\" (index .Results 1) | raw }} "}, true, null, 1.50], "text": "x{{ \"1\" | raw }}", "same": "7"}`
	m := build(t, script.Rule{When: []script.When{{Prompt: `(?P<file>\S+\.go)`}}, Reply: script.Reply{
		ToolCalls: []script.Call{{Name: "Read", Input: json.RawMessage(input)}, {Name: "Clock", ID: "mine"}, {Name: "Glob", Input: json.RawMessage(`{}`)}},
	}})
	for range 2 { // the compiled form is shared: filling it must not change it
		got, err := m.Generate(t.Context(), history(), nil)
		if err != nil {
			t.Fatal(err, hint(err))
		}
		want := []providers.ToolCall{
			{ID: "call_3_1", Name: "Read", Args: json.RawMessage(`{"deep":[{"all":[{"line":7,"odd key":true},{"line":9}]},true,null,1.50],"line":7,"n":42,"path":"cart/total.go","same":"7","text":"x1"}`)},
			{ID: "mine", Name: "Clock", Args: json.RawMessage(`{}`)},
			{ID: "call_3_3", Name: "Glob", Args: json.RawMessage(`{}`)},
		}
		if diff := cmp.Diff(want, got.Message.ToolCalls()); diff != "" {
			t.Error(diff)
		}
		if got.Finish != providers.FinishToolCalls {
			t.Errorf("finish %q", got.Finish)
		}
	}
}

func TestNewFaults(t *testing.T) {
	_, err := script.New("script/test", []script.Rule{
		{Name: "broken", When: []script.When{{Prompt: "(", Turn: "soon"}, {Not: &script.When{System: "["}}}, Reply: script.Reply{Text: "{{ .Prompt", Thinking: "{{ nosuch }}"}},
		{Reply: script.Reply{ToolCalls: []script.Call{{Input: json.RawMessage(`[1]`)}, {Name: "a", Input: json.RawMessage(`{"x":["{{"]}`)}}}},
		{Times: -1, Reply: script.Reply{Finish: "maybe", Error: &script.Failure{Kind: "odd"}}},
		{Reply: script.Reply{Error: &script.Failure{Kind: "odd"}}},
		{Reply: script.Reply{Delay: -1}},
		{When: []script.When{{Turn: "4..2"}, {Turn: ">=1..2"}, {Turn: "<0"}, {Turn: "99999999999999999999"}}},
	})
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, want := range []string{
		"broken: when: ", `turn: "soon" is no turn`, "prompt_matches: error parsing regexp", "not: system_matches: ", "text:1: unclosed action", `function "nosuch" not defined`,
		"rule 2: reply: tool_calls[0].input is no JSON object", "tool_calls[0] has no name", "tool_calls[1].input.x[0]:1",
		"rule 3: times is -1", `finish "maybe"`, `rule 4: reply: error.kind "odd"`, "rule 5: reply: a delay is negative",
		`no turn is in "4..2"`, `">=1..2" is no turn`, `no turn is in "<0"`, "value out of range",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told in:\n%v", want, err)
		}
	}
}

func TestNoRule(t *testing.T) {
	yes := true
	m := build(t,
		script.Rule{Name: "first", When: []script.When{{Agent: "writer", Turn: ">=3"}}},
		script.Rule{When: []script.When{{Tool: "Write"}, {Prompt: "secret (words)", Not: &script.When{ToolError: &yes}}}},
		script.Rule{Name: "once", Times: 1},
	)
	if _, err := m.Generate(t.Context(), history(), nil); err != nil {
		t.Fatal(err)
	}
	_, err := m.Generate(t.Context(), history(), nil)
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	want := &providers.Error{Kind: providers.KindInvalidRequest, Code: script.CodeNoRule, Candidate: "script/test", Provider: "script", Model: "test",
		Hint: `no rule of script/test answers agent "reviewer" in turn 2
  first: agent is "reviewer", not "writer", turn is 2, not >=3
  rule 2: no result of Write since the last answer; or prompt_matches "secret (words)" does not fit the last user message, all conditions of not hold
  once: has answered 1 times in this run, as often as it may`}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	if !errors.Is(err, providers.ErrInvalidRequest) {
		t.Error("the sentinel is missing")
	}
	if _, err := build(t).Generate(t.Context(), history(), nil); !strings.Contains(hint(err), "it has no rules") {
		t.Errorf("got %q", hint(err))
	}
}

func TestTimes(t *testing.T) {
	m := build(t, script.Rule{Name: "twice", Times: 2}, script.Rule{Name: "else"})
	rule := func(run string) string {
		req := history()
		req.Caller.Run = run
		got, err := m.Generate(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got.Rule
	}
	got := []string{rule("a"), rule("a"), rule("b"), rule("a"), rule("b"), rule("b")}
	if diff := cmp.Diff([]string{"twice", "twice", "twice", "else", "twice", "else"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTimesSideBySide(t *testing.T) {
	m := build(t, script.Rule{Name: "some", Times: 10}, script.Rule{Name: "else"})
	var some atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			got, err := m.Generate(t.Context(), history(), nil)
			if err != nil {
				t.Error(err)
			} else if got.Rule == "some" {
				some.Add(1)
			}
		})
	}
	wg.Wait()
	if some.Load() != 10 {
		t.Errorf("answered %d times", some.Load())
	}
}

func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := build(t, script.Rule{Name: "slow", Reply: script.Reply{
			Text: "two  words\nand more", Thinking: "hm hm", Delay: time.Second, ChunkDelay: 100 * time.Millisecond,
			ToolCalls: []script.Call{{Name: "Clock"}}, Usage: &providers.Usage{Input: 3, Output: 4},
		}})
		start := time.Now()
		type piece struct {
			At time.Duration
			providers.Delta
		}
		var got []piece
		resp, err := m.Generate(t.Context(), history(), func(d providers.Delta) error {
			got = append(got, piece{time.Since(start), d})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ms := time.Millisecond
		want := []piece{
			{1000 * ms, providers.Delta{Reasoning: "hm "}}, {1100 * ms, providers.Delta{Reasoning: "hm"}}, {1200 * ms, providers.Delta{Text: "two  "}},
			{1300 * ms, providers.Delta{Text: "words\n"}}, {1400 * ms, providers.Delta{Text: "and "}}, {1500 * ms, providers.Delta{Text: "more"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		whole := &providers.Response{
			Message: providers.Message{Role: providers.Assistant, Parts: []providers.Part{
				providers.Reasoning{Text: "hm hm"}, providers.Text{Text: "two  words\nand more"},
				providers.ToolCall{ID: "call_3_1", Name: "Clock", Args: json.RawMessage(`{}`)},
			}},
			Finish: providers.FinishToolCalls, Usage: providers.Usage{Input: 3, Output: 4},
			Candidate: "script/test", Provider: "script", Model: "test", Rule: "slow",
		}
		if diff := cmp.Diff(whole, resp); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFailures(t *testing.T) {
	fail := func(kind providers.Kind, change func(*providers.Error)) *providers.Error {
		e := &providers.Error{Kind: kind, Candidate: "script/test", Provider: "script", Model: "test"}
		if change != nil {
			change(e)
		}
		return e
	}
	committed := func(e *providers.Error) { e.Committed, e.Terminal = true, true }
	call := []script.Call{{Name: "Clock"}}
	tests := []struct {
		name    string
		reply   script.Reply
		stream  bool
		err     *providers.Error
		partial string
	}{
		{name: "played", reply: script.Reply{Text: "abc", Error: &script.Failure{Kind: providers.KindRateLimit, Status: 429, Code: "slow_down", RetryAfter: 2 * time.Second}}, stream: true,
			err: fail(providers.KindRateLimit, func(e *providers.Error) {
				e.Status, e.Code, e.RetryAfter, e.HintSource = 429, "slow_down", 2*time.Second, "retry_after"
			})},
		{name: "after some characters", reply: script.Reply{Text: "grüße allen", Error: &script.Failure{Kind: providers.KindTransport, After: 7}}, stream: true,
			err: fail(providers.KindTransport, committed), partial: "grüße a"},
		{name: "after, unary", reply: script.Reply{Text: "hello", Error: &script.Failure{Kind: providers.KindTransport, After: 2}}, err: fail(providers.KindTransport, nil)},
		{name: "after more than there is", reply: script.Reply{Text: "hi", Error: &script.Failure{Kind: providers.KindServer, After: 9}}, stream: true,
			err: fail(providers.KindServer, committed), partial: "hi"},
		{name: "length", reply: script.Reply{Text: "half of", Finish: "length", ToolCalls: call}, stream: true, err: fail(providers.KindTruncated, committed), partial: "half of"},
		{name: "length, unary", reply: script.Reply{Text: "half of", Finish: "length"}, err: fail(providers.KindTruncated, nil), partial: "half of"},
		{name: "content filter", reply: script.Reply{Finish: "content_filter"}, err: fail(providers.KindContentFilter, nil)},
		{name: "calls promised", reply: script.Reply{Finish: "tool_calls"}, err: fail(providers.KindContract, nil)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var emit func(providers.Delta) error
			var streamed string
			if tt.stream {
				emit = func(d providers.Delta) error { streamed += d.Text; return nil }
			}
			resp, err := build(t, script.Rule{Reply: tt.reply}).Generate(t.Context(), history(), emit)
			var e *providers.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(tt.err, e); diff != "" {
				t.Error(diff)
			}
			if tt.partial == "" {
				if resp != nil || streamed != "" {
					t.Errorf("something was answered: %+v, %q", resp, streamed)
				}
				return
			}
			if resp == nil || !resp.Incomplete || !resp.Usage.Partial || resp.Message.Text() != tt.partial || len(resp.Message.ToolCalls()) > 0 {
				t.Errorf("partial answer: %+v", resp)
			}
			if tt.stream && streamed != tt.partial {
				t.Errorf("streamed %q", streamed)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	slow := script.Reply{Text: "one two three", Delay: time.Second, ChunkDelay: time.Hour}
	tests := []struct {
		name    string
		after   time.Duration
		timeout bool
		kind    providers.Kind
		partial string
	}{
		{"before it starts", 0, false, providers.KindCancelled, ""},
		{"in the delay", 300 * time.Millisecond, false, providers.KindCancelled, ""},
		{"between words", 2 * time.Second, false, providers.KindCancelled, "one "},
		{"deadline", 2 * time.Second, true, providers.KindDeadline, "one "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.timeout {
					ctx, cancel = context.WithTimeout(t.Context(), tt.after)
					defer cancel()
				} else {
					time.AfterFunc(tt.after, cancel)
					synctest.Wait()
				}
				start := time.Now()
				resp, err := build(t, script.Rule{Reply: slow}).Generate(ctx, history(), func(providers.Delta) error { return nil })
				if got := time.Since(start); got != tt.after {
					t.Errorf("ended after %v", got)
				}
				if providers.KindOf(err) != tt.kind {
					t.Errorf("got %v", err)
				}
				if (resp != nil) != (tt.partial != "") || resp != nil && (resp.Message.Text() != tt.partial || !resp.Incomplete) {
					t.Errorf("partial answer: %+v", resp)
				}
			})
		})
	}
}

// TestConsumerLeaves has an emit that fails at the second word.
func TestConsumerLeaves(t *testing.T) {
	n := 0
	resp, err := build(t, script.Rule{Reply: script.Reply{Text: "a b c"}}).Generate(t.Context(), history(), func(providers.Delta) error {
		if n++; n == 2 {
			return errors.New("gone")
		}
		return nil
	})
	if n != 2 || !errors.Is(err, context.Canceled) || resp == nil || !resp.Incomplete {
		t.Errorf("%d pieces, %+v, %v", n, resp, err)
	}
}

func TestUsageIsEstimated(t *testing.T) {
	m := build(t, script.Rule{Reply: script.Reply{Text: "12345678", Thinking: "1234"}})
	req := &providers.Request{System: "1234", Messages: []providers.Message{providers.UserText("12345")}}
	got, err := m.Generate(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(providers.Usage{Input: 2, Output: 3, Reasoning: 1}, got.Usage); diff != "" {
		t.Error(diff)
	}
	again, err := m.Generate(t.Context(), req, nil)
	if diff := cmp.Diff(got, again, cmpopts.EquateErrors()); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestInAChain has a rule that fails once in front of what repeats.
func TestInAChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := build(t,
			script.Rule{Name: "busy", Times: 1, Reply: script.Reply{Error: &script.Failure{Kind: providers.KindRateLimit, Status: 429, RetryAfter: 5 * time.Second}}},
			script.Rule{Name: "ready", Reply: script.Reply{Text: "done"}})
		p := providers.DefaultPolicy()
		p.Jitter = 0
		var events []string
		ctx := providers.WithSink(t.Context(), func(ev providers.Event) {
			switch ev := ev.(type) {
			case providers.RetryWait:
				events = append(events, fmt.Sprint(ev.Type(), " ", ev.MS, " ", ev.Source))
			case providers.CallEnd:
				events = append(events, fmt.Sprint(ev.Type(), " ", ev.Rule, " ", ev.Attempts, " ", *ev.Usage.CostUSD))
			default:
				events = append(events, ev.Type())
			}
		})
		start := time.Now()
		resp, err := providers.Retry(m, p).Generate(ctx, history(), func(providers.Delta) error { return nil })
		if err != nil || resp.Rule != "ready" || time.Since(start) != 5*time.Second {
			t.Errorf("%+v after %v, %v", resp, time.Since(start), err)
		}
		if diff := cmp.Diff([]string{"provider.retry_wait 5000 retry_after", "provider.call_end ready 0 0"}, events); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCapabilities(t *testing.T) {
	c, ok := build(t).(providers.Capable)
	if !ok || c.Capabilities().Price == nil || *c.Capabilities().Price != (providers.Price{}) {
		t.Error("a script costs nothing, and that is known")
	}
}

func hint(err error) string {
	var e *providers.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
