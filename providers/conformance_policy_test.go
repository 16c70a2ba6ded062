package providers_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/faulttest"
)

func TestConformPolicies(t *testing.T) {
	v2 := func(p *providers.Policy) { *p = providers.SwarmSDKv2Policy() }
	plain := func(p *providers.Policy) {
		p.Attempts, p.Deadline, p.AnswerDeadline, p.Jitter = 8, 600*time.Second, 600*time.Second, 0
	}
	conform(t, []scenario{
		{id: "P01", scripts: []string{`[503*]`}, policy: v2, sends: "AAAAAAAAAA", gaps: times(9, "10"), kind: providers.KindServer, exit: 5, events: "10 attempt_failed, 9 retry_wait"},
		{id: "P01 ok", scripts: []string{`[503, 503, 503, 503, 503, 503, 503, 503, 503, ok"x"]`}, policy: v2, sends: "AAAAAAAAAA", gaps: times(9, "10"), text: "x",
			events: "9 attempt_failed, 9 retry_wait, 1 stream_committed"},
		{id: "P02", scripts: []string{`[503*]`}, policy: func(p *providers.Policy) { v2(p); p.Attempts = 3 }, sends: "AAA", gaps: "10 10", kind: providers.KindServer, exit: 5,
			events: "3 attempt_failed, 2 retry_wait"},
		{id: "P03", only: wires()[:1], scripts: []string{`[400(content_filter)]`, `[ok"x"]`}, policy: func(p *providers.Policy) { p.FallbackOn = []providers.Kind{providers.KindContentFilter} },
			sends: "AB", gaps: "0", text: "x", events: "1 attempt_failed, 1 fallback, 1 stream_committed"},
		{id: "P08 a", scripts: []string{`[503*]`}, policy: plain, sends: "AAAAAAAA", gaps: "1 2 4 8 16 32 60", kind: providers.KindServer, exit: 5, events: "8 attempt_failed, 7 retry_wait"},
		{id: "P08 b", scripts: []string{`[429{Retry-After=70}, ok"x"]`}, policy: plain, sends: "AA", gaps: "70", text: "x", events: "1 attempt_failed, 1 retry_wait, 1 stream_committed"},
		{id: "jitter 0", scripts: []string{`[503*]`}, policy: func(p *providers.Policy) { p.Rand = func() float64 { return 0 } }, sends: "AAAA", gaps: "1 2 4", kind: providers.KindServer, exit: 5,
			events: "4 attempt_failed, 3 retry_wait"},
		{id: "jitter 1", scripts: []string{`[503*]`}, policy: func(p *providers.Policy) { p.Rand = func() float64 { return 0.999999 } }, sends: "AAAA", gaps: "2 3 5", kind: providers.KindServer, exit: 5,
			events: "4 attempt_failed, 3 retry_wait"},
	}, nil)
}

func TestConformSeeds(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		conform(t, []scenario{{id: fmt.Sprint("seed ", seed), only: wires()[:1], scripts: []string{`[503*]`}, policy: func(p *providers.Policy) { p.Rand = rnd.Float64 },
			sends: "AAAA", gaps: "1-2 2-3 4-5", kind: providers.KindServer, exit: 5, events: "4 attempt_failed, 3 retry_wait"}}, nil)
	}
}

func TestConformQuota(t *testing.T) {
	quota := func(provider, step string) scenario {
		f := family{provider, faulttest.OpenAIChat}
		if provider == "anthropic" {
			f.framing = faulttest.Anthropic
		}
		return scenario{id: "F19 " + step, only: []family{f}, scripts: []string{"[" + step + "*]"}, sends: "A", kind: providers.KindQuota, exit: 4, events: "1 attempt_failed"}
	}
	conform(t, []scenario{
		quota("openai", "429(credit_balance_exhausted)"), quota("openai", "429(monthly_spend_limit_exceeded)"), quota("anthropic", "402"), quota("anthropic", "400(quota)"),
		quota("anthropic", "429(quota)"), quota("google", `429("Quota exceeded, limit: 0")`), quota("google", "402"), quota("mistral", "402"), quota("deepseek", "402"),
		quota("xai", `403("You have used all available credits")`), quota("openrouter", "402"), quota("together", "402"), quota("cohere", "402"),
		quota("cohere", `429("You are using a trial key")`), quota("ollama", "402"),
		{id: "F19 in flight", only: []family{{"openrouter", faulttest.OpenAIChat}}, scripts: []string{`[402(in_flight_budget_exhausted){Retry-After=3}, ok"x"]`}, sends: "AA", gaps: "3-4",
			text: "x", events: "1 attempt_failed, 1 retry_wait, 1 stream_committed", failed: "rate_limit"},
	}, nil)
}

// TestConformDates has hints that are dates, relative to the server's clock.
func TestConformDates(t *testing.T) {
	date := func(d time.Duration) string {
		start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when a bubble begins
		return strings.Replace(start.Add(d).Format(time.RFC1123), "UTC", "GMT", 1)
	}
	row := func(id string, server, until time.Duration, gap string) scenario {
		return scenario{id: "F22 " + id, scripts: []string{fmt.Sprintf(`[503{Date=%q, Retry-After=%q}, ok"x"]`, date(server), date(until))}, sends: "AA", gaps: gap, text: "x",
			events: "1 attempt_failed, 1 retry_wait, 1 stream_committed"}
	}
	conform(t, []scenario{
		row("future", 0, 20*time.Second, "20-21"), row("past", 0, -20*time.Second, "1-2"),
		row("server ahead", time.Hour, time.Hour+20*time.Second, "20-21"), row("server behind", -time.Hour, -time.Hour+20*time.Second, "20-21"),
	}, nil)
}

// TestConformHerd has fifty clients that are told to come back at the same time.
func TestConformHerd(t *testing.T) {
	var before string
	for _, seed := range []uint64{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			start := time.Now()
			var again []float64
			var outcomes [50]outcome
			for i := range outcomes {
				sc := scenario{id: "F63", scripts: []string{`[429{Retry-After=2}, ok"x"]`}, policy: func(p *providers.Policy) { u := rnd.Float64(); p.Rand = func() float64 { return u } }}
				s := faulttest.Start(t, faulttest.OpenAIChat, sc.scripts[0])
				p := calm()
				sc.policy(&p)
				outcomes[i].servers = []*faulttest.Server{s}
				m := providers.Retry(wires()[0].client(t, "A", s, s.Transport()), p)
				go outcomes[i].call(t, sc, m)
			}
			time.Sleep(5 * time.Second)
			for i := range outcomes {
				reqs := outcomes[i].servers[0].Requests()
				if len(reqs) != 2 {
					t.Fatalf("client %d sent %d requests", i, len(reqs))
				}
				again = append(again, reqs[1].At.Sub(start).Seconds())
			}
			spread(t, again)
			if pattern := fmt.Sprint(again); pattern == before {
				t.Error("two seeds give the same times")
			} else {
				before = pattern
			}
		})
	}
}

// spread wants times in [2, 3] that do not come as a herd.
func spread(t *testing.T, at []float64) {
	t.Helper()
	buckets := map[int]int{}
	var sum, squares float64
	for _, s := range at {
		if !within(s, "2-3") {
			t.Errorf("a client came back after %v s", s)
		}
		buckets[int(s*10)]++
		sum += s
		squares += s * s
	}
	n := float64(len(at))
	if variance := squares/n - sum/n*sum/n; variance < 0.15*0.15 {
		t.Errorf("variance %v", variance)
	}
	for b, c := range buckets {
		if c > len(at)/4 {
			t.Errorf("%d of %d came in one tenth of a second at %v s", c, len(at), float64(b)/10)
		}
	}
}
