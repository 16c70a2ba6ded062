package runner_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// watchful is a model that looks at every conversation it is sent.
type watchful struct {
	providers.Model
	t *testing.T
}

func (s watchful) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	if err := unbroken(req.Messages); err != nil {
		s.t.Errorf("turn %d of %s: %v\n%q", req.Caller.Turn, req.Caller.Run, err, brief(req.Messages))
	}
	return s.Model.Generate(ctx, req, emit)
}

// unbroken says what is wrong with a conversation: a call without its result behind it, in order, or a result without its call.
func unbroken(ms []providers.Message) error {
	var open []providers.ToolCall
	for i, m := range ms {
		var results []providers.ToolResult
		for _, p := range m.Parts {
			if r, ok := p.(providers.ToolResult); ok {
				results = append(results, r)
			}
		}
		if len(results) != len(open) {
			return fmt.Errorf("message %d has %d results for %d calls", i, len(results), len(open))
		}
		for j, r := range results {
			if r.CallID != open[j].ID || r.Name != open[j].Name || r.Content == "" {
				return fmt.Errorf("message %d answers %s with %+v", i, open[j].ID, r)
			}
		}
		if len(m.Parts) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		open = m.ToolCalls()
	}
	if len(open) > 0 {
		return fmt.Errorf("%d calls at the end have no result", len(open))
	}
	return nil
}

// TestNoDanglingCall interrupts a run of two agents at each of its events and at many moments in between, and goes on in the
// same session, and in what was stored of it: no model is ever sent a call without a result.
func TestNoDanglingCall(t *testing.T) {
	for mode, step := range map[agents.QueueMode]int{agents.All: 1, agents.OneAtATime: 3} {
		for at := 1; ; at += step {
			told := 0
			synctest.Test(t, func(t *testing.T) {
				n := 0
				q := runner.NewQueue(mode)
				told = interruptOnce(t, q, func() {
					if n++; n == at {
						q.Interrupt()
					}
				}, func() {})
			})
			if t.Failed() {
				t.Fatalf("interrupted at event %d", at)
			}
			if at > told {
				if at < 40 {
					t.Fatalf("the whole run has %d events", told)
				}
				break
			}
		}
	}
	for at := time.Duration(0); at < 20*time.Second; at += 970 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			q := runner.NewQueue(agents.All)
			timer := time.AfterFunc(at, func() { q.Interrupt() })
			interruptOnce(t, q, func() {}, func() { timer.Stop() })
		})
		if t.Failed() {
			t.Fatalf("interrupted after %s", at)
		}
	}
}

// interruptOnce plays a run, then two more: one in the same session, one in what is read back of it.
func interruptOnce(t *testing.T, q *runner.Queue, hear, over func()) int {
	lead := &agents.Agent{Name: "lead", Prompt: "You lead.", Streaming: true, Delegates: []agents.Delegate{{Agent: "worker", Keep: true}}, Tools: slowly(t).Tools}
	lead.Rules.All = true
	lead.Model = watchful{scripted(t,
		script.Rule{When: []script.When{{Turn: "1"}}, Reply: script.Reply{Text: "I will ask.", ChunkDelay: time.Second / 2, ToolCalls: []script.Call{
			call("slow", `{"seconds":2}`), call("WorkWithWorker", `{"message":"work"}`), call("nothing", `{}`),
		}}},
		script.Rule{When: []script.When{{Turn: "2"}}, Reply: use(call("add", `{"a":1,"b":2}`))},
		script.Rule{Reply: script.Reply{Text: "That is all.", ChunkDelay: time.Second / 2}},
	), t}
	worker := slowly(t)
	worker.Model = watchful{worker.Model, t}
	d := session.NewDir(filepath.Join(t.TempDir(), "sessions"))
	ids := 0
	r := newRunner(t, &scene{agents: []*agents.Agent{lead, worker}}, &runner.Options{Sessions: d, NewID: func() string { ids++; return fmt.Sprint("id-", ids) }})
	h, err := session.New(d, session.Head{ID: "chat"})
	if err != nil {
		t.Fatal(err)
	}
	told, stops, interrupted := 0, 0, 0
	time.AfterFunc(3*time.Second, func() { _, _ = q.Steer("faster"), q.FollowUp("and then?") })
	res, err := r.Do(t.Context(), runner.Request{Input: "begin"}, &runner.RunOptions{Session: h, Queue: q, Sink: func(e event.Event) {
		told++
		switch e := e.(type) {
		case *event.RunStop:
			stops++
		case *event.AgentInterrupted:
			if e.Depth == 0 {
				interrupted++
			}
		}
		hear()
	}})
	over()
	cut := errors.Is(err, runner.ErrInterrupted)
	if err != nil && (!cut || res.Kind != event.KindCancelled || res.ExitCode != 130 || res.Output != nil || interrupted != 1) {
		t.Errorf("%+v, %v, told of %d interruptions", res, err, interrupted)
	}
	if stops != 1 && stops != 2 {
		t.Errorf("%d runs stopped", stops)
	}
	mustDo(t, r, runner.Request{Input: "go on"}, &runner.RunOptions{Session: h, Queue: q})
	inMemory := brief(h.Take("lead", false).Messages)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	stored, err := d.Read("chat")
	if err != nil {
		t.Fatal(err)
	}
	past := session.Replay(stored.Records)
	if len(past.Open) > 0 {
		t.Errorf("open calls on disk: %+v", past.Open)
	}
	if diff := cmp.Diff(inMemory, brief(past.Conversations["lead"])); diff != "" {
		t.Errorf("the conversation on disk (-memory +disk):\n%s", diff)
	}
	mustDo(t, r, runner.Request{Input: "and again", Session: "chat"}, nil)
	return told
}
