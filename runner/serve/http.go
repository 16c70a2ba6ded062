package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the server answers.
const Path = "/mcp"

const (
	idle     = 30 * time.Minute // of a client's session
	farewell = 2 * time.Second
)

// Door says who may come in by HTTP.
type Door struct {
	Token string // that requests carry as a bearer; "" = none is asked for, which only a loopback address may have
	Host  string // another name of the address than its number
}

// ErrOpen is the error of HTTP for an address that others reach without a token.
var ErrOpen = errors.New("an address that other machines reach needs a token")

// HTTP serves any number of clients until ctx is done. Only requests that name the address are answered, on a loopback address
// by a loopback name, so that no web page can reach the server through a name of its own; requests of pages of other origins never
// are.
func (s *Server) HTTP(ctx context.Context, l net.Listener, d *Door) error {
	defer s.end()
	if d == nil {
		d = &Door{}
	}
	if d.Token == "" && !isLocal(l.Addr()) {
		return ErrOpen
	}
	streams := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.mcp }, &sdk.StreamableHTTPOptions{
		SessionTimeout: idle, DisableLocalhostProtection: true, // guarded does it, for other addresses too
	})
	mux := http.NewServeMux()
	mux.Handle(Path, guarded(l.Addr(), d, streams))
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

// isLocal tells whether an address is reached from this machine only.
func isLocal(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// guarded answers requests that are meant for the address, come from no foreign page and carry the token.
func guarded(at net.Addr, d *Door, next http.Handler) http.Handler {
	local, want := isLocal(at), sha256.Sum256([]byte("Bearer "+d.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		switch {
		case local && !loopback(r.Host):
			http.Error(w, "this server answers to loopback names only", http.StatusForbidden)
		case !local && !d.named(r.Host):
			http.Error(w, "this server answers to its address only", http.StatusForbidden)
		case r.Header.Get("Origin") != "" && !sameOrigin(r):
			http.Error(w, "pages of other origins are not answered", http.StatusForbidden)
		case d.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) != 1:
			w.Header().Set("WWW-Authenticate", `Bearer realm="swarmrun"`)
			http.Error(w, "this server wants a token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxFrame)
			next.ServeHTTP(w, r)
		}
	})
}

// named tells whether a Host header is a number, which no page can make its own, or the name of the address.
func (d *Door) named(host string) bool {
	name := hostOf(host)
	return net.ParseIP(name) != nil || loopback(host) || d.Host != "" && strings.EqualFold(name, d.Host)
}

// hostOf is a Host header without the port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// loopback tells whether a Host header names this machine and nothing else.
func loopback(host string) bool {
	name := hostOf(host)
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
