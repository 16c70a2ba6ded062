package faulttest

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Server is one candidate's provider. It counts what arrives; clients reach it through Transport at BaseURL.
type Server struct {
	t         testing.TB
	framing   Framing
	script    Script
	transport *http.Transport
	url       string
	done      chan struct{} // closed when the test ends

	mu       sync.Mutex
	next     int // step of the next request
	dials    int
	dropped  int // dials that ended before a request: refuse, acceptclose
	requests []*Request
	busy     map[net.Conn]bool
}

// Request is what a server saw of one request.
type Request struct {
	At     time.Time
	Path   string
	Header http.Header
	Body   []byte
	Gone   time.Time // when the client went away before the answer ended; zero = it stayed
	// Complete says that the answer went out to its terminal marker.
	Complete bool
}

// Start serves a script in memory, for tests in virtual time. It ends with the test.
func Start(t testing.TB, f Framing, script string) *Server {
	t.Helper()
	s := newServer(t, f, script)
	l := newPipeListener()
	s.url = "http://" + l.Addr().String()
	s.transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return s.dial(ctx, l)
	}}
	h := &http.Server{Handler: s, ConnState: s.connState}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = h.Serve(l)
	}()
	t.Cleanup(func() {
		close(s.done)
		s.transport.CloseIdleConnections()
		_ = h.Close()
		<-served
	})
	return s
}

// StartLoopback serves a script on a real port of 127.0.0.1. A script whose only step is refuse closes the port; refuse
// and acceptclose in other places work through Transport only.
func StartLoopback(t testing.TB, f Framing, script string) *Server {
	t.Helper()
	s := newServer(t, f, script)
	h := s.listen(t, f, (*httptest.Server).Start)
	dialer := &net.Dialer{}
	address := h.Listener.Addr().String()
	s.transport = &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		if c, err, over := s.dialStep(); over {
			return c, err
		}
		return dialer.DialContext(ctx, network, address)
	}}
	if first := s.script.steps[0]; first.action == actRefuse && len(s.script.steps) == 1 {
		_ = h.Listener.Close()
	}
	return s
}

// StartTLS serves a script on loopback with a certificate that nobody trusts.
func StartTLS(t testing.TB, f Framing, script string) *Server {
	t.Helper()
	s := newServer(t, f, script)
	s.listen(t, f, (*httptest.Server).StartTLS)
	s.transport = &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	return s
}

func (s *Server) listen(t testing.TB, f Framing, start func(*httptest.Server)) *httptest.Server {
	h := httptest.NewUnstartedServer(s)
	h.Config.ConnState = s.connState
	h.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of clients that leave, which is what tests make them do
	start(h)
	s.url = h.URL
	t.Cleanup(func() {
		close(s.done)
		s.transport.CloseIdleConnections()
		h.CloseClientConnections()
		h.Close()
	})
	return h
}

func newServer(t testing.TB, f Framing, script string) *Server {
	t.Helper()
	parsed, err := Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	return &Server{t: t, framing: f, script: parsed, done: make(chan struct{}), busy: map[net.Conn]bool{}}
}

// Transport reaches the server. It is an ordinary http.Transport that keeps connections alive.
func (s *Server) Transport() *http.Transport { return s.transport }

// BaseURL is the address as settings want it: with the version segment, except for Anthropic.
func (s *Server) BaseURL() string {
	if s.framing == Anthropic {
		return s.url
	}
	return s.url + "/v1"
}

// Requests are those that arrived, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, len(s.requests))
	for i, r := range s.requests {
		out[i] = *r
	}
	return out
}

// Dials are connection attempts, refused ones included.
func (s *Server) Dials() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dials
}

// Sends are requests and those connection attempts that ended before one.
func (s *Server) Sends() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests) + s.dropped
}

// Busy is the number of connections on which an answer is under way.
func (s *Server) Busy() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.busy)
}

func (s *Server) connState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
	case http.StateActive:
		s.busy[c] = true
	default:
		delete(s.busy, c)
	}
}

func (s *Server) dial(ctx context.Context, l *pipeListener) (net.Conn, error) {
	if c, err, over := s.dialStep(); over {
		return c, err
	}
	return l.dial(ctx)
}

// dialStep plays the steps that concern a connection.
func (s *Server) dialStep() (c net.Conn, err error, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dials++
	step, ok := s.script.at(s.next)
	if !ok || !step.dialled() {
		return nil, nil, false
	}
	s.next++
	s.dropped++
	if step.action == actRefuse {
		return nil, refused(), true
	}
	client, server := newPipe()
	_ = server.Close()
	return client, nil, true
}

// take finds the step for a request, and whether the one after it wants a fresh connection.
func (s *Server) take(r *Request) (this step, fresh, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	this, ok = s.script.at(s.next)
	s.next++
	after, more := s.script.at(s.next)
	return this, more && after.dialled(), ok
}

func (s *Server) note(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// ServeHTTP answers one request with the step that is due.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	seen := &Request{At: time.Now(), Path: r.URL.Path, Header: r.Header.Clone()}
	body, err := io.ReadAll(r.Body)
	seen.Body = body
	this, fresh, ok := s.take(seen)
	if err != nil {
		return
	}
	if !ok {
		s.t.Errorf("request %d is not in the script", len(s.Requests()))
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if fresh {
		w.Header().Set("Connection", "close")
	}
	a := &answering{Server: s, w: w, r: r, seen: seen, step: this, stream: streamed(body)}
	a.play()
	if r.Context().Err() != nil {
		s.note(func() { seen.Gone = time.Now() })
	}
}

func streamed(body []byte) bool {
	return slices.ContainsFunc([]string{`"stream":true`, `"stream": true`}, func(s string) bool { return bytes.Contains(body, []byte(s)) })
}
