package mcp

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// maxEvent is the longest event of a stream, in bytes.
const maxEvent = 16 << 20

// dial connects to a server behind HTTP: by the streamable transport, and by the older one where the server has only that.
func (l *link) dial(ctx context.Context) (*session, error) {
	headers, err := l.headers(ctx)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(l.server.URL)
	if err != nil {
		return nil, errors.New("the url cannot be read")
	}
	g := &guard{name: l.server.Name, base: l.options.transport(l.server.Insecure), at: address, headers: headers}
	client := &http.Client{Transport: g, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	signer, err := l.signer(headers)
	if err != nil {
		return nil, err
	}
	if !l.server.SSE {
		s, err := l.attach(ctx, &sdk.StreamableClientTransport{
			Endpoint: l.server.URL, HTTPClient: client, MaxRetries: -1, OAuthHandler: signer, MaxEventSize: maxEvent,
		})
		if err == nil {
			return s, nil
		}
		if !g.older() || ctx.Err() != nil {
			return nil, l.explain(ctx, nil, g.reason(err))
		}
	}
	if signer != nil { // the older transport of the SDK cannot ask for one
		g.token = func(ctx context.Context) string { return bearer(ctx, signer) }
	}
	s, err := l.attach(ctx, &sdk.SSEClientTransport{Endpoint: l.server.URL, HTTPClient: client, MaxEventSize: maxEvent})
	if err != nil {
		return nil, l.explain(ctx, nil, g.reason(err))
	}
	return s, nil
}

func bearer(ctx context.Context, h auth.OAuthHandler) string {
	source, err := h.TokenSource(ctx)
	if err != nil || source == nil {
		return ""
	}
	t, err := source.Token()
	if err != nil {
		return ""
	}
	return t.AccessToken
}

// attach shakes hands. What the transport keeps open may live as long as the link, where ctx ends with the start.
func (l *link) attach(ctx context.Context, t sdk.Transport) (*session, error) {
	long, cancel := l.life()
	stop := context.AfterFunc(ctx, cancel)
	cs, err := l.client().Connect(long, t, nil)
	if !stop() || err != nil {
		if err == nil {
			_ = cs.Close() // too late for anybody
			err = context.Cause(ctx)
		}
		cancel()
		return nil, err
	}
	return &session{cs: cs, drop: cancel, ended: make(chan struct{})}, nil
}

// headers are those of the settings, and what their helper prints.
func (l *link) headers(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for k, v := range l.server.Headers {
		out[http.CanonicalHeaderKey(k)] = v
	}
	if l.server.HeadersHelper == "" {
		return out, nil
	}
	got, err := l.launcher().Run(ctx, sandbox.Command{
		Argv: []string{"sh", "-c", l.server.HeadersHelper}, Dir: l.workspace, Timeout: 10 * time.Second, Keep: 64 << 10, Access: l.access(),
	})
	if err != nil {
		return nil, fmt.Errorf("headersHelper: %w", err)
	}
	if got.Exit != 0 {
		return nil, fmt.Errorf("headersHelper ended with exit code %d: %s", got.Exit, short(got.Stderr.String(), 300))
	}
	var more map[string]string
	if json.Unmarshal([]byte(got.Stdout.String()), &more) != nil {
		return nil, errors.New("headersHelper printed no JSON object of texts")
	}
	for k, v := range more {
		out[http.CanonicalHeaderKey(k)] = v
	}
	return out, nil
}

func (o *Options) transport(insecure bool) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	if o.HTTP != nil {
		t = o.HTTP.Clone()
	}
	if insecure {
		if t.TLSClientConfig == nil {
			t.TLSClientConfig = &tls.Config{}
		}
		t.TLSClientConfig.InsecureSkipVerify = true // the definition says so, and loading it warns
	}
	return t
}

// guard sends requests to one server and nowhere else: whatever address that one names, keys stay at theirs.
type guard struct {
	name    string // of the server
	base    http.RoundTripper
	at      *url.URL
	headers map[string]string
	token   func(context.Context) string // nil = none is added

	refusal atomic.Pointer[refusal]
	strayed atomic.Pointer[error] // the first request to another address, which was not sent
	cut     atomic.Pointer[error] // why the last request that went nowhere did
}

// refusal is the last answer that was no success.
type refusal struct {
	status   int
	location string
}

// RoundTrip adds the headers.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != g.at.Scheme || r.URL.Host != g.at.Host {
		err := fmt.Errorf("the server names the address %s, and only %s is called", short(r.URL.Redacted(), 200), g.at.Host)
		g.strayed.CompareAndSwap(nil, &err)
		return nil, err
	}
	ctx, cancel := r.Context(), context.CancelFunc(func() {})
	if r.Method == http.MethodDelete { // the farewell of a session
		ctx, cancel = context.WithTimeout(ctx, time.Second)
	}
	r = r.Clone(ctx)
	for k, v := range g.headers {
		r.Header.Set(k, v)
	}
	if g.token != nil && r.Header.Get("Authorization") == "" {
		if t := g.token(ctx); t != "" {
			r.Header.Set("Authorization", "Bearer "+t)
		}
	}
	resp, err := g.base.RoundTrip(r)
	if err != nil {
		cancel()
		if ctx.Err() == nil {
			g.cut.Store(&err)
		}
		return nil, err
	}
	g.cut.Store(nil)
	if r.Method == http.MethodPost && resp.StatusCode >= 300 {
		g.refusal.Store(&refusal{resp.StatusCode, resp.Header.Get("Location")})
	}
	resp.Body = &body{resp.Body, cancel}
	return resp, nil
}

// body gives its context back when it is closed.
type body struct {
	io.ReadCloser
	cancel func()
}

func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// older tells whether the server refused the streamable transport, so that it may speak the one before.
func (g *guard) older() bool {
	r := g.refusal.Load()
	return r != nil && (r.status == http.StatusBadRequest || r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed)
}

// reason adds what the last answer said.
func (g *guard) reason(err error) error {
	if stray := g.strayed.Load(); stray != nil {
		return *stray // the client may call it an end of the connection
	}
	if failure := g.cut.Load(); failure != nil {
		return fmt.Errorf("%s cannot be reached: %s", g.at.Host, plainly(*failure))
	}
	r := g.refusal.Load()
	switch {
	case r == nil:
		return err
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden:
		return fmt.Errorf("HTTP %d: it wants to know who asks; give it headers, or sign in with `swarmrun mcp login %s`", r.status, g.name)
	case r.status < 400:
		return fmt.Errorf("HTTP %d: it has moved to %s; redirects are not followed, so write the new address in url", r.status, short(r.location, 200))
	}
	return fmt.Errorf("HTTP %d (%s) from %s", r.status, http.StatusText(r.status), short(g.at.Redacted(), 200))
}
