package providers_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/faulttest"
)

// orphaned is a history whose second call has no result.
func orphaned(r *providers.Request) {
	r.Messages = append(r.Messages,
		providers.Message{Role: providers.Assistant, Parts: []providers.Part{
			providers.ToolCall{ID: "c1", Name: "rm", Args: json.RawMessage(`{"path":"/x"}`)}, providers.ToolCall{ID: "c2", Name: "ls", Args: json.RawMessage(`{}`)}}},
		providers.Message{Role: providers.Tool, Parts: []providers.Part{providers.ToolResult{CallID: "c2", Name: "ls", Content: "a"}}},
		providers.UserText("Go on."))
}

func TestConformOrphans(t *testing.T) {
	const repaired = "1 orphan_tool_calls_pruned, "
	conform(t, []scenario{
		{id: "F53 a", scripts: []string{`[400(orphan), ok"x"]`}, request: orphaned, sends: "AA", gaps: "0", attempts: "1", text: "x", events: repaired + "1 attempt_failed, 1 stream_committed"},
		{id: "F53 b", scripts: []string{`[400(orphan)*]`, `[ok]`}, request: orphaned, sends: "AA", gaps: "0", attempts: "1", kind: providers.KindOrphan, exit: 4, events: repaired + "2 attempt_failed"},
		{id: "F54", scripts: []string{`[400(orphan)*]`, `[ok]`}, sends: "A", kind: providers.KindOrphan, exit: 4, events: "1 attempt_failed"},
		{id: "P04", scripts: []string{`[503, 503, 503, 400(orphan), ok"x"]`}, request: orphaned, sends: "AAAAA", gaps: "1-2 2-3 4-5 0", attempts: "4", text: "x",
			events: repaired + "4 attempt_failed, 3 retry_wait, 1 stream_committed"},
		{id: "rounds go on", scripts: []string{`[400(orphan), 503*]`}, request: orphaned, sends: "AAAAA", gaps: "0 1-2 2-3 4-5", attempts: "4", kind: providers.KindServer, exit: 5,
			events: repaired + "5 attempt_failed, 3 retry_wait"},
		{id: "at the candidate that complains", scripts: []string{`[503]`, `[400(orphan), ok"x"]`}, request: orphaned, sends: "ABB", gaps: "0 0", attempts: "2", text: "x",
			events: repaired + "2 attempt_failed, 1 fallback, 1 stream_committed"},
	}, func(t *testing.T, sc scenario, o *outcome) {
		var ns []int
		for _, a := range faulttest.Of[providers.AttemptStarted](o.record) {
			if a.Resend {
				ns = append(ns, -a.N)
			} else {
				ns = append(ns, a.N)
			}
		}
		want := map[string][]int{"F53 a": {1, -1}, "F53 b": {1, -1}, "F54": {1}, "P04": {1, 2, 3, 4, -4}, "rounds go on": {1, -1, 2, 3, 4}, "at the candidate that complains": {1, 2, -2}}
		if diff := cmp.Diff(want[sc.id], ns); diff != "" {
			t.Errorf("numbers of the attempts, resends below zero: %s", diff)
		}
		for _, p := range faulttest.Of[providers.OrphansPruned](o.record) {
			if p.Count != 1 || !slices.Equal(p.Names, []string{"rm"}) {
				t.Errorf("event %+v", p)
			}
		}
	})
}

func TestConformToolCalls(t *testing.T) {
	noCalls := func(t *testing.T, _ scenario, o *outcome) {
		if o.resp != nil && len(o.resp.Message.ToolCalls()) > 0 {
			t.Errorf("a failed answer has calls: %+v", o.resp.Message)
		}
	}
	committed := "1 stream_committed, 1 attempt_failed"
	conform(t, []scenario{
		{id: "F51", scripts: []string{`[sse[c(0,c1,rm,'{"path":"/x')]FIN*]`, `[ok]`}, sends: "A", kind: providers.KindTruncated, exit: 5, events: committed},
		{id: "F51 length", scripts: []string{`[sse[c(0,c1,rm,'{"path":"/x') f(length) D]FIN*]`}, sends: "A", kind: providers.KindTruncated, exit: 5, events: committed},
		{id: "F51 finish", scripts: []string{`[sse[t"A" c(0,c1,rm,'{"path":"/x') f(tool_calls) D]FIN*]`}, sends: "A", kind: providers.KindContract, exit: 5, text: "A", events: committed},
		{id: "no object", scripts: []string{`[sse[c(0,c1,rm,'[1]') f(tool_calls) D]FIN*]`}, sends: "A", kind: providers.KindContract, exit: 5, events: committed},
		{id: "repeated key", scripts: []string{`[sse[c(0,c1,rm,'{"a":1,"a":2}') f(tool_calls) D]FIN*]`}, sends: "A", kind: providers.KindContract, exit: 5, events: committed},
		{id: "same id twice", scripts: []string{`[sse[c(0,c1,a,'{}') c(1,c1,b,'{}') f(tool_calls) D]FIN*]`}, sends: "A", kind: providers.KindContract, exit: 5, events: committed},
		{id: "no name", scripts: []string{`[sse[c(0,c1,,'{}') f(tool_calls) D]FIN*]`}, sends: "A", kind: providers.KindContract, exit: 5, events: committed},
	}, noCalls)
	conform(t, []scenario{
		{id: "promised and not there", only: []family{{"openai", faulttest.OpenAIChat}, {"anthropic", faulttest.Anthropic}},
			scripts: []string{`[sse[t"A" f(tool_calls) D]FIN*]`}, sends: "A", kind: providers.KindContract, exit: 5, text: "A", events: committed},
	}, noCalls)
	conform(t, both([]scenario{
		{id: "F52", scripts: []string{`[sse[c(0,c1,a,'{"x"') c(1,c2,b,'{"y"') c(0,,,':1}') c(1,,,':2}') f(tool_calls) D]FIN]`}, sends: "A"},
	})[1:], wholeCalls)
	conform(t, []scenario{
		{id: "F52", scripts: []string{`[sse[c(0,c1,a,'{"x"') c(1,c2,b,'{"y"') c(0,,,':1}') c(1,,,':2}') f(tool_calls) D]FIN]`}, sends: "A", events: "1 stream_committed"},
	}, wholeCalls)
}

func wholeCalls(t *testing.T, _ scenario, o *outcome) {
	want := []providers.ToolCall{{ID: "c1", Name: "a", Args: json.RawMessage(`{"x":1}`)}, {ID: "c2", Name: "b", Args: json.RawMessage(`{"y":2}`)}}
	if diff := cmp.Diff(want, o.resp.Message.ToolCalls()); diff != "" || o.resp.Finish != providers.FinishToolCalls {
		t.Errorf("finish %s: %s", o.resp.Finish, diff)
	}
}

func TestConformUsage(t *testing.T) {
	told := []family{{"openai", faulttest.OpenAIChat}, {"anthropic", faulttest.Anthropic}}
	conform(t, []scenario{
		{id: "F65 a", scripts: []string{`[503, sse[t"x" u(10,5) f D]]`}, sends: "AA", text: "x", events: "1 attempt_failed, 1 retry_wait, 1 stream_committed"},
		{id: "F65 b", only: told, scripts: []string{`[sse[t"A" u(10,1)]CUT]`}, sends: "A", kind: providers.KindTransport, exit: 5, text: "A", events: "1 stream_committed, 1 attempt_failed"},
		{id: "F65 c", scripts: []string{`[sse[u(3,1) t"x" u(10,5) f D]]`}, sends: "A", text: "x", events: "1 stream_committed"},
	}, func(t *testing.T, sc scenario, o *outcome) {
		want := providers.Usage{Input: 10, Output: 5}
		if sc.id == "F65 b" {
			want = providers.Usage{Input: 10, Output: 1, Partial: true}
		}
		if diff := cmp.Diff(want, o.resp.Usage); diff != "" {
			t.Error(diff)
		}
		for _, end := range faulttest.Of[providers.CallEnd](o.record) {
			if end.Usage == nil || end.Usage.Usage != want {
				t.Errorf("the call ended with usage %+v", end.Usage)
			}
		}
	})
}
