package providers

import (
	"context"
	"net"
	"net/http"
	"time"
)

// NewTransport makes the connection pool that one process shares among its clients: proxies from the environment, no
// compression (it would hold back streamed text), no time limit of its own, since scopes and attempts have theirs. Most
// requests fit into the buffer of their connection and are written at once.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableCompression: true,
		WriteBufferSize: 16 << 10, MaxIdleConns: 1024, MaxIdleConnsPerHost: 512, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
	}
}

type debugKey struct{}

type debugSink struct {
	redactor *Redactor
	tell     func(provider string, status int, body string)
}

// WithDebug shows the bodies of refused requests, redacted by r, to tell. It is for a person who looks for a fault: bodies
// are kept nowhere else.
func WithDebug(ctx context.Context, r *Redactor, tell func(provider string, status int, body string)) context.Context {
	return context.WithValue(ctx, debugKey{}, &debugSink{r, tell})
}

// Debug hands a body to the sink of WithDebug, if there is one. It is for transports.
func Debug(ctx context.Context, provider string, status int, body []byte) {
	if d, ok := ctx.Value(debugKey{}).(*debugSink); ok {
		d.tell(provider, status, d.redactor.Text(string(body)))
	}
}
