package faulttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

// PromptCanary belongs into the prompt of every test; no error, event or log may hold it.
const PromptCanary = "PROMPT-CANARY"

// htmlCanary is in every HTML body of a Server.
const htmlCanary = "HTML-CANARY"

// KeyCanary is a key for a candidate; none of its eight-character pieces may turn up anywhere but in a request header.
func KeyCanary(candidate string) string { return "sk-CANARY-" + candidate + "-0a1b2c3d4e5f6a7b8c9d" }

// Seen is an event and when it came.
type Seen struct {
	At time.Time
	providers.Event
}

// Record is what happens below model calls, and the state of the process before them.
type Record struct {
	mu         sync.Mutex
	events     []Seen
	goroutines int
}

// Watch begins a record of the calls under the context it returns. Servers and clients of the test exist already.
func Watch(ctx context.Context) (context.Context, *Record) {
	r := &Record{goroutines: runtime.NumGoroutine()}
	return providers.WithSink(ctx, func(ev providers.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, Seen{time.Now(), ev})
	}), r
}

// Events are those so far.
func (r *Record) Events() []Seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Of are the events of one type, in order.
func Of[E providers.Event](r *Record) []E {
	var out []E
	for _, s := range r.Events() {
		if e, ok := s.Event.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// Result is how one call ended.
type Result struct {
	Response *providers.Response
	Err      error
	Canaries []string // keys of the candidates
}

// Check makes the checks of every scenario: sends that were told are sends that arrived, nothing leaks, nothing comes
// late within quiet, no secret is in an error or event, and no success without a terminal marker. All calls are over.
func (r *Record) Check(t testing.TB, quiet time.Duration, results []Result, servers ...*Server) {
	t.Helper()
	r.checkSends(t, servers)
	r.checkEnds(t, len(results))
	for _, res := range results {
		r.checkSuccess(t, res, servers)
		for _, secret := range append(res.Canaries, PromptCanary, htmlCanary) {
			for form, text := range forms(res.Err) {
				checkText(t, "error as "+form, text, secret)
			}
			r.checkEvents(t, secret)
		}
	}
	r.checkLeaks(t, servers)
	r.checkQuiet(t, quiet, servers)
}

func sends(servers []*Server) int {
	n := 0
	for _, s := range servers {
		n += s.Sends()
	}
	return n
}

func (r *Record) checkSends(t testing.TB, servers []*Server) {
	t.Helper()
	if told, counted := len(Of[providers.AttemptStarted](r)), sends(servers); told != counted {
		t.Errorf("L0: %d attempt events, %d sends at the servers", told, counted)
	}
}

// checkEnds wants one call_end per call and nothing of the call after it.
func (r *Record) checkEnds(t testing.TB, calls int) {
	t.Helper()
	over := map[string]bool{}
	for _, s := range r.Events() {
		call := callOf(s.Event)
		if over[call] {
			t.Errorf("L0: %s after the end of call %q", s.Type(), call)
		}
		if _, ok := s.Event.(providers.CallEnd); ok {
			over[call] = true
		}
	}
	if len(over) != calls {
		t.Errorf("L0: %d calls ended with an event, not %d", len(over), calls)
	}
}

func callOf(ev providers.Event) string {
	b, err := json.Marshal(ev)
	if err != nil {
		return ""
	}
	var head struct{ Call string }
	if json.Unmarshal(b, &head) != nil {
		return ""
	}
	return head.Call
}

func (r *Record) checkSuccess(t testing.TB, res Result, servers []*Server) {
	t.Helper()
	switch {
	case res.Err == nil && (res.Response == nil || res.Response.Incomplete):
		t.Errorf("L0: success without a whole answer: %+v", res.Response)
	case res.Err != nil && res.Response != nil && !res.Response.Incomplete:
		t.Errorf("L0: a failure with an answer that is not marked incomplete: %v", res.Err)
	case res.Err == nil && !slices.ContainsFunc(servers, func(s *Server) bool {
		return slices.ContainsFunc(s.Requests(), func(q Request) bool { return q.Complete })
	}):
		t.Error("L0: success, but no server sent a terminal marker")
	}
}

// forms are all the ways in which an error can be written down, at each level of Unwrap.
func forms(err error) map[string]string {
	out := map[string]string{}
	for level := 0; err != nil; level++ {
		name := func(form string) string { return fmt.Sprintf("%s, level %d", form, level) }
		out[name("text")] = err.Error()
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			out[name(verb)] = fmt.Sprintf(verb, err)
		}
		if b, jsonErr := json.Marshal(err); jsonErr == nil {
			out[name("json")] = string(b)
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Error("x", "err", err)
		slog.New(slog.NewTextHandler(&log, nil)).Error("x", "err", err)
		out[name("slog")] = log.String()
		err = errors.Unwrap(err)
	}
	return out
}

// checkText looks for a secret and, of one that is a key, for any eight characters of it.
func checkText(t testing.TB, where, text, secret string) {
	t.Helper()
	if strings.Contains(text, secret) {
		t.Errorf("L0: %s holds %q", where, secret)
		return
	}
	if !strings.HasPrefix(secret, "sk-") {
		return
	}
	for i := 0; i+8 <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+8]) {
			t.Errorf("L0: %s holds %q of a key", where, secret[i:i+8])
			return
		}
	}
}

func (r *Record) checkEvents(t testing.TB, secret string) {
	t.Helper()
	for _, s := range r.Events() {
		b, err := json.Marshal(s.Event)
		if err != nil {
			t.Errorf("L0: event %s is no JSON: %v", s.Type(), err)
		}
		checkText(t, "event "+s.Type(), string(b), secret)
	}
}

// settle is how long what a call started may take to end.
const settle = time.Second

func (r *Record) checkLeaks(t testing.TB, servers []*Server) {
	t.Helper()
	idle(servers)
	busy := func() (n int) {
		for _, s := range servers {
			n += s.Busy()
		}
		return n
	}
	for end := time.Now().Add(settle); time.Now().Before(end); time.Sleep(settle / 100) {
		if runtime.NumGoroutine() <= r.goroutines+2 && busy() == 0 {
			return
		}
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("L0: %d goroutines, %d before; %d connections are busy\n%s", runtime.NumGoroutine(), r.goroutines, busy(), stacks[:runtime.Stack(stacks, true)])
}

func idle(servers []*Server) {
	for _, s := range servers {
		s.transport.CloseIdleConnections()
	}
}

func (r *Record) checkQuiet(t testing.TB, quiet time.Duration, servers []*Server) {
	t.Helper()
	events, arrived := len(r.Events()), sends(servers)
	time.Sleep(quiet)
	if now := len(r.Events()); now != events {
		t.Errorf("L0: %d events came late", now-events)
	}
	if now := sends(servers); now != arrived {
		t.Errorf("L0: %d requests came late", now-arrived)
	}
}

// HasKey reports whether a request carries a key, in any header.
func (q Request) HasKey(key string) bool {
	for _, values := range q.Header {
		for _, v := range values {
			if strings.Contains(v, key) {
				return true
			}
		}
	}
	return false
}
