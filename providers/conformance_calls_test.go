package providers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/faulttest"
)

// TestConformFamilies plays the scenarios that every family is held to, streamed and unary.
func TestConformFamilies(t *testing.T) {
	scenarios := both([]scenario{
		{id: "F03", scripts: []string{`[503*]`}, sends: "AAAA", gaps: "1-2 2-3 4-5", kind: providers.KindServer, exit: 5, status: 503,
			events: "4 attempt_failed, 3 retry_wait", failed: times(4, "server")},
		{id: "F06", scripts: []string{`[400*]`, `[ok]`}, sends: "A", kind: providers.KindInvalidRequest, exit: 4, status: 400, events: "1 attempt_failed"},
		{id: "F13", scripts: []string{`[429(insufficient_quota)*]`}, sends: "A", kind: providers.KindQuota, exit: 4, events: "1 attempt_failed"},
		{id: "F21", scripts: []string{`[429{Retry-After=12}, ok"x"]`}, sends: "AA", gaps: "12-13", text: "x"},
	})
	streams := []scenario{
		{id: "F39", scripts: []string{`[sse[t"A" w(∞)]]`}, cancel: time.Second, sends: "A", took: "1", kind: providers.KindCancelled, exit: 130, text: "A",
			events: "1 stream_committed, 1 attempt_failed"},
		{id: "F43", scripts: []string{`[sse[t"A"]CUT*]`, `[ok]`}, sends: "A", kind: providers.KindTransport, exit: 5, text: "A", terminal: true,
			events: "1 stream_committed, 1 attempt_failed"},
		{id: "F43 RST", scripts: []string{`[sse[t"A"]RST*]`, `[ok]`}, sends: "A", kind: providers.KindTransport, exit: 5, text: "A", terminal: true,
			events: "1 stream_committed, 1 attempt_failed"},
		{id: "F45", scripts: []string{`[sse[e(overloaded_error,"sk-CANARY-A-0a1b")]FIN, ok"x"]`}, sends: "AA", gaps: "1-2", text: "x", failed: "overloaded"},
		{id: "F46", scripts: []string{`[sse[t"A" e(overloaded_error)]FIN*]`, `[ok]`}, sends: "A", kind: providers.KindOverloaded, exit: 5, text: "A", terminal: true,
			events: "1 stream_committed, 1 attempt_failed", failed: "overloaded"},
	}
	unary := []scenario{
		{id: "F39", scripts: []string{`[sse[t"A" f D w(∞)]]`}, cancel: time.Second, sends: "A", took: "1", kind: providers.KindCancelled, exit: 130, events: "1 attempt_failed"},
		{id: "F43", scripts: []string{`[sse[t"A" f D]CUT, ok"x"]`}, sends: "AA", gaps: "1-2", text: "x", failed: "transport"},
		{id: "F43 RST", scripts: []string{`[sse[t"A" f D]RST, ok"x"]`}, sends: "AA", gaps: "1-2", text: "x", failed: "transport"},
		{id: "F45", scripts: []string{`[200err(overloaded_error), ok"x"]`}, sends: "AA", gaps: "1-2", text: "x", failed: "overloaded"},
		{id: "F46", scripts: []string{`[sse[t"A" e(overloaded_error) f D]FIN, ok"x"]`}, sends: "AA", gaps: "1-2", text: "x", failed: "overloaded"},
	}
	for i := range unary {
		unary[i].unary = true
	}
	all := slices.Concat(scenarios, streams, unary)
	for i := range all {
		all[i].only = families()
		if all[i].id == "F03" { // the tables of these three say that their 503 is an overload
			busy := all[i]
			all[i].only = slices.DeleteFunc(all[i].only, overloadedBy503)
			busy.only = slices.DeleteFunc(families(), func(f family) bool { return !overloadedBy503(f) })
			busy.kind, busy.failed = providers.KindOverloaded, times(4, "overloaded")
			all = append(all, busy)
		}
		if all[i].kind == "" && all[i].events == "" {
			all[i].events = "1 attempt_failed, 1 retry_wait"
			if !all[i].unary {
				all[i].events += ", 1 stream_committed"
			}
		}
	}
	conform(t, all, nil)
}

func overloadedBy503(f family) bool {
	return slices.Contains([]string{"deepseek", "openrouter", "together"}, f.provider)
}

func TestConformAnswers(t *testing.T) {
	usage := func(t *testing.T, _ scenario, o *outcome) {
		if got := o.resp.Usage; got.Input != 3 || got.Output != 1 || got.Partial {
			t.Errorf("usage %+v", got)
		}
	}
	conform(t, []scenario{
		{id: "F01", scripts: []string{`[ok"x"]`}, unary: true, sends: "A", text: "x"},
		{id: "F02", scripts: []string{`[sse[m t"x" u(3,1) f D]FIN]`}, sends: "A", text: "x", events: "1 stream_committed"},
	}, usage)
	conform(t, []scenario{
		{id: "F04", scripts: []string{`[503, 502html, ok"x"]`}, sends: "AAA", gaps: "1-2 2-3", text: "x",
			events: "2 attempt_failed, 2 retry_wait, 1 stream_committed", failed: "server server"},
		{id: "F41 a", scripts: []string{`[sse[k k w(20) k t"A" f D]FIN]`}, sends: "A", took: "20", text: "A", events: "1 stream_committed"},
		{id: "F41 b", scripts: []string{`[sse[k k p]CUT, ok"x"]`}, sends: "AA", gaps: "1-2", text: "x", events: "1 attempt_failed, 1 retry_wait, 1 stream_committed"},
		{id: "big event", scripts: []string{`[sse[big(300000) f D]FIN]`}, sends: "A", text: strings.Repeat("z", 300000), events: "1 stream_committed"},
	}, nil)
}

func TestConformStatuses(t *testing.T) {
	kinds := map[int]providers.Kind{408: "timeout", 409: "server", 425: "server", 429: "rate_limit", 504: "timeout", 524: "timeout", 529: "overloaded"}
	conform(t, inAll([]int{408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}, func(s int) scenario {
		kind, ok := kinds[s]
		if !ok {
			kind = providers.KindServer
		}
		return scenario{id: "F05", scripts: []string{fmt.Sprintf(`[%d, ok"x"]`, s)}, sends: "AA", gaps: "1-2", text: "x",
			events: "1 attempt_failed, 1 retry_wait, 1 stream_committed", failed: string(kind)}
	}), nil)
	conform(t, []scenario{{id: "F05 498", only: []family{{"groq", faulttest.OpenAIChat}}, scripts: []string{`[498, ok"x"]`}, sends: "AA", text: "x",
		events: "1 attempt_failed, 1 retry_wait, 1 stream_committed", failed: "overloaded"}}, nil)
	conform(t, inAll([]int{400, 405, 415, 422, 501, 505}, func(s int) scenario {
		return scenario{id: "F06", scripts: []string{fmt.Sprintf(`[%d*]`, s), `[ok]`}, sends: "A", kind: providers.KindInvalidRequest, exit: 4, status: s, events: "1 attempt_failed"}
	}), nil)
	conform(t, []scenario{
		{id: "F10", scripts: []string{`[400("429 items, error 500 in line 503, timeout")]`, `[ok]`}, sends: "A", kind: providers.KindInvalidRequest, exit: 4, events: "1 attempt_failed"},
		{id: "redirect", scripts: []string{`[redirect(http://elsewhere/)]`, `[ok]`}, sends: "A", kind: providers.KindInvalidRequest, exit: 4, status: 307, events: "1 attempt_failed"},
		{id: "empty", scripts: []string{`[200empty, 200html, ok"x"]`}, sends: "AAA", text: "x", events: "2 attempt_failed, 2 retry_wait, 1 stream_committed", failed: "server server"},
		{id: "only a marker", scripts: []string{`[sse[D]FIN, ok"x"]`}, only: []family{{"openai", faulttest.OpenAIChat}, {"anthropic", faulttest.Anthropic}},
			sends: "AA", text: "x", events: "1 attempt_failed, 1 retry_wait, 1 stream_committed", failed: "server"},
		{id: "no event", scripts: []string{`[sse[]FIN, ok"x"]`}, sends: "AA", text: "x", events: "1 attempt_failed, 1 retry_wait, 1 stream_committed", failed: "server"},
	}, nil)
}

func TestConformConnections(t *testing.T) {
	conform(t, []scenario{
		{id: "F07", scripts: []string{`[refuse*]`}, sends: "AAAA", gaps: "1-2 2-3 4-5", kind: providers.KindTransport, exit: 5, events: "4 attempt_failed, 3 retry_wait",
			failed: times(4, "transport")},
		{id: "F08", scripts: []string{`[RST, acceptclose, ok"x"]`}, sends: "AAA", gaps: "1-2 2-3", text: "x", events: "2 attempt_failed, 2 retry_wait, 1 stream_committed",
			failed: "transport transport"},
		{id: "F33", scripts: []string{`[stall(∞)*]`}, sends: "A", took: "90", kind: providers.KindDeadline, exit: 6, terminal: true, events: "1 attempt_failed"},
		{id: "F33 trickle", scripts: []string{`[trickle(2,1)]`}, sends: "A", took: "90", kind: providers.KindDeadline, exit: 6, events: "1 attempt_failed"},
		{id: "F34", scripts: []string{`[stall(∞)]`, `[ok"x"]`}, sends: "AB", gaps: "45-45.1", text: "x", events: "1 attempt_failed, 1 fallback, 1 stream_committed", failed: "timeout"},
		{id: "F34 headers", scripts: []string{`[hdr+stall(∞)]`, `[ok"x"]`}, sends: "AB", gaps: "45-45.1", text: "x", events: "1 attempt_failed, 1 fallback, 1 stream_committed", failed: "timeout"},
		{id: "F34 trickle", scripts: []string{`[trickle(1,3)]`, `[ok"x"]`}, sends: "AB", gaps: "45-45.1", text: "x", events: "1 attempt_failed, 1 fallback, 1 stream_committed", failed: "timeout"},
		{id: "F35", scripts: []string{`[stall(∞)*]`, `[stall(∞)*]`}, policy: func(p *providers.Policy) { p.Deadline, p.AttemptTimeout = 9*time.Second, 4*time.Second },
			sends: "AB", gaps: "4", took: "8", kind: providers.KindTimeout, exit: 5, terminal: true, events: "2 attempt_failed, 1 fallback"},
		{id: "F37", scripts: []string{`[503*]`}, policy: func(p *providers.Policy) { p.Deadline = 2500 * time.Millisecond },
			sends: "AA", took: "1-2", kind: providers.KindServer, exit: 5, terminal: true, events: "2 attempt_failed, 1 retry_wait"},
		{id: "F38", scripts: []string{`[503*]`}, cancel: 500 * time.Millisecond, sends: "A", took: "0.5", kind: providers.KindCancelled, exit: 130, events: "1 attempt_failed, 1 retry_wait"},
	}, nil)
}

func TestConformChains(t *testing.T) {
	conform(t, []scenario{
		{id: "F14", scripts: []string{`[429(insufficient_quota)*]`, `[ok"x"]`}, sends: "AB", gaps: "0", text: "x", events: "1 attempt_failed, 1 fallback, 1 stream_committed", failed: "quota"},
		{id: "F15", scripts: []string{`[401*]`, `[503*]`}, sends: "ABBB", gaps: "0 1-2 2-3", kind: providers.KindServer, exit: 5,
			events: "4 attempt_failed, 1 fallback, 2 retry_wait", failed: "auth server server server"},
		{id: "F17", scripts: []string{`[404(model_not_found)*]`, `[ok"x"]`}, sends: "AB", gaps: "0", text: "x", events: "1 attempt_failed, 1 fallback, 1 stream_committed", failed: "not_found"},
		{id: "F18", scripts: []string{`[403*]`, `[402*]`, `[401*]`}, sends: "ABC", gaps: "0 0", kind: providers.KindAuth, exit: 4, events: "3 attempt_failed, 2 fallback", failed: "permission quota auth"},
		{id: "F27", scripts: []string{`[503*]`, `[503*]`}, sends: "ABAB", gaps: "0 1-2 0", kind: providers.KindServer, exit: 5, events: "4 attempt_failed, 3 fallback, 1 retry_wait"},
		{id: "F28", scripts: []string{`[503*]`, `[503*]`, `[503*]`}, sends: "ABCA", gaps: "0 0 1-2", kind: providers.KindServer, exit: 5, events: "4 attempt_failed, 3 fallback, 1 retry_wait"},
		{id: "F29", scripts: []string{`[503*]`, `[503*]`, `[503*]`, `[503*]`, `[ok]`}, sends: "ABCD", gaps: "0 0 0", kind: providers.KindServer, exit: 5, events: "4 attempt_failed, 3 fallback"},
		{id: "F30", scripts: []string{`[429{Retry-After=5}*]`, `[503{Retry-After=9}, ok"x"]`}, sends: "ABAB", gaps: "0 9-10 0", text: "x",
			events: "3 attempt_failed, 3 fallback, 1 retry_wait, 1 stream_committed"},
	}, func(t *testing.T, sc scenario, o *outcome) {
		if sc.id != "F18" {
			return
		}
		want := []providers.CandidateError{{Candidate: "A", Kind: "permission", Status: 403}, {Candidate: "B", Kind: "quota", Status: 402}, {Candidate: "C", Kind: "auth", Status: 401}}
		if diff := cmp.Diff(want, o.err.Candidates); diff != "" {
			t.Error(diff)
		}
	})
}

func TestConformHints(t *testing.T) {
	wait := func(id, step, gap string) scenario {
		return scenario{id: id, scripts: []string{"[" + step + `, ok"x"]`}, sends: "AA", gaps: gap, text: "x", events: "1 attempt_failed, 1 retry_wait, 1 stream_committed"}
	}
	var rows []scenario
	for _, v := range []string{"", "-5", "NaN", "inf", "soon", "0", "0.5", "12, 15", strings.Repeat("9", 10_000)} {
		rows = append(rows, wait(fmt.Sprintf("F23 %.8q", v), fmt.Sprintf(`429{Retry-After=%q}`, v), "1-2"))
	}
	conform(t, append(rows,
		wait("F21", "429{Retry-After=12}", "12-13"),
		wait("F23 two lines", "429{Retry-After=soon, Retry-After=7}", "7-8"),
		wait("F24", "429{retry-after-ms=1500, Retry-After=30}", "1.5-2.5"),
		wait("F24 azure", "429{x-ms-retry-after-ms=1500, Retry-After=30}", "1.5-2.5"),
		wait("hint above max_wait", "429{Retry-After=70}", "70-71"),
		wait("reset of a limit", "429{x-ratelimit-remaining-requests=0, x-ratelimit-reset-requests=6s}", "6-7"),
		wait("hint in the text", `429(rate_limit_exceeded,requests,"Please try again in 17s.")`, "17-18"),
		wait("no hint in the text of a 503", `503(busy,server_error,"Please try again in 17s.")`, "1-2"),
		scenario{id: "F25 a", scripts: []string{`[429{Retry-After=100}*]`}, sends: "A", took: "0", kind: providers.KindRateLimit, exit: 5, terminal: true, events: "1 attempt_failed"},
		scenario{id: "F25 a, huge", scripts: []string{`[429{Retry-After=1000000000}*]`}, sends: "A", took: "0", kind: providers.KindRateLimit, exit: 5, terminal: true, events: "1 attempt_failed"},
		scenario{id: "F25 b", scripts: []string{`[429{Retry-After=100}*]`, `[ok"x"]`}, sends: "AB", took: "0", text: "x", events: "1 attempt_failed, 1 fallback, 1 stream_committed"},
	), func(t *testing.T, sc scenario, o *outcome) {
		if !strings.HasPrefix(sc.id, "F21") {
			return
		}
		for _, w := range faulttest.Of[providers.RetryWait](o.record) {
			if w.Source != providers.SourceRetryAfter || w.Round != 1 || w.MS < 12000 || w.MS > 13000 {
				t.Errorf("event %+v", w)
			}
		}
	})
}

func TestConformStreams(t *testing.T) {
	chat := []family{{"openai", faulttest.OpenAIChat}}
	conform(t, []scenario{
		{id: "F42", scripts: []string{`[sse[m]CUT, ok"x"]`, `[ok]`}, sends: "A", kind: providers.KindTransport, exit: 5, terminal: true, events: "1 stream_committed, 1 attempt_failed"},
		{id: "F48", scripts: []string{`[sse[t"A" bad t"C" f D]FIN]`}, sends: "A", kind: providers.KindContract, exit: 5, text: "A", events: "1 stream_committed, 1 attempt_failed"},
		{id: "F48 first", scripts: []string{`[sse[bad t"C" f D]FIN]`}, sends: "A", kind: providers.KindContract, exit: 5, events: "1 stream_committed, 1 attempt_failed"},
		{id: "F50 a", scripts: []string{`[sse[t"A" w(∞)]]`, `[ok]`}, sends: "A", took: "60", kind: providers.KindTimeout, exit: 5, text: "A", terminal: true, events: "1 stream_committed, 1 attempt_failed"},
		{id: "F50 b", scripts: []string{`[sse[t"A" (k w(5))*]]`, `[ok]`}, policy: func(p *providers.Policy) { p.StrictIdle = true }, sends: "A", took: "60", kind: providers.KindTimeout, exit: 5,
			text: "A", terminal: true, events: "1 stream_committed, 1 attempt_failed"},
		{id: "comments keep it alive", scripts: []string{`[sse[t"A" k w(50) k w(50) k w(50) t"B" f D]FIN]`}, sends: "A", took: "150", text: "AB", events: "1 stream_committed"},
		{id: "answer deadline", scripts: []string{`[sse[(t"A" w(47))*]]`}, sends: "A", took: "600", kind: providers.KindDeadline, exit: 6, text: strings.Repeat("A", 13), events: "1 stream_committed, 1 attempt_failed"},
		{id: "no marker", scripts: []string{`[sse[t"A"]FIN]`, `[ok]`}, sends: "A", kind: providers.KindTruncated, exit: 5, text: "A", events: "1 stream_committed, 1 attempt_failed"},
		{id: "finish without marker", scripts: []string{`[sse[t"A" f]FIN]`}, sends: "A", kind: providers.KindTruncated, exit: 5, text: "A", events: "1 stream_committed, 1 attempt_failed"},
		{id: "marker without finish", only: chat, scripts: []string{`[sse[t"A" D]FIN]`}, sends: "A", kind: providers.KindTruncated, exit: 5, text: "A", events: "1 stream_committed, 1 attempt_failed"},
		{id: "connection ends after the marker", scripts: []string{`[sse[t"A" f D]CUT]`}, sends: "A", text: "A", events: "1 stream_committed"},
		{id: "reset after the marker", scripts: []string{`[sse[t"A" f D]RST]`}, sends: "A", text: "A", events: "1 stream_committed"},
		{id: "length", scripts: []string{`[sse[t"A" f(length) D]FIN]`, `[ok]`}, sends: "A", kind: providers.KindTruncated, exit: 5, text: "A", events: "1 stream_committed, 1 attempt_failed"},
		{id: "length, unary", unary: true, scripts: []string{`[sse[t"A" f(length) D]FIN]`, `[ok]`}, sends: "A", kind: providers.KindTruncated, exit: 5, text: "A", events: "1 attempt_failed"},
		{id: "F59 b", scripts: []string{`[sse[t"A" f(content_filter) D]FIN]`, `[ok]`}, sends: "A", kind: providers.KindContentFilter, exit: 8, text: "A", events: "1 stream_committed, 1 attempt_failed"},
		{id: "F59 a", only: chat, scripts: []string{`[400(content_filter)]`, `[ok]`}, sends: "A", kind: providers.KindContentFilter, exit: 8, events: "1 attempt_failed"},
		{id: "F56 a", scripts: []string{`[400(overflow)]`, `[ok]`}, sends: "A", kind: providers.KindOverflow, exit: 7, events: "1 attempt_failed"},
	}, nil)
}
