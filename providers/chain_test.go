package providers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/openai"
)

// rig is a bubble's world: servers that answer by script, real clients, the events of the calls and the times of requests.
type rig struct {
	t      *testing.T
	start  time.Time
	mu     sync.Mutex
	log    []string // "A 1.5s"
	events []providers.Event
	close  []func()
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, start: time.Now()}
	return r
}

// done ends the servers and connections, so that the bubble can end.
func (r *rig) done() {
	for _, f := range r.close {
		f()
	}
	synctest.Wait()
}

// answer plays one request.
type answer func(w http.ResponseWriter, r *http.Request)

func status(code int, headers ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error":{"message":"sk-CANARY in the body"}}`)
	}
}

func refusal(code int, word, message string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error":{"message":%q,"code":%q}}`, message, word)
	}
}

func stream(lines ...string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, l := range lines {
			if d, err := time.ParseDuration(l); err == nil {
				w.(http.Flusher).Flush()
				select {
				case <-time.After(d):
				case <-r.Context().Done():
					return
				}
				continue
			}
			io.WriteString(w, l+"\n\n")
		}
	}
}

func text(s string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + s + `"}}]}`
}

const (
	stopped  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	marker   = "data: [DONE]"
	usageOf  = `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}`
	overload = `data: {"error":{"type":"overloaded_error","message":"sk-CANARY"}}`
)

func good() answer { return stream(text("x"), stopped, usageOf, marker) }

func stall(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// server plays answers in turn, the last one again and again, and is a candidate of that name.
func (r *rig) server(name string, answers ...answer) providers.Model {
	ln := newPipeListener()
	n := 0
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		r.mu.Lock()
		a := answers[min(n, len(answers)-1)]
		n++
		r.log = append(r.log, fmt.Sprintf("%s %.1f", name, time.Since(r.start).Seconds()))
		r.mu.Unlock()
		a(w, req)
	})}
	tr := &http.Transport{DialContext: ln.dial}
	go srv.Serve(ln)
	r.close = append(r.close, func() { tr.CloseIdleConnections(); srv.Close() })
	m, err := openai.New(providers.Candidate{
		Label: name, Provider: "openai", Model: "m", BaseURL: "http://" + name + "/v1", Transport: tr, KeyID: "key-" + name,
		Key: func() (string, error) { return "sk-CANARY-" + name, nil },
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

func (r *rig) call(ctx context.Context, m providers.Model, req *providers.Request) (*providers.Response, error) {
	if req == nil {
		req = &providers.Request{Messages: []providers.Message{providers.UserText("PROMPT-CANARY")}}
	}
	ctx = providers.WithSink(ctx, func(ev providers.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, ev)
	})
	return m.Generate(ctx, req, func(providers.Delta) error { return nil })
}

// told is the events in short.
func (r *rig) told() []string {
	var out []string
	for _, ev := range r.events {
		switch ev := ev.(type) {
		case providers.AttemptStarted:
			s := fmt.Sprintf("attempt %d %s", ev.N, ev.Candidate)
			if ev.Resend {
				s += " resend"
			}
			out = append(out, s)
		case providers.AttemptFailed:
			out = append(out, fmt.Sprintf("failed %d %s", ev.N, ev.Kind))
		case providers.RetryWait:
			out = append(out, fmt.Sprintf("wait %.1f %s", float64(ev.MS)/1000, ev.Source))
		case providers.FellBack:
			out = append(out, fmt.Sprintf("fallback %s→%s %s", ev.From, ev.To, ev.Kind))
		case providers.Skipped:
			out = append(out, "skipped "+ev.Candidate)
		case providers.OrphansPruned:
			out = append(out, fmt.Sprintf("pruned %d %v", ev.Count, ev.Names))
		case providers.CallEnd:
			out = append(out, fmt.Sprintf("end %v %s %d", ev.OK, ev.Kind, ev.Attempts))
		}
	}
	return out
}

type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	a, b := net.Pipe()
	select {
	case l.conns <- b:
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// exact is the default policy without jitter.
func exact(change ...func(*providers.Policy)) providers.Policy {
	p := providers.DefaultPolicy()
	p.Jitter = 0
	for _, c := range change {
		c(&p)
	}
	return p
}

func TestRounds(t *testing.T) {
	five := status(503)
	tests := []struct {
		name    string
		policy  providers.Policy
		servers [][]answer
		want    []string // requests
		kind    providers.Kind
		elapsed float64
	}{
		{"one candidate", exact(), [][]answer{{five}}, []string{"A 0.0", "A 1.0", "A 3.0", "A 7.0"}, "server", 7},
		{"two", exact(), [][]answer{{five}, {five}}, []string{"A 0.0", "B 0.0", "A 1.0", "B 1.0"}, "server", 1},
		{"three", exact(), [][]answer{{five}, {five}, {five}}, []string{"A 0.0", "B 0.0", "C 0.0", "A 1.0"}, "server", 1},
		{"five", exact(), [][]answer{{five}, {five}, {five}, {five}, {five}}, []string{"A 0.0", "B 0.0", "C 0.0", "D 0.0"}, "server", 0},
		{"auth is dropped", exact(), [][]answer{{status(401)}, {five}}, []string{"A 0.0", "B 0.0", "B 1.0", "B 3.0"}, "server", 3},
		{"all refuse", exact(), [][]answer{{status(403)}, {status(402)}, {status(401)}}, []string{"A 0.0", "B 0.0", "C 0.0"}, "auth", 0},
		{"hint is a minimum", exact(), [][]answer{{status(429, "Retry-After", "12"), good()}}, []string{"A 0.0", "A 12.0"}, "", 12},
		{"hint below backoff", exact(), [][]answer{{status(429, "Retry-After", "0.5"), good()}}, []string{"A 0.0", "A 1.0"}, "", 1},
		{"largest hint of the round", exact(), [][]answer{{status(429, "Retry-After", "5")}, {status(503, "Retry-After", "9"), good()}}, []string{"A 0.0", "B 0.0", "A 9.0", "B 9.0"}, "", 9},
		{"hint beyond the deadline", exact(), [][]answer{{status(429, "Retry-After", "100")}}, []string{"A 0.0"}, "rate_limit", 0},
		{"hint beyond the deadline, another candidate", exact(), [][]answer{{status(429, "Retry-After", "100")}, {good()}}, []string{"A 0.0", "B 0.0"}, "", 0},
		{"wait that does not fit", exact(func(p *providers.Policy) { p.Deadline = 2500 * time.Millisecond }), [][]answer{{five}}, []string{"A 0.0", "A 1.0"}, "server", 1},
		{"bad request ends it", exact(), [][]answer{{status(400)}, {good()}}, []string{"A 0.0"}, "invalid_request", 0},
		{"content filter ends it", exact(), [][]answer{{refusal(400, "content_filter", "")}, {good()}}, []string{"A 0.0"}, "content_filter", 0},
		{"content filter advances if asked", exact(func(p *providers.Policy) { p.FallbackOn = []providers.Kind{providers.KindContentFilter} }), [][]answer{{refusal(400, "content_filter", "")}, {good()}}, []string{"A 0.0", "B 0.0"}, "", 0},
		{"stall", exact(), [][]answer{{stall}}, []string{"A 0.0"}, "deadline", 90},
		{"stall, then another", exact(), [][]answer{{stall}, {good()}}, []string{"A 0.0", "B 45.0"}, "", 45},
		{"attempt timeout", exact(func(p *providers.Policy) { p.Deadline, p.AttemptTimeout = 9*time.Second, 4*time.Second }), [][]answer{{stall}, {stall}}, []string{"A 0.0", "B 4.0"}, "timeout", 8},
		{"idle", exact(), [][]answer{{stream(text("A"), "1h")}, {good()}}, []string{"A 0.0"}, "timeout", 60},
		{"comments keep it alive", exact(), [][]answer{{stream(text("A"), ": k", "50s", ": k", "50s", stopped, marker)}}, []string{"A 0.0"}, "", 100},
		{"comments do not count when strict", exact(func(p *providers.Policy) { p.StrictIdle = true }), [][]answer{{stream(text("A"), "50s", ": k", "50s", stopped, marker)}}, []string{"A 0.0"}, "timeout", 60},
		{"comments do not commit", exact(), [][]answer{{stream(": k", "20s", ": k"), good()}}, []string{"A 0.0", "A 21.0"}, "", 21},
		{"long answer after commit", exact(), [][]answer{{stream(text("A"), "50s", text("B"), "50s", text("C"), "50s", stopped, marker)}}, []string{"A 0.0"}, "", 150},
		{"answer deadline", exact(func(p *providers.Policy) { p.AnswerDeadline, p.ChildDeadline = 100*time.Second, 100*time.Second }), [][]answer{{stream(text("A"), "50s", text("B"), "50s", text("C"), "50s", stopped, marker)}}, []string{"A 0.0"}, "deadline", 100},
		{"no replay after commit", exact(), [][]answer{{stream(text("A"))}, {good()}}, []string{"A 0.0"}, "truncated", 0},
		{"error in the stream before commit", exact(), [][]answer{{stream(overload), good()}}, []string{"A 0.0", "A 1.0"}, "", 1},
		{"error in the stream after commit", exact(), [][]answer{{stream(text("A"), overload)}, {good()}}, []string{"A 0.0"}, "overloaded", 0},
		{"preset", providers.SwarmSDKv2Policy(), [][]answer{{five}}, []string{"A 0.0", "A 10.0", "A 20.0", "A 30.0", "A 40.0", "A 50.0", "A 60.0", "A 70.0", "A 80.0", "A 90.0"}, "server", 90},
		{"backoff is capped, hints are not", exact(func(p *providers.Policy) { p.MaxWait = 2 * time.Second }), [][]answer{{five, five, five, good()}}, []string{"A 0.0", "A 1.0", "A 3.0", "A 5.0"}, "", 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				defer r.done()
				var ms []providers.Model
				for i, a := range tt.servers {
					ms = append(ms, r.server(string(rune('A'+i)), a...))
				}
				resp, err := r.call(t.Context(), providers.Fallback(tt.policy, ms...), nil)
				elapsed := time.Since(r.start).Seconds()
				if got := providers.KindOf(err); got != tt.kind {
					t.Fatalf("kind %q, want %q; %v", got, tt.kind, r.told())
				}
				if diff := cmp.Diff(tt.want, r.log); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
				if elapsed < tt.elapsed || elapsed > tt.elapsed+0.1 {
					t.Errorf("elapsed %.2f, want %.1f", elapsed, tt.elapsed)
				}
				if err == nil && resp.Attempts != len(tt.want) {
					t.Errorf("attempts %d", resp.Attempts)
				}
				checkError(t, err, len(tt.want))
				checkEvents(t, r)
			})
		})
	}
}

// checkError holds what is true of every error of a chain: nothing of the server or of the request in any form of it.
func checkError(t *testing.T, err error, sends int) {
	t.Helper()
	if err == nil {
		return
	}
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no *Error", err)
	}
	if e.Attempts != sends || e.Candidate == "" {
		t.Errorf("candidate %q, attempts %d", e.Candidate, e.Attempts)
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if s := fmt.Sprintf("%v %+v %#v %s %q", err, err, err, err, err); strings.Contains(s, "CANARY") {
			t.Errorf("leak: %s", s)
		}
	}
}

// checkEvents holds what is true of every call: an attempt event per request, one end, nothing after it.
func checkEvents(t *testing.T, r *rig) {
	t.Helper()
	attempts, ends := 0, 0
	for i, ev := range r.events {
		switch ev.(type) {
		case providers.AttemptStarted:
			attempts++
		case providers.CallEnd:
			ends++
			if i != len(r.events)-1 {
				t.Errorf("%v after the end", r.events[i+1:])
			}
		}
	}
	if attempts != len(r.log) || ends != 1 {
		t.Errorf("%d attempt events for %d requests, %d ends: %v", attempts, len(r.log), ends, r.told())
	}
	events, requests := len(r.events), len(r.log)
	time.Sleep(10 * time.Second)
	if len(r.events) != events || len(r.log) != requests {
		t.Errorf("late: %v %v", r.events[events:], r.log[requests:])
	}
}

func TestEventsOfARetriedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		a, b := r.server("A", status(503)), r.server("B", status(429, "Retry-After", "4"), good())
		resp, err := r.call(t.Context(), providers.Fallback(exact(), a, b), nil)
		if err != nil || resp.Candidate != "B" || resp.Attempts != 4 {
			t.Fatalf("%+v %v", resp, err)
		}
		want := []string{
			"attempt 1 A", "failed 1 server", "fallback A→B server", "attempt 2 B", "failed 2 rate_limit", "wait 4.0 retry_after",
			"fallback B→A rate_limit", "attempt 3 A", "failed 3 server", "fallback A→B server", "attempt 4 B", "end true  4",
		}
		if diff := cmp.Diff(want, r.told()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestJitter(t *testing.T) {
	for _, u := range []float64{0, 0.5, 0.999999} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			defer r.done()
			p := providers.DefaultPolicy()
			p.Rand = func() float64 { return u }
			if _, err := r.call(t.Context(), providers.Retry(r.server("A", status(503), good()), p), nil); err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(r.start).Seconds(), 1+u; got < want-0.001 || got > want+0.001 {
				t.Errorf("waited %v, want %v", got, want)
			}
		})
	}
}

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, cancel)
		_, err := r.call(ctx, providers.Retry(r.server("A", status(503)), exact()), nil)
		if !errors.Is(err, context.Canceled) || time.Since(r.start) != 500*time.Millisecond || len(r.log) != 1 {
			t.Errorf("%v after %v, %v", err, time.Since(r.start), r.log)
		}
		checkEvents(t, r)
	})
}

func TestCancelInTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		resp, err := r.call(ctx, providers.Retry(r.server("A", stream(text("A"), "1h")), exact()), nil)
		if !errors.Is(err, context.Canceled) || resp == nil || !resp.Incomplete || resp.Message.Text() != "A" {
			t.Errorf("%v %+v", err, resp)
		}
	})
}

func TestSameCredentialIsRefusedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		a, b := r.server("A", status(401)), r.server("A", good())
		_, err := r.call(t.Context(), providers.Fallback(exact(), a, b, r.server("C", good())), nil)
		if diff := cmp.Diff([]string{"A 0.0", "C 0.0"}, r.log); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	})
}

func TestNestedChainsAreFlattened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		inner := providers.Retry(r.server("A", status(503)), providers.SwarmSDKv2Policy())
		_, err := r.call(t.Context(), providers.Fallback(exact(), inner, r.server("B", status(503))), nil)
		if diff := cmp.Diff([]string{"A 0.0", "B 0.0", "A 1.0", "B 1.0"}, r.log); diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}

func TestInvalidPolicySendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		_, err := r.call(t.Context(), providers.Retry(r.server("A", good()), providers.Policy{}), nil)
		if !errors.Is(err, providers.ErrInvalidRequest) || len(r.log) != 0 {
			t.Errorf("%v %v", err, r.log)
		}
	})
}

// Calls that have sinks of their own still have names of their own.
func TestCallNames(t *testing.T) {
	ctx := providers.Numbered(t.Context())
	var names []string
	for range 3 {
		names = append(names, providers.NewCall(providers.WithSink(ctx, func(providers.Event) {})))
	}
	if diff := cmp.Diff([]string{"c1", "c2", "c3"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
