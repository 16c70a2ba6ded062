package faulttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

// witness takes the complaints of a check instead of failing.
type witness struct {
	testing.TB
	complaints []string
}

func (w *witness) Helper() {}
func (w *witness) Error(args ...any) {
	w.complaints = append(w.complaints, fmt.Sprint(args...))
}
func (w *witness) Errorf(format string, args ...any) {
	w.complaints = append(w.complaints, fmt.Sprintf(format, args...))
}

// TestCheck plants one fault after the other into a call that is otherwise right.
func TestCheck(t *testing.T) {
	key := KeyCanary("A")
	whole := &providers.Response{}
	type scene struct {
		ctx    context.Context
		server *Server
		result Result
	}
	emit := providers.Emit
	tests := []struct {
		name, want string
		plant      func(*scene)
	}{
		{"nothing", "", func(*scene) {}},
		{"send without event", "1 attempt events, 2 sends", func(s *scene) { s.server.note(func() { s.server.dropped++ }) }},
		{"event without send", "2 attempt events, 1 sends", func(s *scene) { emit(s.ctx, providers.AttemptStarted{Call: "other"}) }},
		{"event after the end", "provider.retry_wait after the end", func(s *scene) { emit(s.ctx, providers.RetryWait{Call: "c1"}) }},
		{"two ends", "provider.call_end after the end", func(s *scene) { emit(s.ctx, providers.CallEnd{Call: "c1"}) }},
		{"an end too many", "2 calls ended", func(s *scene) { emit(s.ctx, providers.CallEnd{Call: "c2"}) }},
		{"key in the error", "error as text, level 0 holds", func(s *scene) { s.result = Result{Err: errors.New("said " + key)} }},
		{"piece of a key in a cause", "error as text, level 1 holds", func(s *scene) {
			s.result = Result{Err: hiding{errors.New("said " + key[20:])}}
		}},
		{"prompt in an event", "event provider.attempt_failed holds", func(s *scene) {
			emit(s.ctx, providers.AttemptFailed{Call: "other", Code: "x" + PromptCanary})
		}},
		{"HTML in the error", "holds \"HTML-CANARY\"", func(s *scene) { s.result = Result{Err: errors.New("<h1>" + htmlCanary)} }},
		{"half an answer", "success without a whole answer", func(s *scene) { s.result.Response = &providers.Response{Incomplete: true} }},
		{"no answer", "success without a whole answer", func(s *scene) { s.result.Response = nil }},
		{"failure with an answer", "not marked incomplete", func(s *scene) { s.result.Err = errors.New("x") }},
		{"no marker", "no server sent a terminal marker", func(s *scene) { s.server.requests[0].Complete = false }},
		{"goroutines", "goroutines", func(s *scene) {
			for range 3 {
				go func() { time.Sleep(5 * time.Second) }()
			}
		}},
		{"open connection", "1 connections are busy", func(s *scene) { s.server.note(func() { s.server.busy[nil] = true }) }},
		{"late event", "1 events came late", func(s *scene) {
			go func() { time.Sleep(5 * time.Second); emit(s.ctx, providers.RetryWait{Call: "c3"}) }()
		}},
		{"late request", "1 requests came late", func(s *scene) {
			go func() { time.Sleep(9 * time.Second); s.server.note(func() { s.server.dropped++ }) }()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scene{server: Start(t, OpenAIChat, `[ok]`)}
				var r *Record
				s.ctx, r = Watch(t.Context())
				emit(s.ctx, providers.AttemptStarted{Call: "c1"})
				if _, _, err := ask(s.ctx, t, s.server, true); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				emit(s.ctx, providers.CallEnd{Call: "c1", OK: true})
				s.result = Result{Response: whole}
				tt.plant(s)
				s.result.Canaries = []string{key}
				w := &witness{TB: t}
				r.Check(w, 10*time.Second, []Result{s.result}, s.server)
				switch got := strings.Join(w.complaints, "\n"); {
				case tt.want == "" && got != "":
					t.Errorf("complaints about a right call: %s", got)
				case !strings.Contains(got, tt.want):
					t.Errorf("want %q in %q", tt.want, got)
				}
			})
		})
	}
}

// hiding is an error whose text is clean and whose cause is not.
type hiding struct{ cause error }

func (h hiding) Error() string              { return "clean" }
func (h hiding) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("clean")) }
func (h hiding) Unwrap() error              { return h.cause }
