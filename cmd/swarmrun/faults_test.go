package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/providers/faulttest"
)

// faultRow is a scenario of the conformance suite as a person meets it: the program, real connections, real waits. Waits are a
// tenth of the usual ones: base and jitter are 100 ms where the row sets nothing. Package providers has the same scenarios in
// virtual time with the usual ones.
type faultRow struct {
	id      string
	scripts []string // of candidates A, B, … in the order of the chain
	retry   string   // more keys of retry:
	only    []faulttest.Framing
	mixed   []faulttest.Framing // of the candidates, where they are not all of one
	name    string              // of the provider; "" = that of the framing
	agent   string              // more frontmatter
	tls     bool                // A has a certificate that nobody trusts
	signal  time.Duration       // after which the program is interrupted
	unary   bool

	sends    string // candidates in the order of their requests
	attempts int    // 0 = len(sends)
	gaps     string // least and most seconds between requests: "0.1-0.2 0.2-0.3"; "" = whatever
	exit     int
	kind     string
	text     string // of the answer, or what was shown of it
	cut      bool   // text was shown, and is no answer
}

var (
	allFramings = []faulttest.Framing{faulttest.OpenAIChat, faulttest.OpenAIResponses, faulttest.Anthropic}
	chatOnly    = allFramings[:1]
)

var faultRows = []faultRow{
	{id: "F01", scripts: []string{`[ok"x"]`}, unary: true, sends: "A", text: "x"},
	{id: "F02", scripts: []string{`[sse[m t"x" u(3,1) f D]FIN]`}, sends: "A", text: "x"},
	{id: "F03", scripts: []string{`[503*]`}, sends: "AAAA", gaps: "0.1-0.2 0.2-0.3 0.4-0.5", exit: 5, kind: "server"},
	{id: "F03 unary", unary: true, scripts: []string{`[503*]`}, sends: "AAAA", exit: 5, kind: "server"},
	{id: "F04", scripts: []string{`[503, 502html, ok"x"]`}, sends: "AAA", text: "x"},
	{id: "F05", scripts: []string{`[529, 408, 524, ok"x"]`}, sends: "AAAA", text: "x"},
	{id: "F06", scripts: []string{`[422*]`, `[ok]`}, sends: "A", exit: 4, kind: "invalid_request"},
	{id: "F07", scripts: []string{`[refuse*]`}, attempts: 4, exit: 5, kind: "transport"},
	{id: "F08", scripts: []string{`[RST, ok"x"]`}, sends: "AA", text: "x"},
	{id: "F09", scripts: []string{`[ok]`, `[ok"x"]`}, only: chatOnly, tls: true, sends: "B", attempts: 2, text: "x"},
	{id: "F10", scripts: []string{`[400("429 items, error 500 in line 503, timeout")]`, `[ok]`}, sends: "A", exit: 4, kind: "invalid_request"},
	{id: "F13", scripts: []string{`[429(insufficient_quota)*]`}, sends: "A", exit: 4, kind: "quota"},
	{id: "F14", scripts: []string{`[429(insufficient_quota)*]`, `[ok"x"]`}, sends: "AB", text: "x"},
	{id: "F15", scripts: []string{`[401*]`, `[503*]`}, sends: "ABBB", exit: 5, kind: "server"},
	{id: "F17", scripts: []string{`[404(model_not_found)*]`, `[ok"x"]`}, sends: "AB", text: "x"},
	{id: "F18", scripts: []string{`[403*]`, `[402*]`, `[401*]`}, sends: "ABC", exit: 4, kind: "auth"},
	{id: "F19 xai", name: "xai", only: chatOnly, scripts: []string{`[403("You have used all available credits")*]`}, sends: "A", exit: 4, kind: "quota"},
	{id: "F19 google", name: "google", only: chatOnly, scripts: []string{`[429("Quota exceeded, limit: 0")*]`}, sends: "A", exit: 4, kind: "quota"},
	{id: "F19 mistral", name: "mistral", only: chatOnly, scripts: []string{`[402*]`}, sends: "A", exit: 4, kind: "quota"},
	{id: "F19 openrouter", name: "openrouter", only: chatOnly, scripts: []string{`[402(in_flight_budget_exhausted){Retry-After=1}, ok"x"]`}, sends: "AA", gaps: "1-1.1", text: "x"},
	{id: "F21", scripts: []string{`[429{Retry-After=2}, ok"x"]`}, sends: "AA", gaps: "2-2.1", text: "x"},
	{id: "F22", scripts: []string{`[503{Date="Sat, 01 Jan 2000 00:00:00 GMT", Retry-After="Sat, 01 Jan 2000 00:00:02 GMT"}, ok"x"]`}, sends: "AA", gaps: "2-2.1", text: "x"},
	{id: "F23", scripts: []string{`[429{Retry-After=-5}, 429{Retry-After=NaN}, 429{Retry-After=soon}, ok"x"]`}, sends: "AAAA", gaps: "0.1-0.2 0.2-0.3 0.4-0.5", text: "x"},
	{id: "F24", scripts: []string{`[429{retry-after-ms=1500, Retry-After=30}, ok"x"]`}, sends: "AA", gaps: "1.5-1.6", text: "x"},
	{id: "F25 a", scripts: []string{`[429{Retry-After=100}*]`}, sends: "A", exit: 5, kind: "rate_limit"},
	{id: "F25 b", scripts: []string{`[429{Retry-After=100}*]`, `[ok"x"]`}, sends: "AB", text: "x"},
	{id: "F27", scripts: []string{`[503*]`, `[503*]`}, sends: "ABAB", gaps: "0-0.1 0.1-0.2 0-0.1", exit: 5, kind: "server"},
	{id: "F28", scripts: []string{`[503*]`, `[503*]`, `[503*]`}, sends: "ABCA", exit: 5, kind: "server"},
	{id: "F29", scripts: []string{`[503*]`, `[503*]`, `[503*]`, `[503*]`, `[ok]`}, sends: "ABCD", exit: 5, kind: "server"},
	{id: "F30", scripts: []string{`[429{Retry-After=0.5}*]`, `[503{Retry-After=0.9}, ok"x"]`}, sends: "ABAB", text: "x"},
	{id: "F32", scripts: []string{`[503]`, `[ok"x"]`}, mixed: []faulttest.Framing{faulttest.Anthropic, faulttest.OpenAIChat}, only: chatOnly, sends: "AB", text: "x"},
	{id: "F33", scripts: []string{`[stall(∞)*]`}, retry: "deadline: 2s", sends: "A", exit: 6, kind: "deadline"},
	{id: "F34", scripts: []string{`[stall(∞)]`, `[ok"x"]`}, retry: "deadline: 4s, attempt_timeout: 2s", sends: "AB", gaps: "2-2.1", text: "x"},
	{id: "F35", scripts: []string{`[stall(∞)*]`, `[stall(∞)*]`}, retry: "deadline: 4s, attempt_timeout: 1600ms, base: 2s", sends: "AB", exit: 5, kind: "timeout"},
	{id: "F37", scripts: []string{`[503*]`}, retry: "deadline: 1s, base: 800ms, jitter: 0s", sends: "AA", gaps: "0.8-0.9", exit: 5, kind: "server"},
	{id: "F38", scripts: []string{`[503*]`}, retry: "base: 50s", signal: time.Second, sends: "A", exit: 130, kind: "cancelled"},
	{id: "F39", scripts: []string{`[sse[t"A" w(∞)]]`}, signal: time.Second, sends: "A", exit: 130, kind: "cancelled", text: "A", cut: true},
	{id: "F41 a", scripts: []string{`[sse[k k w(1) k t"A" f D]FIN]`}, sends: "A", text: "A"},
	{id: "F41 b", scripts: []string{`[sse[k k p]CUT, ok"x"]`}, sends: "AA", text: "x"},
	{id: "F42", scripts: []string{`[sse[m]CUT, ok"x"]`, `[ok]`}, sends: "A", exit: 5, kind: "transport"},
	{id: "F43", scripts: []string{`[sse[t"A"]CUT*]`, `[ok]`}, sends: "A", exit: 5, kind: "transport", text: "A", cut: true},
	{id: "F43 RST", scripts: []string{`[sse[t"A"]RST*]`, `[ok]`}, sends: "A", exit: 5, kind: "transport", text: "A", cut: true},
	{id: "F45", scripts: []string{`[sse[e(overloaded_error,"sk-CANARY-A-0a1b")]FIN, ok"x"]`}, sends: "AA", text: "x"},
	{id: "F46", scripts: []string{`[sse[t"A" e(overloaded_error)]FIN*]`, `[ok]`}, sends: "A", exit: 5, kind: "overloaded", text: "A", cut: true},
	{id: "F48", scripts: []string{`[sse[t"A" bad t"C" f D]FIN]`}, sends: "A", exit: 5, kind: "contract", text: "A", cut: true},
	{id: "F50 a", scripts: []string{`[sse[t"A" w(∞)]]`, `[ok]`}, retry: "idle_timeout: 1s", sends: "A", exit: 5, kind: "timeout", text: "A", cut: true},
	{id: "F50 b", scripts: []string{`[sse[t"A" (k w(0.3))*]]`, `[ok]`}, retry: "idle_timeout: 1s, strict_idle: true", sends: "A", exit: 5, kind: "timeout", text: "A", cut: true},
	{id: "F51", scripts: []string{`[sse[c(0,c1,Think,'{"thought":"/x')]FIN*]`}, sends: "A", exit: 5, kind: "truncated"},
	{id: "F52", scripts: []string{`[sse[c(0,c1,Think,'{"thought"') c(1,c2,Think,'{"thought"') c(0,,,':"1"}') c(1,,,':"2"}') f(tool_calls) D]FIN, ok"x"]`}, only: chatOnly, sends: "AA", text: "x"},
	{id: "F55", scripts: []string{"[" + strings.Repeat(pondering, 4) + `400(overflow), ok"x"]`}, agent: "context: {strategy: prune, keep_recent: 2}\n", sends: "AAAAAA", text: "x"},
	{id: "F56", scripts: []string{"[" + strings.Repeat(pondering, 4) + `400(overflow)*]`}, agent: "context: {strategy: prune, keep_recent: 2}\n", sends: "AAAAAA", exit: 7, kind: "context_overflow"},
	{id: "F59", scripts: []string{`[sse[t"A" f(content_filter) D]FIN]`, `[ok]`}, sends: "A", exit: 8, kind: "content_filter", text: "A", cut: true},
	{id: "F60", scripts: []string{`[sse[c(0,c1,Think,'{"thought":"a"}') f(tool_calls) D]FIN, 503, ok"x"]`}, sends: "AAA", text: "x"},
	{id: "P01", scripts: []string{`[503*]`}, retry: "preset: swarmsdk-v2, base: 50ms", sends: "AAAAAAAAAA", exit: 5, kind: "server"},
	{id: "P02", scripts: []string{`[503*]`}, retry: "preset: swarmsdk-v2, attempts: 3, base: 300ms", sends: "AAA", gaps: "0.3-0.4 0.3-0.4", exit: 5, kind: "server"},
	{id: "P03", scripts: []string{`[400(content_filter)]`, `[ok"x"]`}, only: chatOnly, retry: "fallback_on: [content_filter]", sends: "AB", text: "x"},
	{id: "P08", scripts: []string{`[503*]`}, retry: "attempts: 5, jitter: 0s", sends: "AAAAA", gaps: "0.1-0.15 0.2-0.25 0.4-0.45 0.8-0.85", exit: 5, kind: "server"},
}

// pondering is a turn that fills the conversation.
var pondering = `sse[c(0,c1,Think,'{"thought":"` + strings.Repeat("word ", 200) + `"}') f(tool_calls) D]FIN, `

func TestFaults(t *testing.T) {
	bin := buildProgram(t)
	for _, row := range faultRows {
		framings := row.only
		if framings == nil {
			framings = allFramings
		}
		for _, f := range framings {
			t.Run(row.id+"/"+f.String(), func(t *testing.T) {
				t.Parallel()
				row.run(t, bin, f)
			})
		}
	}
}

// run plays the row and checks it.
func (row faultRow) run(t *testing.T, bin string, f faulttest.Framing) {
	dir := t.TempDir()
	servers := row.workspace(t, dir, f)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "-C", dir, "-o", "jsonl", "run", "tester", "Do it.")
	cmd.Env = append(cleanEnviron(), "HOME="+dir, "PATH="+os.Getenv("PATH"))
	for i := range servers {
		cmd.Env = append(cmd.Env, "KEY_"+letter(i)+"="+faulttest.KeyCanary(letter(i)))
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if row.signal > 0 {
		row.interrupt(t, cmd, servers[0])
	}
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	said := stdout.String() + stderr.String()
	if got := cmd.ProcessState.ExitCode(); got != row.exit {
		t.Fatalf("exit code %d, want %d\n%s", got, row.exit, said)
	}
	row.checkEvents(t, stdout.Bytes())
	row.checkRequests(t, servers)
	row.checkSecrets(t, dir, said, len(servers))
}

// workspace writes an agent whose chain are the servers of the scripts.
func (row faultRow) workspace(t *testing.T, dir string, f faulttest.Framing) []*faulttest.Server {
	t.Helper()
	settings := "version: 1\nretry: {" + row.settings() + "}\nmodels:\n"
	var servers []*faulttest.Server
	var chain []string
	for i, script := range row.scripts {
		if row.mixed != nil {
			f = row.mixed[i]
		}
		start := faulttest.StartLoopback
		if row.tls && i == 0 {
			start = faulttest.StartTLS
		}
		s := start(t, f, script)
		servers = append(servers, s)
		provider, extra := "openai", ""
		switch f {
		case faulttest.Anthropic:
			provider = "anthropic"
		case faulttest.OpenAIResponses:
			extra = ", api_version: v1/responses"
		}
		if row.name != "" {
			provider = row.name
		}
		name := "m" + letter(i)
		settings += fmt.Sprintf("  %s: {provider: %s, model: model-%s, base_url: %q, api_key: \"${KEY_%s}\"%s}\n", name, provider, letter(i), s.BaseURL(), letter(i), extra)
		chain = append(chain, name)
	}
	agent := fmt.Sprintf("---\ndescription: Answers.\nmodel: [%s]\ntools: [Think]\nstreaming: %t\n%s---\nYou are a test.\n", strings.Join(chain, ", "), !row.unary, row.agent)
	for name, text := range map[string]string{"swarmrun.yaml": settings, "agents/tester.md": agent} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return servers
}

func (row faultRow) settings() string {
	all := []string{}
	for _, d := range [][2]string{{"base", "100ms"}, {"jitter", "100ms"}} {
		if !strings.Contains(row.retry, d[0]+":") && !strings.Contains(row.retry, "preset:") {
			all = append(all, d[0]+": "+d[1])
		}
	}
	if row.retry != "" {
		all = append(all, row.retry)
	}
	return strings.Join(all, ", ")
}

func letter(i int) string { return string(rune('A' + i)) }

// interrupt sends SIGINT that long after the first request.
func (row faultRow) interrupt(t *testing.T, cmd *exec.Cmd, s *faulttest.Server) {
	t.Helper()
	for end := time.Now().Add(time.Minute); len(s.Requests()) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no request came")
		}
	}
	time.Sleep(row.signal)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
}

// checkEvents reads the stream: attempts, what was shown, and the result.
func (row faultRow) checkEvents(t *testing.T, stdout []byte) {
	t.Helper()
	type told struct {
		Type     string `json:"type"`
		OK       bool   `json:"ok"`
		Kind     string `json:"kind"`
		Output   string `json:"output"`
		Attempts int    `json:"attempts"`
		Content  string `json:"content"`
	}
	var last told
	started, shown := 0, ""
	for line := range bytes.Lines(stdout) {
		last = told{}
		if err := json.Unmarshal(line, &last); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch last.Type {
		case "provider.attempt":
			started++
		case "content_chunk":
			shown += last.Content
		}
	}
	want := row.attempts
	if want == 0 {
		want = len(row.sends)
	}
	if last.Type != "result" || last.OK != (row.exit == 0) || last.Kind != row.kind {
		t.Errorf("the last line is %s, ok %t, kind %q, want kind %q", last.Type, last.OK, last.Kind, row.kind)
	}
	if started != want || last.Attempts != want {
		t.Errorf("%d attempts were told, the result says %d, want %d", started, last.Attempts, want)
	}
	answer := last.Output
	if row.cut {
		answer = shown
	}
	if answer != row.text {
		t.Errorf("answer %q, want %q", answer, row.text)
	}
	if !row.unary && shown != row.text {
		t.Errorf("%q was shown, want %q", shown, row.text)
	}
}

// checkRequests compares what arrived, and that nothing comes once the program has ended.
func (row faultRow) checkRequests(t *testing.T, servers []*faulttest.Server) {
	t.Helper()
	type arrival struct {
		who string
		at  time.Time
	}
	var all []arrival
	for i, s := range servers {
		for _, q := range s.Requests() {
			all = append(all, arrival{letter(i), q.At})
			if !q.HasKey(faulttest.KeyCanary(letter(i))) {
				t.Errorf("a request to %s is without its key", letter(i))
			}
		}
	}
	slices.SortFunc(all, func(a, b arrival) int { return a.at.Compare(b.at) })
	order := ""
	for _, a := range all {
		order += a.who
	}
	if order != row.sends {
		t.Errorf("requests %q, want %q", order, row.sends)
		return
	}
	for i, bounds := range strings.Fields(row.gaps) {
		var least, most float64
		if _, err := fmt.Sscanf(bounds, "%g-%g", &least, &most); err != nil {
			t.Fatal(err)
		}
		// A busy machine makes gaps longer; shorter only by what the first of the two needed to arrive.
		if gap := all[i+1].at.Sub(all[i].at).Seconds(); gap < least*0.75 || gap > most+5 {
			t.Errorf("gap %d is %.3f s, want %s", i+1, gap, bounds)
		}
	}
}

// checkSecrets looks for keys in what was said and in all files that were written.
func (row faultRow) checkSecrets(t *testing.T, dir, said string, n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		said += string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		key := faulttest.KeyCanary(letter(i))
		for at := 0; at+8 <= len(key); at++ {
			if piece := key[at : at+8]; strings.Contains(said, piece) && !strings.HasPrefix(key, piece) {
				t.Fatalf("a piece of key %s was written: %s", letter(i), piece)
			}
		}
	}
}
