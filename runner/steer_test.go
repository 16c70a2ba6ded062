package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// queued is a message that comes while a run works; the kind "interrupt" ends it.
type queued struct {
	after      time.Duration
	kind, text string
}

func (m queued) into(q *runner.Queue) {
	switch m.kind {
	case runner.Steering:
		_ = q.Steer(m.text)
	case runner.Following:
		_ = q.FollowUp(m.text)
	default:
		q.Interrupt()
	}
}

// slowly works in two turns of three seconds, then answers with what it was told.
func slowly(t *testing.T) *agents.Agent {
	return worker(t,
		script.Rule{When: []script.When{{Turn: "<3"}}, Reply: use(call("slow", `{"seconds":3}`), call("add", `{"a":1,"b":2}`))},
		script.Rule{Reply: say(`heard {{ .Prompt }}`)},
	)
}

// steered are the scenes with messages to an agent at work.
func steered(t *testing.T) map[string]*scene {
	steer := func(after int, text string) queued {
		return queued{time.Duration(after) * time.Second, runner.Steering, text}
	}
	all := slowly(t)
	all.Queue = agents.All
	dropped := slowly(t)
	dropped.Hooks = []hook.Entry{{Name: "h", On: []string{"before_ask"}, Hook: hook.Func(func(_ context.Context, in *hook.Input) hook.Result {
		switch {
		case in.Source != runner.Steering:
			return hook.Result{}
		case in.Prompt == "one":
			return hook.Result{Decision: hook.Halt, Message: "not this one"}
		}
		return hook.Result{Decision: hook.Replace, Value: "TWO", Context: []string{"It is Monday."}}
	})}}
	limited := slowly(t)
	limited.Limits.MaxTurns = 3
	return map[string]*scene{
		"steer_one":         {agents: []*agents.Agent{slowly(t)}, req: runner.Request{Input: "work"}, queued: []queued{steer(1, "one"), steer(2, "two")}},
		"steer_all":         {agents: []*agents.Agent{all}, req: runner.Request{Input: "work"}, queued: []queued{steer(1, "one"), steer(2, "two")}},
		"steer_hooks":       {agents: []*agents.Agent{dropped}, req: runner.Request{Input: "work"}, queued: []queued{steer(1, "one"), steer(2, "two")}},
		"steer_at_stop":     {agents: []*agents.Agent{slowly(t)}, req: runner.Request{Input: "work"}, queued: []queued{{time.Second, runner.Following, "and then?"}}},
		"steer_last_turn":   {agents: []*agents.Agent{limited}, req: runner.Request{Input: "work"}, queued: []queued{{time.Second, runner.Following, "and then?"}}},
		"steer_interrupted": {agents: []*agents.Agent{slowly(t)}, req: runner.Request{Input: "work"}, queued: []queued{steer(1, "one"), {2 * time.Second, "interrupt", ""}}, wantErr: "cancelled", cancel: time.Hour},
	}
}

func TestQueueBounds(t *testing.T) {
	q := runner.NewQueue("")
	for _, tc := range []struct {
		text string
		want error
	}{{" \n", runner.ErrQueuedEmpty}, {strings.Repeat("é", 16_001), runner.ErrQueuedLong}, {strings.Repeat("é", 16_000), nil}} {
		if err := q.Steer(tc.text); !errors.Is(err, tc.want) {
			t.Errorf("%d bytes: %v, want %v", len(tc.text), err, tc.want)
		}
	}
	for range 99 {
		if err := q.FollowUp("x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Steer("one more"); !errors.Is(err, runner.ErrQueueFull) {
		t.Errorf("the 101st message: %v", err)
	}
	if n := q.Clear(); n != 100 || len(q.Pending()) != 0 {
		t.Errorf("%d cleared, %d left", n, len(q.Pending()))
	}
	if q.Interrupt() {
		t.Error("something was interrupted")
	}
}

// TestQueueOutlivesRun: what an interrupted run did not deliver follows the prompt of the next.
func TestQueueOutlivesRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner(t, &scene{agents: []*agents.Agent{slowly(t)}}, nil)
		h, err := session.New(nil, session.Head{ID: "chat"})
		if err != nil {
			t.Fatal(err)
		}
		q := runner.NewQueue(agents.All)
		opts := &runner.RunOptions{Session: h, Queue: q}
		time.AfterFunc(time.Second, func() {
			_, _ = q.Steer("one"), q.FollowUp("last")
			if _, err := r.Do(t.Context(), runner.Request{Input: "beside it"}, &runner.RunOptions{Queue: q}); err == nil {
				t.Error("a second run took the queue")
			}
			q.Interrupt()
		})
		if _, err := r.Do(t.Context(), runner.Request{Input: "work"}, opts); !errors.Is(err, runner.ErrInterrupted) {
			t.Fatal(err)
		}
		want := []runner.Waiting{{Kind: runner.Steering, Text: "one"}, {Kind: runner.Following, Text: "last"}}
		if diff := cmp.Diff(want, q.Pending()); diff != "" {
			t.Fatalf("pending (-want +got):\n%s", diff)
		}
		if res := mustDo(t, r, runner.Request{Input: "go on"}, opts); res.Text() != "heard last" || len(q.Pending()) != 0 {
			t.Errorf("the next run says %q, %d wait", res.Text(), len(q.Pending()))
		}
		got := brief(h.Take("worker", false).Messages)
		if i := slices.Index(got, "user: go on"); i < 0 || got[i+1] != "user: one" {
			t.Errorf("conversation: %q", got)
		}
	})
}

// TestSteeringFromAListener queues from inside the loop over the events of the run: nobody waits for anybody.
func TestSteeringFromAListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := runner.NewQueue(agents.All)
		var got []string
		r := newRunner(t, &scene{agents: []*agents.Agent{slowly(t)}}, nil)
		for e, err := range r.Run(t.Context(), runner.Request{Input: "work"}, &runner.RunOptions{Queue: q}) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := e.(type) {
			case *event.ToolCall:
				for i := range 20 {
					if err := q.Steer(fmt.Sprint(e.Tool, i)); err != nil {
						t.Fatal(err)
					}
				}
			case *event.SteeringDelivered:
				got = append(got, fmt.Sprint(e.Kind, e.Count))
			}
		}
		if want := []string{"steer40", "steer40"}; !slices.Equal(got, want) {
			t.Errorf("delivered %v, want %v", got, want)
		}
	})
}

// TestQueueSideBySide is for the race detector.
func TestQueueSideBySide(t *testing.T) {
	q := runner.NewQueue("")
	a := worker(t, script.Rule{When: []script.When{{Turn: "<20"}}, Reply: use(call("add", `{"a":"{{ .Turn | raw }}","b":2}`))}, script.Rule{Reply: say("done")})
	r := newRunner(t, &scene{agents: []*agents.Agent{a}}, nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				_ = q.Steer("left")
				_ = q.FollowUp("then")
				q.Pending()
			}
			q.Clear()
			q.Interrupt()
		})
	}
	for range 5 {
		_, _ = r.Do(t.Context(), runner.Request{Input: "work"}, &runner.RunOptions{Queue: q})
	}
	all.Wait()
}
