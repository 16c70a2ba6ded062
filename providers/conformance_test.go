package providers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/anthropic"
	"github.com/swarmrun/swarmrun/providers/faulttest"
	"github.com/swarmrun/swarmrun/providers/openai"
	"github.com/swarmrun/swarmrun/runner/event"
)

// family is a real client with the framing that its provider speaks.
type family struct {
	provider string
	framing  faulttest.Framing
}

func (f family) String() string { return f.provider + " " + f.framing.String() }

// wires are one family of each framing; families are all that have a name.
func wires() []family {
	return []family{{"openai", faulttest.OpenAIChat}, {"openai", faulttest.OpenAIResponses}, {"anthropic", faulttest.Anthropic}}
}

func families() []family {
	all := wires()
	for _, e := range openai.Endpoints() {
		if e.Name != "openai" {
			all = append(all, family{e.Name, faulttest.OpenAIChat})
		}
	}
	return all
}

// client builds the real client of a candidate ("A", "B", …) on a server.
func (f family) client(t testing.TB, candidate string, s *faulttest.Server, transport http.RoundTripper) providers.Model {
	t.Helper()
	c := providers.Candidate{
		Label: candidate, Provider: f.provider, Model: "model-" + candidate, BaseURL: s.BaseURL(), Transport: transport,
		Key: func() (string, error) { return faulttest.KeyCanary(candidate), nil }, KeyID: candidate,
	}
	build := providers.Family(openai.New)
	switch f.framing {
	case faulttest.Anthropic:
		build = anthropic.New
	case faulttest.OpenAIResponses:
		c.APIVersion = "v1/responses"
	}
	m, err := build(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// scenario is a row of the conformance suite. Candidates are A, B, … in order; what is left out is the default of the
// specification: 4 attempts, deadline 90 s, idle 60 s, streaming.
type scenario struct {
	id      string
	scripts []string
	policy  func(*providers.Policy)
	request func(*providers.Request)
	unary   bool
	cancel  time.Duration // of the caller
	only    []family      // nil = wires

	sends    string // candidates in the order of their sends
	gaps     string // seconds between the sends, each a number or a range; "" = whatever
	took     string // seconds in all, likewise
	kind     providers.Kind
	exit     int
	status   int
	text     string // of the answer, partial ones too
	attempts string // "" = number of sends
	terminal bool
	events   string // "2 attempt_failed, 1 retry_wait": the named events and no others
	failed   string // kinds of the attempt_failed events
}

// outcome is what came of a scenario.
type outcome struct {
	record  *faulttest.Record
	servers []*faulttest.Server
	resp    *providers.Response
	err     *providers.Error
	took    time.Duration
}

// conform plays scenarios with each of their families.
func conform(t *testing.T, scenarios []scenario, further func(*testing.T, scenario, *outcome)) {
	t.Helper()
	for _, sc := range scenarios {
		only := sc.only
		if only == nil {
			only = wires()
		}
		for _, f := range only {
			t.Run(sc.id+"/"+f.String()+map[bool]string{true: " unary"}[sc.unary], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := sc.play(t, f)
					sc.check(t, o)
					if further != nil {
						further(t, sc, o)
					}
				})
			})
		}
	}
}

func name(i int) string { return string(rune('A' + i)) }

func calm() providers.Policy {
	p := providers.DefaultPolicy()
	p.Rand = func() float64 { return 0.5 }
	return p
}

func prompt() *providers.Request {
	return &providers.Request{
		System: "You are a test.", Messages: []providers.Message{providers.UserText("Do it. " + faulttest.PromptCanary)},
		Caller: providers.Caller{Agent: "tester", Turn: 1},
	}
}

// play makes the call and the checks that belong to every scenario.
func (sc scenario) play(t *testing.T, f family) *outcome {
	t.Helper()
	o := &outcome{}
	var clients []providers.Model
	var canaries []string
	for i, script := range sc.scripts {
		s := faulttest.Start(t, f.framing, script)
		o.servers = append(o.servers, s)
		clients = append(clients, f.client(t, name(i), s, s.Transport()))
		canaries = append(canaries, faulttest.KeyCanary(name(i)))
	}
	p := calm()
	if sc.policy != nil {
		sc.policy(&p)
	}
	o.call(t, sc, providers.Fallback(p, clients...))
	o.record.Check(t, 10*time.Second, []faulttest.Result{{Response: o.resp, Err: o.error(), Canaries: canaries}}, o.servers...)
	return o
}

func (o *outcome) call(t *testing.T, sc scenario, m providers.Model) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx, o.record = faulttest.Watch(ctx)
	if sc.cancel > 0 {
		timer := time.AfterFunc(sc.cancel, cancel)
		defer timer.Stop()
	}
	req := prompt()
	if sc.request != nil {
		sc.request(req)
	}
	var streamed string
	emit := func(d providers.Delta) error { streamed += d.Text; return nil }
	if sc.unary {
		emit = nil
	}
	start := time.Now()
	resp, err := m.Generate(ctx, req, emit)
	o.took, o.resp = time.Since(start), resp
	if err != nil && !errors.As(err, &o.err) {
		t.Errorf("the failure is no *Error: %v", err)
	}
	if o.resp != nil && emit != nil && streamed != o.resp.Message.Text() {
		t.Errorf("%q was streamed, the answer is %q", streamed, o.resp.Message.Text())
	}
	if o.resp == nil && streamed != "" {
		t.Errorf("%q was streamed, and there is no answer", streamed)
	}
}

// error is nil where there is none, whatever its type.
func (o *outcome) error() error {
	if o.err == nil {
		return nil
	}
	return o.err
}

func (sc scenario) check(t *testing.T, o *outcome) {
	t.Helper()
	sc.checkSends(t, o)
	sc.checkResult(t, o)
	sc.checkEvents(t, o)
	if !within(o.took.Seconds(), sc.took) {
		t.Errorf("took %v, want %s s", o.took, sc.took)
	}
}

// checkSends compares the order of the sends, their numbers at the servers and the time between them.
func (sc scenario) checkSends(t *testing.T, o *outcome) {
	t.Helper()
	order := ""
	var gaps []float64
	var last time.Time
	for _, s := range o.record.Events() {
		if a, ok := s.Event.(providers.AttemptStarted); ok {
			if order += a.Candidate; !last.IsZero() {
				gaps = append(gaps, s.At.Sub(last).Seconds())
			}
			last = s.At
		}
	}
	if order != sc.sends {
		t.Errorf("sends %q, want %q", order, sc.sends)
	}
	for i, s := range o.servers {
		if want := strings.Count(sc.sends, name(i)); s.Sends() != want {
			t.Errorf("%d sends reached %s, not %d", s.Sends(), name(i), want)
		}
		for _, q := range s.Requests() {
			for j := range o.servers {
				if q.HasKey(faulttest.KeyCanary(name(j))) != (i == j) {
					t.Errorf("a request to %s and the key of %s", name(i), name(j))
				}
			}
		}
	}
	if sc.gaps == "" {
		return
	}
	want := strings.Fields(sc.gaps)
	if len(want) != len(gaps) {
		t.Fatalf("gaps %v, want %v", gaps, want)
	}
	for i, w := range want {
		if !within(gaps[i], w) {
			t.Errorf("gap %d is %v s, want %s", i+1, gaps[i], w)
		}
	}
}

// within compares seconds with "a" or "a-b", to a millisecond; "" holds always.
func within(got float64, want string) bool {
	if want == "" {
		return true
	}
	low, high, isRange := strings.Cut(want, "-")
	if !isRange {
		high = low
	}
	a, errA := strconv.ParseFloat(low, 64)
	b, errB := strconv.ParseFloat(high, 64)
	return errors.Join(errA, errB) == nil && got >= a-0.001 && got <= b+0.001
}

func (sc scenario) checkResult(t *testing.T, o *outcome) {
	t.Helper()
	if got := providers.KindOf(o.error()); got != sc.kind {
		t.Fatalf("kind %q, want %q: %v", got, sc.kind, o.err)
	}
	if got := event.ExitCode(string(sc.kind)); got != sc.exit {
		t.Errorf("exit %d, want %d", got, sc.exit)
	}
	attempts := len(sc.sends)
	if sc.attempts != "" {
		attempts, _ = strconv.Atoi(sc.attempts)
	}
	text := ""
	if o.resp != nil {
		text = o.resp.Message.Text()
	}
	if text != sc.text {
		t.Errorf("text %q, want %q", text, sc.text)
	}
	if o.err == nil {
		last := sc.sends[len(sc.sends)-1:]
		if o.resp.Attempts != attempts || o.resp.Candidate != last || o.resp.Model == "" {
			t.Errorf("attempts %d of %s (%s), want %d of %s", o.resp.Attempts, o.resp.Candidate, o.resp.Model, attempts, last)
		}
		return
	}
	if o.err.Attempts != attempts || o.err.Status != sc.status && sc.status != 0 || sc.terminal && !o.err.Terminal {
		t.Errorf("attempts %d, status %d, terminal %v: want %d, %d, %v", o.err.Attempts, o.err.Status, o.err.Terminal, attempts, sc.status, sc.terminal)
	}
	if !errors.Is(o.err, sc.kind.Sentinel()) {
		t.Error("the sentinel is missing")
	}
}

// checkEvents counts what the specification names besides attempts and the end of the call.
func (sc scenario) checkEvents(t *testing.T, o *outcome) {
	t.Helper()
	got := map[string]int{}
	var kinds []string
	for _, s := range o.record.Events() {
		switch ev := s.Event.(type) {
		case providers.AttemptStarted:
		case providers.CallEnd:
			if ev.OK != (sc.kind == "") || ev.Kind != sc.kind {
				t.Errorf("the call ended with %+v", ev)
			}
		case providers.AttemptFailed:
			kinds = append(kinds, string(ev.Kind))
			got["attempt_failed"]++
		default:
			got[strings.TrimPrefix(s.Type(), "provider.")]++
		}
	}
	want := map[string]int{}
	for _, part := range strings.Split(sc.events, ", ") {
		if n, name, ok := strings.Cut(part, " "); ok {
			want[name], _ = strconv.Atoi(n)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events: %s", diff)
	}
	if failed := strings.Join(kinds, " "); sc.failed != "" && failed != sc.failed {
		t.Errorf("attempts failed with %q, want %q", failed, sc.failed)
	}
}

// TestConformWithin keeps the harness honest.
func TestConformWithin(t *testing.T) {
	for _, tt := range []struct {
		got  float64
		want string
		ok   bool
	}{{1.5, "1-2", true}, {2.1, "1-2", false}, {0, "0", true}, {0.5, "0", false}, {1, "x", false}, {7, "", true}, {math.Inf(1), "1-2", false}} {
		if within(tt.got, tt.want) != tt.ok {
			t.Errorf("%v in %q", tt.got, tt.want)
		}
	}
}

// both is every scenario as it is and unary.
func both(scenarios []scenario) []scenario {
	out := slices.Clone(scenarios)
	for _, sc := range scenarios {
		sc.unary = true
		out = append(out, sc)
	}
	return out
}

func times(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = format
	}
	return strings.Join(parts, " ")
}

func inAll(statuses []int, f func(status int) scenario) []scenario {
	var out []scenario
	for _, s := range statuses {
		sc := f(s)
		sc.id = fmt.Sprintf("%s %d", sc.id, s)
		out = append(out, sc)
	}
	return out
}
