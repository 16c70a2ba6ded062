package providers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/faulttest"
)

// TestConformUnreachable drops a candidate that no repetition can reach.
func TestConformUnreachable(t *testing.T) {
	nowhere := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}
	}}
	for name, transport := range map[string]http.RoundTripper{"certificate": nil, "host": nowhere} {
		for _, f := range wires() {
			t.Run("F09 "+name+"/"+f.String(), func(t *testing.T) {
				a, b := faulttest.StartTLS(t, f.framing, `[ok]`), faulttest.StartLoopback(t, f.framing, `[ok"x"]`)
				way := transport
				if way == nil {
					way = a.Transport()
				}
				ctx, record := faulttest.Watch(t.Context())
				m := providers.Fallback(calm(), f.client(t, "A", a, way), f.client(t, "B", b, b.Transport()))
				resp, err := m.Generate(ctx, prompt(), nil)
				if err != nil || resp.Candidate != "B" || resp.Attempts != 2 {
					t.Fatalf("%+v, %v", resp, err)
				}
				back := faulttest.Of[providers.FellBack](record)
				if len(a.Requests()) != 0 || len(b.Requests()) != 1 || len(back) != 1 || back[0].Kind != providers.KindTransport {
					t.Errorf("A %d, B %d requests, %+v", len(a.Requests()), len(b.Requests()), back)
				}
			})
		}
	}
}

// TestConformForeignCandidate falls back to another family.
func TestConformForeignCandidate(t *testing.T) {
	for _, from := range wires() {
		for _, to := range wires() {
			if from == to {
				continue
			}
			t.Run("F32/"+from.String()+" to "+to.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a, b := faulttest.Start(t, from.framing, `[503]`), faulttest.Start(t, to.framing, `[ok"x"]`)
					ctx, record := faulttest.Watch(t.Context())
					m := providers.Fallback(calm(), from.client(t, "A", a, a.Transport()), to.client(t, "B", b, b.Transport()))
					resp, err := m.Generate(ctx, prompt(), func(providers.Delta) error { return nil })
					record.Check(t, 10*time.Second, []faulttest.Result{{Response: resp, Err: err, Canaries: []string{faulttest.KeyCanary("A"), faulttest.KeyCanary("B")}}}, a, b)
					if err != nil || resp.Candidate != "B" || resp.Provider != to.provider {
						t.Fatalf("%+v, %v", resp, err)
					}
					for i, s := range []*faulttest.Server{a, b} {
						q := s.Requests()[0]
						if !q.HasKey(faulttest.KeyCanary(name(i))) || q.HasKey(faulttest.KeyCanary(name(1-i))) ||
							!strings.Contains(string(q.Body), "model-"+name(i)) || strings.Contains(string(q.Body), "model-"+name(1-i)) {
							t.Errorf("the request to %s holds what is not its own: %s", name(i), q.Body)
						}
					}
				})
			})
		}
	}
}

// TestConformLeaks has two hundred calls at once over real connections, most of which fail in some way.
func TestConformLeaks(t *testing.T) {
	scripts := []string{`[ok"x"]`, `[sse[t"A" w(∞)]]`, `[sse[t"A"]CUT*]`, `[sse[e(overloaded_error)]FIN, ok"x"]`, `[sse[t"A" e(overloaded_error)]FIN*]`, `[stall(∞)]`, `[hdr+stall(∞)]`, `[RST, ok"x"]`, `[200html, ok"x"]`}
	rnd := rand.New(rand.NewPCG(7, 7))
	servers := make([]*faulttest.Server, 200)
	models := make([]providers.Model, len(servers))
	p := providers.DefaultPolicy()
	p.Base, p.Jitter = time.Millisecond, time.Millisecond
	for i := range servers {
		f := wires()[rnd.IntN(len(wires()))]
		servers[i] = faulttest.StartLoopback(t, f.framing, scripts[rnd.IntN(len(scripts))])
		models[i] = providers.Retry(f.client(t, "A", servers[i], servers[i].Transport()), p)
	}
	round := func() {
		var all sync.WaitGroup
		for _, m := range models {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				resp, err := m.Generate(ctx, prompt(), func(providers.Delta) error { return nil })
				if err == nil && resp.Message.Text() != "x" {
					t.Errorf("half an answer is a success: %+v", resp)
				}
			})
		}
		all.Wait()
		for _, s := range servers {
			s.Transport().CloseIdleConnections()
		}
	}
	before := footprint()
	round()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		now := footprint()
		if now.goroutines <= before.goroutines+2 && now.files <= before.files && now.busy(servers) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%+v before, %+v after, %d connections busy", before, now, now.busy(servers))
		}
	}
}

type used struct{ goroutines, files int }

func footprint() used {
	u := used{goroutines: runtime.NumGoroutine()}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.files = len(fds)
	}
	return u
}

func (used) busy(servers []*faulttest.Server) (n int) {
	for _, s := range servers {
		n += s.Busy()
	}
	return n
}

// TestConformPanic has an adapter's worker and a consumer that panic; nothing of the call is left.
func TestConformPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := faulttest.Start(t, faulttest.OpenAIChat, `[sse[t"A" w(1) t"B" f D]FIN]`)
		m := providers.Retry(wires()[0].client(t, "A", s, s.Transport()), calm())
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != "consumer" {
					t.Errorf("recovered %s", got)
				}
			}()
			_, err := m.Generate(t.Context(), prompt(), func(providers.Delta) error { panic("consumer") })
			t.Errorf("went on: %v", errors.Unwrap(err))
		}()
		s.Transport().CloseIdleConnections()
		synctest.Wait()
		if s.Busy() != 0 {
			t.Errorf("%d connections are busy", s.Busy())
		}
	})
}

// TestConformLatePiece is cancelled while a piece waits that arrived already: the partial answer is what was shown.
func TestConformLatePiece(t *testing.T) {
	for _, f := range wires() {
		t.Run(f.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := faulttest.Start(t, f.framing, `[sse[t"A" t"B" w(∞)]]`)
				ctx, cancel := context.WithCancel(t.Context())
				ctx, record := faulttest.Watch(ctx)
				var shown string
				resp, err := providers.Retry(f.client(t, "A", s, s.Transport()), calm()).Generate(ctx, prompt(), func(d providers.Delta) error {
					shown += d.Text
					time.Sleep(time.Second) // meanwhile B arrives
					cancel()
					return nil
				})
				record.Check(t, 10*time.Second, []faulttest.Result{{Response: resp, Err: err, Canaries: []string{faulttest.KeyCanary("A")}}}, s)
				if providers.KindOf(err) != providers.KindCancelled || resp == nil || !resp.Incomplete {
					t.Fatalf("%+v, %v", resp, err)
				}
				if got := resp.Message.Text(); got != shown || shown != "A" {
					t.Errorf("%q was shown, the partial answer is %q", shown, got)
				}
				if late := faulttest.Of[providers.LateOutputDropped](record); len(late) != 1 {
					t.Errorf("late output was told %d times", len(late))
				}
			})
		})
	}
}

// TestConformDeadConnection has a kept-alive connection die under a request that net/http would like to repeat by itself.
func TestConformDeadConnection(t *testing.T) {
	for _, f := range wires() {
		t.Run(f.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := faulttest.Start(t, f.framing, `[ok"x", RST, ok"y"]`)
				ctx, record := faulttest.Watch(t.Context())
				m := providers.Retry(f.client(t, "A", s, s.Transport()), calm())
				var results []faulttest.Result
				for range 2 {
					req := prompt()
					req.Headers = map[string]string{"Idempotency-Key": "1", "X-Idempotency-Key": "1"}
					resp, err := m.Generate(ctx, req, nil)
					results = append(results, faulttest.Result{Response: resp, Err: err, Canaries: []string{faulttest.KeyCanary("A")}})
				}
				record.Check(t, 10*time.Second, results, s)
				if last := results[1]; last.Err != nil || last.Response.Attempts != 2 || last.Response.Message.Text() != "y" {
					t.Errorf("%+v, %v", last.Response, last.Err)
				}
				if s.Dials() != 2 {
					t.Errorf("%d connections: the first one was not used again", s.Dials())
				}
			})
		})
	}
}
