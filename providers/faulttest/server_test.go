package faulttest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseFaults(t *testing.T) {
	for script, want := range map[string]string{
		"":                      `want "["`,
		"[]":                    `"" is no step`,
		"[503":                  `want "]"`,
		"[503] x":               "something follows",
		"[503*, ok]":            `want "]"`,
		"[nonsense]":            `"nonsense" is no step`,
		"[503odd]":              `"odd" is no body`,
		"[stall(soon)]":         `"soon" is no duration`,
		"[stall]":               "want 1 arguments, not 0",
		"[sse[x]FIN]":           `"x" is no frame`,
		"[sse[t]FIN]":           "want a text in quotes",
		"[sse[c(a,b,c,d)]FIN]":  `"a" is no number`,
		"[sse[u(1)]FIN]":        "want 2 arguments, not 1",
		"[sse[(k)]FIN]":         `want "*"`,
		"[503{Retry-After]":     `want "="`,
		"[429(a,'b]":            "the quote is open",
		"[ok\"x]":               "the quote is open",
		"[redirect(a,b)]":       "want 1 arguments",
		"[429(a{Retry-After=1}": "want one of",
	} {
		if _, err := Parse(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want %s", script, err, want)
		}
	}
}

// ask sends one request in the framing's own path.
func ask(ctx context.Context, t *testing.T, s *Server, stream bool) (*http.Response, string, error) {
	t.Helper()
	body := `{"model":"test","prompt":"` + PromptCanary + `"}`
	if stream {
		body = `{"stream":true}`
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL()+"/x", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+KeyCanary("A"))
	client := &http.Client{Transport: s.Transport(), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Start(t, OpenAIChat, `[503{Retry-After="1, 2", X-Two=a, X-Two=b}, 429(slow_down,requests,"be slow"), 502html, 200empty, 200html, 200err(server_error), redirect(http://other/), 400("two words")]`)
		echo := " (Authorization: Bearer " + KeyCanary("A") + ") " + PromptCanary
		want := []struct {
			status     int
			body, kind string
		}{
			{503, `{"error":{"code":null,"message":"the answer is 503` + echo + `","param":null,"type":"server_error"}}`, "application/json"},
			{429, `{"error":{"code":"slow_down","message":"be slow` + echo + `","param":null,"type":"requests"}}`, "application/json"},
			{502, "<html><body><h1>HTML-CANARY</h1>" + echo + "</body></html>", "text/html; charset=utf-8"},
			{200, "", "application/json"},
			{200, "<html><body><h1>HTML-CANARY</h1>" + echo + "</body></html>", "text/html; charset=utf-8"},
			{200, `{"error":{"code":null,"message":"the answer is 200` + echo + `","param":null,"type":"server_error"}}`, "application/json"},
			{307, "", ""},
			{400, `{"error":{"code":null,"message":"two words` + echo + `","param":null,"type":"invalid_request_error"}}`, "application/json"},
		}
		for i, w := range want {
			resp, body, err := ask(t.Context(), t, s, false)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != w.status || body != w.body || resp.Header.Get("Content-Type") != w.kind {
				t.Errorf("step %d: %d %s\n%s\nwant\n%s", i, resp.StatusCode, resp.Header.Get("Content-Type"), body, w.body)
			}
			if i == 0 {
				if diff := cmp.Diff([]string{"1, 2"}, resp.Header["Retry-After"]); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff([]string{"a", "b"}, resp.Header["X-Two"]); diff != "" {
					t.Error(diff)
				}
			}
		}
		reqs := s.Requests()
		if len(reqs) != 8 || s.Sends() != 8 || !reqs[0].HasKey(KeyCanary("A")) || reqs[0].HasKey(KeyCanary("B")) || reqs[0].Path != "/v1/x" {
			t.Errorf("%d requests, first %+v", len(reqs), reqs[0])
		}
	})
}

func TestFramings(t *testing.T) {
	script := `[sse[m t"A" r"hm" c(0,c1,rm,'{"x"') c(1,c2,b,'{') c(0,,,':1}') c(1,,,'}') u(3,2) f D]FIN*]`
	want := map[Framing][2][]string{ // unary, stream: what must be there, in this order
		OpenAIChat: {
			{`"finish_reason":"tool_calls"`, `"content":"A"`, `"reasoning_content":"hm"`, `"arguments":"{\"x\":1}","name":"rm"`, `"id":"c1"`, `"completion_tokens":2,"prompt_tokens":3`},
			{`"role":"assistant"`, `"content":"A"`, `"reasoning_content":"hm"`, `"arguments":"{\"x\"","name":"rm"`, `"arguments":":1}"`, `"completion_tokens":2`, `"finish_reason":"tool_calls"`, "data: [DONE]\n\n"},
		},
		OpenAIResponses: {
			{`"type":"summary_text"`, `"text":"A"`, `"arguments":"{\"x\":1}","call_id":"c1"`, `"name":"b"`, `"status":"completed","usage":{"input_tokens":3`},
			{"event: response.created", "event: response.output_text.delta", `"delta":"A"`, "reasoning_summary_text.delta", `"call_id":"c1"`, `"delta":":1}"`, `"arguments":"{\"x\":1}"`, "event: response.completed", `"output_tokens":2`},
		},
		Anthropic: {
			{`"thinking":"hm"`, `"text":"A"`, `"input":{"x":1},"name":"rm"`, `"stop_reason":"tool_use"`, `"input_tokens":3,"output_tokens":2`},
			{"event: message_start", `"text_delta"`, `"thinking_delta"`, `"id":"c1"`, `"partial_json":"{\"x\""`, `"partial_json":":1}"`, "content_block_stop", `"stop_reason":"tool_use"`, "event: message_stop"},
		},
	}
	for framing, both := range want {
		for i, stream := range []bool{false, true} {
			t.Run(framing.String()+map[bool]string{true: " stream", false: " unary"}[stream], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := Start(t, framing, script)
					_, body, err := ask(t.Context(), t, s, stream)
					if err != nil {
						t.Fatal(err)
					}
					rest := body
					for _, piece := range both[i] {
						_, after, ok := strings.Cut(rest, piece)
						if !ok {
							t.Fatalf("%s is not there, or too early:\n%s", piece, body)
						}
						rest = after
					}
					if !s.Requests()[0].Complete {
						t.Error("the answer does not count as complete")
					}
				})
			})
		}
	}
}

var errAny = errors.New("any")

func TestConnectionsEnd(t *testing.T) {
	tests := []struct {
		script string
		stream bool
		want   error // nil = the body ends properly
		body   string
		took   time.Duration
	}{
		{"[refuse]", true, syscall.ECONNREFUSED, "", 0},
		{"[acceptclose]", true, errAny, "", 0}, // net/http has an error of its own for it
		{"[RST]", true, syscall.ECONNRESET, "", 0},
		{"[stall(3)]", true, io.EOF, "", 3 * time.Second},
		{"[hdr+stall(3s)]", true, io.ErrUnexpectedEOF, "", 3 * time.Second},
		{`[sse[k w(2) k]CUT]`, true, io.ErrUnexpectedEOF, comment + comment, 2 * time.Second},
		{`[sse[k]RST]`, true, syscall.ECONNRESET, comment, 0},
		{`[sse[k]FIN]`, true, nil, comment, 0},
		{`[sse[t"A" f D w(2)]CUT]`, false, io.ErrUnexpectedEOF, "", 2 * time.Second},
		{`[sse[t"A"]RST]`, false, syscall.ECONNRESET, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := Start(t, OpenAIChat, tt.script)
				start := time.Now()
				_, body, err := ask(t.Context(), t, s, tt.stream)
				if tt.want == nil && err != nil || tt.want == errAny && err == nil || tt.want != errAny && !errors.Is(err, tt.want) {
					t.Errorf("got %v", err)
				}
				if tt.body != "" && !strings.HasPrefix(body, tt.body) {
					t.Errorf("body %q", body)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v", took)
				}
				if s.Sends() != 1 || s.Dials() != 1 {
					t.Errorf("%d sends, %d dials", s.Sends(), s.Dials())
				}
				for _, q := range s.Requests() {
					if q.Complete && tt.want != nil {
						t.Error("a cut answer counts as complete")
					}
				}
			})
		})
	}
}

// TestDialStepsNeedFreshConnections has a kept-alive connection before them.
func TestDialStepsNeedFreshConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Start(t, OpenAIChat, `[ok, refuse, ok, acceptclose, ok"last"]`)
		var failed []int
		for i := range 5 {
			if _, _, err := ask(t.Context(), t, s, false); err != nil {
				failed = append(failed, i)
			}
		}
		if diff := cmp.Diff([]int{1, 3}, failed); diff != "" || len(s.Requests()) != 3 || s.Sends() != 5 {
			t.Errorf("%s%d requests, %d sends", diff, len(s.Requests()), s.Sends())
		}
	})
}

func TestClientLeaves(t *testing.T) {
	for _, script := range []string{`[stall(∞)]`, `[hdr+stall(∞)]`, `[trickle(3,2)]`, `[sse[t"A" w(∞)]]`, `[sse[(k w(5))*]]`} {
		t.Run(script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := Start(t, OpenAIChat, script)
				ctx, cancel := context.WithTimeout(t.Context(), 11*time.Second)
				defer cancel()
				start := time.Now()
				if _, _, err := ask(ctx, t, s, true); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				synctest.Wait()
				if gone := s.Requests()[0].Gone.Sub(start); gone != 11*time.Second || s.Busy() != 0 {
					t.Errorf("the server saw it after %v, busy %d", gone, s.Busy())
				}
			})
		})
	}
}

func TestTrickle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Start(t, Anthropic, `[trickle(3,2)]`)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.BaseURL(), strings.NewReader(`{"stream": true}`))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		resp, err := s.Transport().RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		blanks, err := bufio.NewReader(resp.Body).Peek(9)
		if err != nil || string(blanks) != strings.Repeat("\n", 9) || time.Since(start) != 6*time.Second {
			t.Errorf("%q after %v, %v", blanks, time.Since(start), err)
		}
	})
}

func TestLoopback(t *testing.T) {
	s := StartLoopback(t, OpenAIResponses, `[ok"hello", refuse, sse[t"A"]RST]`)
	if _, body, err := ask(t.Context(), t, s, false); err != nil || !strings.Contains(body, "hello") {
		t.Errorf("%v: %s", err, body)
	}
	if _, _, err := ask(t.Context(), t, s, false); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
	if _, _, err := ask(t.Context(), t, s, true); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v", err)
	}
	closed := StartLoopback(t, OpenAIChat, `[refuse*]`)
	if _, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(closed.url, "http://")); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
	if _, _, err := ask(t.Context(), t, StartTLS(t, OpenAIChat, `[ok]`), false); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
}

// FuzzParse wants scripts to be read or refused.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`[503{Retry-After="1, 2"}*]`, `[sse[m t"x" c(0,,,':1}') (k w(5))* u(3,1) f D]CUT, ok"x"]`, `[429(a,b,"c"), hdr+stall(∞), redirect(x)]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if s, err := Parse(script); err == nil && len(s.steps) == 0 {
			t.Errorf("%q has no step", script)
		}
	})
}
