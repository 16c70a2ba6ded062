package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the server answers.
const Path = "/mcp"

const (
	idle     = 30 * time.Minute // of a client's session
	farewell = 2 * time.Second
)

// HTTP serves any number of clients until ctx is done. On a loopback address only requests that name it are answered, so that
// no web page can reach the server through a name of its own; requests of pages of other origins never are.
func (s *Server) HTTP(ctx context.Context, l net.Listener) error {
	defer s.end()
	streams := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.mcp }, &sdk.StreamableHTTPOptions{SessionTimeout: idle})
	mux := http.NewServeMux()
	mux.Handle(Path, guarded(l.Addr(), streams))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.end()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if server.Shutdown(end) != nil {
		_ = server.Close() // streams that clients keep open
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return context.Cause(ctx)
}

// guarded answers requests that are meant for the address and come from no foreign page.
func guarded(at net.Addr, next http.Handler) http.Handler {
	local := false
	if tcp, ok := at.(*net.TCPAddr); ok {
		local = tcp.IP.IsLoopback()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case local && !loopback(r.Host):
			http.Error(w, "this server answers to loopback names only", http.StatusForbidden)
		case r.Header.Get("Origin") != "" && !sameOrigin(r):
			http.Error(w, "pages of other origins are not answered", http.StatusForbidden)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxFrame)
			next.ServeHTTP(w, r)
		}
	})
}

// loopback tells whether a Host header names this machine and nothing else.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if name == "localhost" {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

func sameOrigin(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && u.Host == r.Host
}
