package providers

import (
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
