package providers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

func TestKindsAndSentinels(t *testing.T) {
	seen := map[error]providers.Kind{}
	for _, k := range providers.Kinds() {
		s := k.Sentinel()
		if other, ok := seen[s]; ok {
			t.Errorf("%s and %s share a sentinel", k, other)
		}
		seen[s] = k
		err := fmt.Errorf("outer: %w", &providers.Error{Kind: k})
		if !errors.Is(err, s) || providers.KindOf(err) != k {
			t.Errorf("%s: errors.Is or KindOf does not find it", k)
		}
		if k.Transient() && k.Advances() {
			t.Errorf("%s both repeats and advances", k)
		}
	}
	if !errors.Is(&providers.Error{Kind: providers.KindDeadline}, context.DeadlineExceeded) || !errors.Is(&providers.Error{Kind: providers.KindCancelled}, context.Canceled) {
		t.Error("deadline and cancelled are not the context's")
	}
	for err, want := range map[error]providers.Kind{nil: "", context.Canceled: "cancelled", context.DeadlineExceeded: "deadline", errors.New("x"): "unknown"} {
		if got := providers.KindOf(err); got != want {
			t.Errorf("KindOf(%v) = %s", err, got)
		}
	}
}

func TestErrorForms(t *testing.T) {
	e := &providers.Error{
		Kind: providers.KindRateLimit, Provider: "openai", Model: "m", Candidate: "first-choice", Status: 429, Code: "CODE-CANARY", Attempts: 2,
		Candidates: []providers.CandidateError{{Candidate: "first-choice", Kind: "rate_limit", Status: 429}},
	}
	const want = "provider first-choice: rate_limit (HTTP 429)"
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, e); got != want {
			t.Errorf("%s: %s", verb, got)
		}
	}
	for _, other := range []struct {
		e    providers.Error
		want string
	}{
		{providers.Error{Kind: providers.KindServer, Provider: "openai"}, "provider openai: server"},
		{providers.Error{Kind: providers.KindUnknown}, "provider call: unknown"},
	} {
		if got := other.e.Error(); got != other.want {
			t.Errorf("%q, want %q", got, other.want)
		}
	}
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Error("x", "err", e)
	const form = `{"kind":"rate_limit","message":"` + want + `","provider":"openai","model":"m","candidate":"first-choice","status":429,"attempts":2,"candidates":[{"candidate":"first-choice","kind":"rate_limit","status":429}]}`
	if string(raw) != form {
		t.Errorf("JSON %s", raw)
	}
	if strings.Contains(string(raw)+log.String(), "CANARY") {
		t.Errorf("the code leaks: %s %s", raw, log.String())
	}
}

func TestRetryable(t *testing.T) {
	for _, tt := range []struct {
		e    providers.Error
		want bool
	}{
		{providers.Error{Kind: providers.KindServer}, true},
		{providers.Error{Kind: providers.KindServer, Terminal: true}, false},
		{providers.Error{Kind: providers.KindServer, NoRepeat: true}, false},
		{providers.Error{Kind: providers.KindAuth}, false},
	} {
		if tt.e.Retryable() != tt.want {
			t.Errorf("%+v", tt.e.Kind)
		}
	}
}

func TestSafeCode(t *testing.T) {
	for in, want := range map[string]string{
		"insufficient_quota": "insufficient_quota", "a.b-c_9": "a.b-c_9", "": "", "429": "", "with blank": "", "sk-abc": "", "pk-abc": "", "x\n": "", "é": "",
		strings.Repeat("a", 80): strings.Repeat("a", 80), strings.Repeat("a", 81): "",
	} {
		if got := providers.SafeCode(in); got != want {
			t.Errorf("SafeCode(%q) = %q", in, got)
		}
	}
}

func TestMissingKeyNamesTheWayOut(t *testing.T) {
	e := providers.MissingKey("google", "GEMINI_API_KEY", "GOOGLE_API_KEY")
	if e.Kind != providers.KindAuth || !strings.Contains(e.Hint, "GEMINI_API_KEY or GOOGLE_API_KEY") || !strings.Contains(e.Hint, "swarmrun.yaml") {
		t.Errorf("%s", e.Hint)
	}
	if e := providers.MissingKey("mine"); !strings.Contains(e.Hint, "mine") {
		t.Errorf("%s", e.Hint)
	}
}

// The JSON of the events is that of the catalogue, field by field.
func TestEventForms(t *testing.T) {
	cost := 0.5
	tests := []struct {
		ev   providers.Event
		name string
		want string
	}{
		{providers.AttemptStarted{Call: "c1", N: 1, Candidate: "a/m", Provider: "a", Model: "m"}, "provider.attempt", `{"call":"c1","n":1,"candidate":"a/m","provider":"a","model":"m"}`},
		{providers.AttemptStarted{Call: "c1", N: 1, Resend: true, QueuedMS: 5}, "provider.attempt", `{"call":"c1","n":1,"candidate":"","provider":"","model":"","resend":true,"queued_ms":5}`},
		{providers.AttemptFailed{Call: "c1", N: 1, Candidate: "a/m", Kind: "server", Status: 503, Code: "x", RetryAfterMS: 7}, "provider.attempt_failed", `{"call":"c1","n":1,"candidate":"a/m","kind":"server","status":503,"code":"x","retry_after_ms":7,"committed":false}`},
		{providers.RetryWait{Call: "c1", Round: 1, MS: 1500, Source: "backoff", Kind: "server", N: 2, Of: 4}, "provider.retry_wait", `{"call":"c1","round":1,"ms":1500,"source":"backoff","kind":"server","n":2,"of":4}`},
		{providers.FellBack{Call: "c1", From: "a", To: "b", Kind: "quota"}, "provider.fallback", `{"call":"c1","from":"a","to":"b","kind":"quota"}`},
		{providers.StreamCommitted{Call: "c1", N: 1}, "provider.stream_committed", `{"call":"c1","n":1}`},
		{providers.Skipped{Call: "c1", Candidate: "a", Reason: "open"}, "provider.skipped", `{"call":"c1","candidate":"a","reason":"open"}`},
		{providers.LateOutputDropped{Call: "c1", Bytes: 3}, "provider.late_output_dropped", `{"call":"c1","bytes":3}`},
		{providers.OrphansPruned{Call: "c1", Count: 1, Names: []string{"rm"}}, "orphan_tool_calls_pruned", `{"call":"c1","count":1,"names":["rm"]}`},
		{providers.CallEnd{Call: "c1", Kind: "server", Attempts: 4, Candidate: "a", DurationMS: 9}, "provider.call_end", `{"call":"c1","ok":false,"kind":"server","attempts":4,"candidate":"a","duration_ms":9}`},
		{providers.CallEnd{Call: "c1", OK: true, Replayed: true, Rule: "r", Usage: &providers.PricedUsage{Usage: providers.Usage{Input: 1, Partial: true}, CostUSD: &cost, CostKnown: true}}, "provider.call_end",
			`{"call":"c1","ok":true,"attempts":0,"candidate":"","usage":{"input_tokens":1,"cached_tokens":0,"cache_creation_tokens":0,"output_tokens":0,"reasoning_tokens":0,"partial":true,"cost_usd":0.5,"cost_known":true},"duration_ms":0,"replayed":true,"rule":"r"}`},
	}
	for _, tt := range tests {
		raw, err := json.Marshal(tt.ev)
		if err != nil || tt.ev.Type() != tt.name || string(raw) != tt.want {
			t.Errorf("%s %v\n got %s\nwant %s", tt.ev.Type(), err, raw, tt.want)
		}
	}
}

func TestUsagePriced(t *testing.T) {
	u := providers.Usage{Input: 1e6, CachedInput: 5e5, Output: 1e6}
	if p := u.Priced(nil); p.CostKnown || p.CostUSD != nil {
		t.Errorf("%+v", p)
	}
	if p := u.Priced(&providers.Price{Input: 2, CachedInput: 1, Output: 10}); !p.CostKnown || *p.CostUSD != 11.5 {
		t.Errorf("%v", *p.CostUSD)
	}
}

type modelOf struct {
	name string
	caps providers.Capabilities
	fail []error
	n    int
}

func (m *modelOf) Name() string                         { return m.name }
func (m *modelOf) Capabilities() providers.Capabilities { return m.caps }
func (m *modelOf) Generate(_ context.Context, _ *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	m.n++
	if m.n <= len(m.fail) {
		return nil, m.fail[m.n-1]
	}
	if emit != nil {
		if err := emit(providers.Delta{Text: "x"}); err != nil {
			return nil, err
		}
	}
	return &providers.Response{Message: providers.Message{Role: providers.Assistant, Parts: []providers.Part{providers.Text{Text: "x"}}}, Rule: "r1"}, nil
}

func TestChainCapabilities(t *testing.T) {
	price := &providers.Price{Input: 1}
	a := &modelOf{name: "a", caps: providers.Capabilities{ContextWindow: 100, MaxOutput: 0, Images: true, Thinking: true, Price: price}}
	b := &modelOf{name: "b", caps: providers.Capabilities{ContextWindow: 50, MaxOutput: 10, Images: true, Price: &providers.Price{Input: 1}}}
	got := providers.Fallback(providers.DefaultPolicy(), a, b).(providers.Capable).Capabilities()
	want := providers.Capabilities{ContextWindow: 50, MaxOutput: 10, Images: true, Price: price}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A model that sends nothing, such as a script, counts no attempts, but its failures are bounded like sends.
func TestModelsWithoutSends(t *testing.T) {
	p := providers.DefaultPolicy()
	p.Base, p.Jitter = 0, 0
	bad := &providers.Error{Kind: providers.KindServer}
	var last providers.CallEnd
	ctx := providers.WithSink(t.Context(), func(ev providers.Event) { last, _ = ev.(providers.CallEnd) })
	m := &modelOf{name: "script/a", fail: []error{bad, bad}}
	resp, err := providers.Retry(m, p).Generate(ctx, &providers.Request{}, nil)
	if err != nil || resp.Attempts != 0 || m.n != 3 || last.Rule != "r1" || last.Candidate != "script/a" {
		t.Errorf("%v, asked %d, end %+v", err, m.n, last)
	}
	m = &modelOf{name: "script/a", fail: []error{bad, bad, bad, bad, bad, bad}}
	if _, err := providers.Retry(m, p).Generate(ctx, &providers.Request{}, nil); providers.KindOf(err) != providers.KindServer || m.n != 4 {
		t.Errorf("%v, asked %d", err, m.n)
	}
	plain := &modelOf{name: "a", fail: []error{errors.New("sk-CANARY")}}
	if _, err := providers.Retry(plain, p).Generate(ctx, &providers.Request{}, nil); providers.KindOf(err) != providers.KindUnknown || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("%v", err)
	}
}

func TestPolicyValidate(t *testing.T) {
	for _, change := range []func(*providers.Policy){
		func(p *providers.Policy) { p.Attempts = 0 }, func(p *providers.Policy) { p.Attempts = 21 }, func(p *providers.Policy) { p.Deadline = 0 },
		func(p *providers.Policy) { p.AnswerDeadline = time.Second }, func(p *providers.Policy) { p.AttemptTimeout = -1 }, func(p *providers.Policy) { p.MaxWait = 0 },
		func(p *providers.Policy) { p.FallbackOn = []providers.Kind{providers.KindAuth} }, func(p *providers.Policy) { p.IdleTimeout = 0 }, func(p *providers.Policy) { p.Jitter = -1 },
	} {
		p := providers.DefaultPolicy()
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&p)
		if p.Validate() == nil {
			t.Errorf("%+v is valid", p)
		}
	}
}
