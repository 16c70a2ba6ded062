package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

// lines is a decoder of the simplest wire: an event's data is text, "end" is the marker.
type lines struct{ answer Answer }

func (d *lines) Event(_, data []byte) (Signal, providers.Delta, error) {
	if string(data) == "end" {
		return Terminal, providers.Delta{}, nil
	}
	d.answer.Parts = append(d.answer.Parts, providers.Text{Text: string(data)})
	return Data, providers.Delta{Text: string(data)}, nil
}

func (d *lines) Body(body []byte) error {
	d.answer.Parts = append(d.answer.Parts, providers.Text{Text: string(body)})
	return nil
}

func (d *lines) Answer() *Answer                   { return &d.answer }
func (d *lines) Finish() (providers.Finish, error) { return providers.FinishStop, nil }

// poster sends the exchange to an address.
type poster func(ctx context.Context, url string) error

// posts sends x through tap.
func posts(tap *Tap, x *Exchange) poster {
	return func(ctx context.Context, url string) error {
		frame, err := Post(url)()
		if err != nil {
			return err
		}
		return tap.Send(ctx, x, frame)
	}
}

// exchange makes one through call, in an attempt of its own.
func exchange(t *testing.T, emit func(providers.Delta) error, call func(ctx context.Context, post poster) error) (*providers.Response, error) {
	t.Helper()
	tr := providers.NewTransport()
	defer tr.CloseIdleConnections()
	return exchangeBy(t, NewTap(tr), emit, call)
}

func exchangeBy(t *testing.T, tap *Tap, emit func(providers.Delta) error, call func(ctx context.Context, post poster) error) (*providers.Response, error) {
	t.Helper()
	ctx, a, end, err := providers.Join(t.Context(), providers.Identity{Candidate: "A"})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	x := &Exchange{Attempt: a, Provider: "openai", Stream: emit != nil, Body: []byte("{}"), Decoder: &lines{}}
	return Run(ctx, x, emit, func(ctx context.Context) error { return call(ctx, posts(tap, x)) })
}

func ignore(providers.Delta) error { return nil }

func TestPanicOfAnAdapter(t *testing.T) {
	_, err := exchange(t, ignore, func(context.Context, poster) error { panic("sk-CANARY") })
	if providers.KindOf(err) != providers.KindUnknown || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("%v", err)
	}
}

func TestAdapterThatSendsNothing(t *testing.T) {
	if resp, err := exchange(t, nil, func(context.Context, poster) error { return nil }); providers.KindOf(err) != providers.KindUnknown {
		t.Errorf("%v %v", resp, err)
	}
}

// An adapter that repeats is refused: one request reaches the server, and the first verdict stands.
func TestSecondSendIsRefused(t *testing.T) {
	var hits atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { hits.Add(1); w.WriteHeader(503) }))
	defer srv.Close()
	_, err := exchange(t, ignore, func(ctx context.Context, post poster) error {
		_ = post(ctx, srv.URL)
		if ctx.Err() == nil {
			t.Error("the attempt goes on after its verdict")
		}
		if err := post(ctx, srv.URL); !errors.Is(err, providers.ErrSecondSend) {
			t.Errorf("second send: %v", err)
		}
		return nil
	})
	if hits.Load() != 1 || providers.KindOf(err) != providers.KindServer {
		t.Errorf("%d hits, %v", hits.Load(), err)
	}
}

// The adapter's own view does not count, neither its error nor its silence about one.
func TestTapOutranksTheAdapter(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: a\n\ndata: end\n\n")
	}))
	defer srv.Close()
	resp, err := exchange(t, ignore, func(ctx context.Context, post poster) error {
		_ = post(ctx, srv.URL)
		return errors.New("the adapter is not content")
	})
	if err != nil || resp.Message.Text() != "a" {
		t.Errorf("%v %v", resp, err)
	}
}

func TestPanicOfEmitLeavesNothing(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: a\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer srv.Close()
	ended := false
	func() {
		defer func() {
			if recover() != "mine" {
				t.Error("the panic is lost")
			}
		}()
		_, _ = exchange(t, func(providers.Delta) error { panic("mine") }, func(ctx context.Context, post poster) error {
			err := post(ctx, srv.URL)
			ended = true
			return err
		})
	}()
	if !ended {
		t.Error("the worker is left behind")
	}
}

func TestConnections(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	untrusted := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if strings.HasSuffix(r.URL.Path, "rst") {
			_ = c.(*net.TCPConn).SetLinger(0)
		}
		_ = c.Close()
	}))
	defer plain.Close()
	tests := []struct {
		name, url string
		noRepeat  bool
	}{
		{"refused", "http://" + closed.Addr().String(), false},
		{"closed", plain.URL, false},
		{"reset", plain.URL + "/rst", false},
		{"certificate", untrusted.URL, true},
		{"no tls", strings.Replace(plain.URL, "http:", "https:", 1), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := exchange(t, nil, func(ctx context.Context, post poster) error { return post(ctx, tt.url) })
			var e *providers.Error
			if !errors.As(err, &e) || e.Kind != providers.KindTransport || e.NoRepeat != tt.noRepeat {
				t.Errorf("%+v", e)
			}
		})
	}
	for _, err := range []error{&net.DNSError{IsNotFound: true}, tls.RecordHeaderError{}} {
		if e := Connection(err); !e.NoRepeat || e.Hint == "" {
			t.Errorf("%T may be repeated", err)
		}
	}
	if Connection(&net.DNSError{IsTimeout: true}).NoRepeat {
		t.Error("a resolver that is slow is no reason to give up")
	}
}

// A redirect is an answer like any other refusal: the key stays where it was sent.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var stolen atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	defer other.Close()
	srv := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer srv.Close()
	_, err := exchange(t, nil, func(ctx context.Context, post poster) error { return post(ctx, srv.URL) })
	if providers.KindOf(err) != providers.KindInvalidRequest || stolen.Load() != 0 {
		t.Errorf("%v, %d requests elsewhere", err, stolen.Load())
	}
}

func TestErrorBodyThatStalls(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(429)
		_, _ = io.WriteString(w, `{"error":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer srv.Close()
	start := time.Now()
	_, err := exchange(t, nil, func(ctx context.Context, post poster) error { return post(ctx, srv.URL) })
	if providers.KindOf(err) != providers.KindRateLimit || time.Since(start) > errorBodyTime+5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// A connection is used again after a complete answer, streamed or not.
func TestConnectionsAreUsedAgain(t *testing.T) {
	var opened atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: a\n\ndata: end\n\n")
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	tap := NewTap(providers.NewTransport())
	for range 20 {
		if _, err := exchangeBy(t, tap, ignore, func(ctx context.Context, post poster) error { return post(ctx, srv.URL) }); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for 20 calls", n)
	}
}

// Two hundred calls, some of which fail, leave no goroutine and no connection.
func TestNothingIsLeft(t *testing.T) {
	answers := []string{"data: a\n\ndata: end\n\n", "data: a\n\n", "", "data: a\n\n\x00stall", "\x00reset", "\x00503"}
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch a := answers[int(n.Add(1))%len(answers)]; {
		case a == "\x00503":
			w.WriteHeader(503)
		case a == "\x00reset":
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		default:
			text, stall := strings.CutSuffix(a, "\x00stall")
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
			if stall {
				<-r.Context().Done()
			}
		}
	}))
	tr := providers.NewTransport()
	tap := NewTap(tr)
	before := runtime.NumGoroutine()
	done := make(chan struct{})
	for range 200 {
		go func() {
			defer func() { done <- struct{}{} }()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			ctx, a, end, err := providers.Join(ctx, providers.Identity{})
			if err != nil {
				return
			}
			defer end()
			x := &Exchange{Attempt: a, Provider: "openai", Stream: true, Body: []byte("{}"), Decoder: &lines{}}
			_, _ = Run(ctx, x, ignore, func(ctx context.Context) error { return posts(tap, x)(ctx, srv.URL) })
		}()
	}
	for range 200 {
		<-done
	}
	tr.CloseIdleConnections()
	srv.Close()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before+2 && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > before+2 {
		t.Errorf("%d goroutines, %d before", now, before)
	}
}
