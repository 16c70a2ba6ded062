package providers_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

func TestScopeOptions(t *testing.T) {
	for _, o := range []providers.ScopeOptions{{}, {Deadline: -1}, {Deadline: 1, Attempts: -1}, {Deadline: 1, AnswerDeadline: -1}} {
		if _, _, err := providers.OpenScope(t.Context(), &o); !errors.Is(err, providers.ErrInvalidRequest) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestScopeDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			o    *providers.ScopeOptions
			want time.Duration
		}{{nil, 90 * time.Second}, {&providers.ScopeOptions{Deadline: time.Hour}, time.Hour}} {
			_, s, err := providers.OpenScope(t.Context(), tt.o)
			if err != nil || s.Remaining() != tt.want {
				t.Errorf("%v %v, want %v", s.Remaining(), err, tt.want)
			}
			s.Close()
		}
	})
}

func TestScopeNested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, s, _ := providers.OpenScope(t.Context(), &providers.ScopeOptions{Deadline: 5 * time.Second})
		inner, joined, err := providers.OpenScope(outer, &providers.ScopeOptions{Deadline: 600 * time.Second})
		if err != nil || joined.Remaining() != 5*time.Second {
			t.Fatalf("%v %v", joined.Remaining(), err)
		}
		joined.Close()
		if inner.Err() != nil {
			t.Error("closing a joined scope ends it")
		}
		child, own, err := providers.OpenScope(outer, &providers.ScopeOptions{Deadline: 600 * time.Second, Child: true})
		if err != nil || own.Attempts() != 0 || own.Remaining() != 600*time.Second {
			t.Fatalf("child %v %v", own.Remaining(), err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if child.Err() == nil || providers.KindOf(own.Check()) != providers.KindDeadline || providers.KindOf(s.Check()) != providers.KindDeadline {
			t.Errorf("child %v, outer %v", own.Check(), s.Check())
		}
		if _, _, err := providers.OpenScope(outer, nil); providers.KindOf(err) != providers.KindDeadline {
			t.Errorf("join after the deadline: %v", err)
		}
		own.Close()
		s.Close()
	})
}

func TestScopeOwnerCloseCancels(t *testing.T) {
	ctx, s, _ := providers.OpenScope(t.Context(), nil)
	s.Close()
	if ctx.Err() == nil || providers.KindOf(s.Check()) != providers.KindCancelled || t.Context().Err() != nil {
		t.Errorf("scope %v, caller %v", s.Check(), t.Context().Err())
	}
}

// The machine slept: the wall clock ran, the monotonic one did not.
func TestScopeWallJump(t *testing.T) {
	wall := time.Now()
	_, s, _ := providers.OpenScope(t.Context(), &providers.ScopeOptions{Deadline: time.Minute, Wall: func() time.Time { return wall }})
	defer s.Close()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	wall = wall.Add(time.Hour)
	if err := s.Check(); providers.KindOf(err) != providers.KindDeadline {
		t.Errorf("after the jump: %v", err)
	}
}

func TestWorkersShareTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		ctx, s, _ := providers.OpenScope(t.Context(), nil)
		m := providers.Retry(r.server("A", status(503)), exact())
		var workers sync.WaitGroup
		for range 3 {
			workers.Go(func() { _, _ = r.call(ctx, m, nil) })
		}
		workers.Wait()
		if len(r.log) != 4 || s.Attempts() != 4 || len(s.Log()) != 4 {
			t.Errorf("%v, %d attempts, log %v", r.log, s.Attempts(), s.Log())
		}
		if s.Check() != nil {
			t.Error("a call that ends cancels the scope that it joined")
		}
		s.Close()
	})
}

func TestCallerDeadlineWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := r.call(ctx, providers.Retry(r.server("A", stall), exact()), nil)
		if providers.KindOf(err) != providers.KindDeadline || time.Since(r.start) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(r.start))
		}
	})
}

func TestChildDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		req := &providers.Request{Messages: []providers.Message{providers.UserText("hi")}, Caller: providers.Caller{Depth: 1}}
		_, err := r.call(t.Context(), providers.Retry(r.server("A", stall), exact()), req)
		if providers.KindOf(err) != providers.KindDeadline || time.Since(r.start) != 180*time.Second {
			t.Errorf("%v after %v", err, time.Since(r.start))
		}
	})
}

func TestAbandonedCallEndsTheScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		ctx, s, _ := providers.OpenScope(t.Context(), nil)
		defer s.Close()
		_, err := providers.Retry(r.server("A", good()), exact()).Generate(ctx, &providers.Request{}, func(providers.Delta) error { return errors.New("gone") })
		if providers.KindOf(err) != providers.KindCancelled || providers.KindOf(s.Check()) != providers.KindCancelled {
			t.Errorf("%v, scope %v", err, s.Check())
		}
	})
}

// Text that is still queued when the call is cancelled is counted, not shown.
func TestLateOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		ctx, cancel := context.WithCancel(t.Context())
		shown := 0
		told := providers.WithSink(ctx, func(ev providers.Event) { r.events = append(r.events, ev) })
		_, err := providers.Retry(r.server("A", stream(text("A"), text("BB"), text("CCC"), stopped, marker)), exact()).
			Generate(told, &providers.Request{}, func(d providers.Delta) error {
				shown += len(d.Text)
				time.Sleep(time.Second)
				cancel()
				return nil
			})
		var late providers.LateOutputDropped
		for _, ev := range r.events {
			if l, ok := ev.(providers.LateOutputDropped); ok {
				late = l
			}
		}
		if !errors.Is(err, context.Canceled) || shown != 1 || late.Bytes != 5 {
			t.Errorf("%v, shown %d, late %+v", err, shown, late)
		}
		if _, ok := r.events[len(r.events)-1].(providers.CallEnd); !ok {
			t.Errorf("last event %T", r.events[len(r.events)-1])
		}
	})
}

type journal struct {
	started map[string]bool
	kept    []providers.Message
	err     error
}

func (j *journal) Started(id string) bool { return j.started[id] }
func (j *journal) Repaired(ms []providers.Message) error {
	j.kept = ms
	return j.err
}

func toolCall(id, name string) providers.ToolCall {
	return providers.ToolCall{ID: id, Name: name, Args: []byte(`{}`)}
}

func TestRepairOrphans(t *testing.T) {
	assistant := func(ps ...providers.Part) providers.Message {
		return providers.Message{Role: providers.Assistant, Parts: ps}
	}
	results := func(ps ...providers.Part) providers.Message {
		return providers.Message{Role: providers.Tool, Parts: ps}
	}
	res := func(id, content string) providers.ToolResult {
		return providers.ToolResult{CallID: id, Name: "n" + id, Content: content}
	}
	unknown := func(id string) providers.ToolResult {
		return providers.ToolResult{CallID: id, Name: "n" + id, Content: "result unknown; side effects possible", IsError: true}
	}
	user, say := providers.UserText("u"), providers.Text{Text: "t"}
	tests := []struct {
		name    string
		in      []providers.Message
		started map[string]bool
		want    []providers.Message
		count   int
	}{
		{"clean", []providers.Message{user, assistant(say, toolCall("1", "n1")), results(res("1", "r")), user}, nil, nil, 0},
		{"never started", []providers.Message{user, assistant(say, toolCall("1", "n1")), user}, nil, []providers.Message{user, assistant(say), user}, 1},
		{"never started, nothing else said", []providers.Message{user, assistant(toolCall("1", "n1"))}, nil, []providers.Message{user}, 1},
		{"started", []providers.Message{user, assistant(toolCall("1", "n1"))}, map[string]bool{"1": true}, []providers.Message{user, assistant(toolCall("1", "n1")), results(unknown("1"))}, 1},
		{"one of two", []providers.Message{user, assistant(toolCall("1", "n1"), toolCall("2", "n2")), results(res("2", "r"))}, nil, []providers.Message{user, assistant(toolCall("2", "n2")), results(res("2", "r"))}, 1},
		{"duplicate result", []providers.Message{user, assistant(toolCall("1", "n1")), results(res("1", "r"), res("1", "again"))}, nil, []providers.Message{user, assistant(toolCall("1", "n1")), results(res("1", "r"))}, 1},
		{"result without call", []providers.Message{results(res("9", "r")), user}, nil, []providers.Message{user}, 1},
		{"result of a later turn", []providers.Message{assistant(toolCall("1", "n1")), user, results(res("1", "r"))}, nil, []providers.Message{user}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := &providers.Request{Messages: tt.in, Journal: &journal{started: tt.started}}
			before := cmp.Diff(nil, tt.in)
			fixed, pruned := providers.RepairOrphans(req)
			if cmp.Diff(nil, tt.in) != before {
				t.Error("the request was changed")
			}
			if tt.count == 0 {
				if fixed != nil || pruned != nil {
					t.Errorf("repaired %+v", pruned)
				}
				return
			}
			got := fixed.Messages
			last := got[len(got)-1]
			note := last.Parts[len(last.Parts)-1].(providers.Text).Text
			if last.Role != providers.User || note == "" {
				t.Errorf("no reminder: %+v", last)
			}
			if got = got[:len(got)-1]; len(last.Parts) > 1 {
				got = append(got, providers.Message{Role: last.Role, Parts: last.Parts[:len(last.Parts)-1]})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || pruned.Count != tt.count || len(pruned.Names) != tt.count {
				t.Errorf("pruned %+v (-want +got):\n%s", pruned, diff)
			}
			if again, _ := providers.RepairOrphans(&providers.Request{Messages: fixed.Messages}); again != nil {
				t.Error("the repaired history needs repair")
			}
		})
	}
}

func TestOrphanResend(t *testing.T) {
	orphan := refusal(400, "x", "An assistant message with 'tool_calls' must be followed by tool messages")
	history := []providers.Message{providers.UserText("u"), {Role: providers.Assistant, Parts: []providers.Part{toolCall("1", "rm")}}}
	tests := []struct {
		name    string
		answers []answer
		history []providers.Message
		err     error
		want    []string
	}{
		{"repaired", []answer{orphan, good()}, history, nil, []string{"attempt 1 A", "failed 1 orphan_tool_calls", "pruned 1 [rm]", "attempt 1 A resend", "end true  1"}},
		{"refused again", []answer{orphan}, history, nil, []string{"attempt 1 A", "failed 1 orphan_tool_calls", "pruned 1 [rm]", "attempt 1 A resend", "failed 1 orphan_tool_calls", "end false orphan_tool_calls 1"}},
		{"nothing to repair", []answer{orphan}, history[:1], nil, []string{"attempt 1 A", "failed 1 orphan_tool_calls", "end false orphan_tool_calls 1"}},
		{"cannot be kept", []answer{orphan}, history, errors.New("disk full"), []string{"attempt 1 A", "failed 1 orphan_tool_calls", "pruned 1 [rm]", "end false orphan_tool_calls 1"}},
		{"after the budget", []answer{status(503), status(503), status(503), orphan, good()}, history, nil, []string{
			"attempt 1 A", "failed 1 server", "wait 1.0 backoff", "attempt 2 A", "failed 2 server", "wait 2.0 backoff", "attempt 3 A", "failed 3 server",
			"wait 4.0 backoff", "attempt 4 A", "failed 4 orphan_tool_calls", "pruned 1 [rm]", "attempt 4 A resend", "end true  4",
		}},
		{"then rounds go on", []answer{orphan, status(503)}, history, nil, []string{
			"attempt 1 A", "failed 1 orphan_tool_calls", "pruned 1 [rm]", "attempt 1 A resend", "failed 1 server", "wait 1.0 backoff", "attempt 2 A", "failed 2 server",
			"wait 2.0 backoff", "attempt 3 A", "failed 3 server", "wait 4.0 backoff", "attempt 4 A", "failed 4 server", "end false server 4",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				defer r.done()
				j := &journal{err: tt.err}
				_, err := r.call(t.Context(), providers.Retry(r.server("A", tt.answers...), exact()), &providers.Request{Messages: tt.history, Journal: j})
				if diff := cmp.Diff(tt.want, r.told()); diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
			})
		})
	}
}
