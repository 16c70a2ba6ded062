package builtin

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// public is an address that the policy lets through; the tests dial their own server for it.
const public = "93.184.215.14"

// site is a bench whose WebFetch finds every host at the given addresses, and behind public ones a server with handler.
type site struct {
	*bench
	lookups atomic.Int32
	dialled atomic.Int32
	now     time.Time
}

func newSite(t *testing.T, handler http.HandlerFunc, hosts map[string][]string) *site {
	t.Helper()
	srv := httptest.NewTLSServer(handler)
	t.Cleanup(srv.Close)
	s := &site{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	roots := srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	s.bench = newBenchWith(t, Options{
		Clock: func() time.Time { return s.now },
		Network: Network{
			Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
				n := int(s.lookups.Add(1)) - 1
				list, ok := hosts[host]
				if !ok {
					return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
				}
				if strings.HasPrefix(host, "rebind.") { // another answer each time
					list = list[n%len(list) : n%len(list)+1]
				}
				var addrs []netip.Addr
				for _, a := range list {
					addrs = append(addrs, netip.MustParseAddr(a))
				}
				return addrs, nil
			},
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				s.dialled.Add(1)
				host, _, err := net.SplitHostPort(address)
				if err != nil {
					return nil, err
				}
				if a, err := netip.ParseAddr(host); err != nil || !isPublic(a) {
					t.Errorf("dialled %s", address)
				}
				return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
			},
			TLS: &tls.Config{RootCAs: roots, ServerName: "example.com"},
		},
	})
	return s
}

func TestWebFetch(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			fmt.Fprint(w, "<html><title>Hi</title><h1>Top</h1><a href='x'>go</a>")
		case "/text":
			w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
			fmt.Fprint(w, "caf\xe9\n")
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"a":1}`)
		case "/empty":
		case "/bytes":
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprint(w, "%PDF")
		case "/kanji":
			w.Header().Set("Content-Type", "text/plain; charset=euc-jp")
			fmt.Fprint(w, "\xb4\xc1")
		case "/hop":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/down":
			http.Redirect(w, r, "http://example.com/text", http.StatusMovedPermanently)
		case "/away":
			http.Redirect(w, r, "http://other.example/landing#x", http.StatusMovedPermanently)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/lost":
			w.WriteHeader(http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/long":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, strings.Repeat("ä", maxWebChars+5))
		default:
			http.NotFound(w, r)
		}
	}, map[string][]string{"example.com": {public}})
	tests := []struct{ name, url, want string }{
		{"html", "https://example.com/page", "Title: Hi\n\n# Top\n\n[go](https://example.com/x)"},
		{"http becomes https", "http://example.com/page", "Title: Hi\n\n# Top\n\n[go](https://example.com/x)"},
		{"charset", "https://example.com/text", "café\n"},
		{"json", "https://example.com/json", `{"a":1}`},
		{"empty", "https://example.com/empty", "The page has no text.\n"},
		{"redirect", "https://example.com/hop", "Title: Hi\n\n# Top\n\n[go](https://example.com/x)"},
		{"redirect to http", "https://example.com/down", "café\n"},
		{"redirect to another host", "https://example.com/away", "https://example.com/away redirects to another host: https://other.example/landing\nFetch that address if it is the right one.\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, s.of(t).ok("WebFetch", in{"url": tt.url})); diff != "" {
				t.Error(diff)
			}
		})
	}
	refusals := []struct{ name, url, want string }{
		{"status", "https://example.com/nope", "404"},
		{"not text", "https://example.com/bytes", "application/pdf, not text"},
		{"encoding", "https://example.com/kanji", `"euc-jp"`},
		{"redirect to a file", "https://example.com/file", "no web address"},
		{"redirect to nowhere", "https://example.com/lost", "without a usable address"},
		{"redirects without end", "https://example.com/loop", "more than 5 redirects"},
		{"unknown host", "https://nowhere.example/", "no such host"},
		{"no scheme", "example.com", "must begin with https://"},
		{"file", "file:///etc/passwd", "must begin with https://"},
		{"no host", "https:///x", "names no host"},
		{"password", "https://me:pw@example.com/", "user name or password"},
		{"garbage", "https://exa mple/", "no web address"},
	}
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			s.of(t).refused(tt.want, "WebFetch", in{"url": tt.url})
		})
	}
	t.Run("100,000 characters", func(t *testing.T) {
		res := s.of(t).run("WebFetch", in{"url": "https://example.com/long"})
		want := strings.Repeat("ä", maxWebChars) + "\n\n[the first 100000 of 100005 characters]\n"
		if res.Content != want || len(res.Full) != 2*(maxWebChars+5) {
			t.Errorf("content of %d bytes ends %q, full of %d", len(res.Content), res.Content[len(res.Content)-60:], len(res.Full))
		}
	})
}

// TestWebFetchReachesPublicHostsOnly: P08, by name, by literal, after a redirect, and when a name changes its address.
func TestWebFetchReachesPublicHostsOnly(t *testing.T) {
	hosts := map[string][]string{
		"private.example": {"10.0.0.1"},
		"localhost":       {"127.0.0.1", "::1"},
		"mixed.example":   {"192.168.0.1", public},
		"rebind.example":  {public, "127.0.0.1"},
		"2130706433":      {"127.0.0.1"}, // what some resolvers make of it
	}
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/start" {
			http.Redirect(w, r, "/secret", http.StatusFound)
			return
		}
		fmt.Fprint(w, "body")
	}, hosts)
	for _, host := range []string{"private.example", "localhost", "2130706433", "127.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254", "0.0.0.0", "[fe80::1%25eth0]"} {
		s.refused("no public address", "WebFetch", in{"url": "https://" + host + "/"})
	}
	if n := s.dialled.Load(); n != 0 {
		t.Errorf("%d connections to private addresses", n)
	}
	s.ok("WebFetch", in{"url": "https://mixed.example/"}) // Dial checks that only the public one is used
	s.lookups.Store(0)
	s.refused("no public address", "WebFetch", in{"url": "https://rebind.example/start"})
	if n := s.lookups.Load(); n != 2 {
		t.Errorf("%d lookups, want one for each request", n)
	}
}

func TestIsPublic(t *testing.T) {
	tests := map[string]bool{
		public: true, "8.8.8.8": true, "2606:4700::1111": true, "64:ff9b::808:808": true,
		"0.0.0.0": false, "10.1.2.3": false, "100.64.0.1": false, "100.100.100.200": false, "127.0.0.1": false, "127.255.255.254": false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "172.32.0.1": true, "192.0.0.192": false, "192.168.1.1": false,
		"198.18.0.1": false, "224.0.0.1": false, "255.255.255.255": false, "168.63.129.16": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:8.8.8.8": true, "::7f00:1": false, "64:ff9b::7f00:1": false, "64:ff9b:1::1": false,
		"2001::1": false, "2001:db8::1": false, "2002:7f00:1::": false, "fc00::1": false, "fd00:ec2::254": false, "fe80::1": false,
		"fe80::1%eth0": false, "2606:4700::1%eth0": false, "ff02::1": false, "3fff::1": false,
	}
	for s, want := range tests {
		if got := isPublic(netip.MustParseAddr(s)); got != want {
			t.Errorf("%s: %t, want %t", s, got, want)
		}
	}
}

func TestWebFetchCaches(t *testing.T) {
	var hits atomic.Int32
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if hits.Add(1); r.URL.Path == "/bad" {
			w.WriteHeader(http.StatusBadGateway)
		}
		fmt.Fprint(w, "text")
	}, map[string][]string{"example.com": {public}})
	fetch := func(url string) { s.run("WebFetch", in{"url": url}) }
	for _, step := range []struct {
		url   string
		after time.Duration
		want  int32 // requests in all
	}{
		{"https://example.com/a", 0, 1},
		{"http://example.com/a#part", 0, 1},
		{"https://example.com/a", 14 * time.Minute, 1},
		{"https://example.com/a", time.Minute, 2},
		{"https://example.com/bad", 0, 3},
		{"https://example.com/bad", 0, 4},
	} {
		s.now = s.now.Add(step.after)
		if fetch(step.url); hits.Load() != step.want {
			t.Errorf("%s: %d requests, want %d", step.url, hits.Load(), step.want)
		}
	}
}

func TestWebCacheIsBounded(t *testing.T) {
	c := &webCache{now: func() time.Time { return time.Time{} }}
	for i := range cachePages + 10 {
		c.put(fmt.Sprint(i), webPage{text: strings.Repeat("x", cacheBytes/20)})
	}
	if len(c.pages) > 20 || c.bytes > cacheBytes {
		t.Errorf("%d pages, %d bytes", len(c.pages), c.bytes)
	}
	if _, ok := c.get(fmt.Sprint(cachePages + 9)); !ok {
		t.Error("the newest page is gone")
	}
	small := &webCache{now: c.now}
	for i := range cachePages + 10 {
		small.put(fmt.Sprint(i), webPage{})
	}
	if len(small.pages) != cachePages {
		t.Errorf("%d pages", len(small.pages))
	}
}

// TestWebFetchTimesOut has hosts that cannot be reached, that do not answer, and that never finish.
func TestWebFetchTimesOut(t *testing.T) {
	srv := httptest.NewTLSServer(nil)
	defer srv.Close()
	roots := srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	serve := func(conn net.Conn, answer string) {
		server := tls.Server(conn, &tls.Config{Certificates: srv.TLS.Certificates})
		defer server.Close()
		if _, err := http.ReadRequest(bufio.NewReader(server)); err != nil {
			return // the client has given up
		}
		fmt.Fprint(server, answer)
		_, _ = io.Copy(io.Discard, server) // until the client gives up
	}
	tests := []struct {
		name string
		dial func(ctx context.Context) (net.Conn, error)
		want time.Duration
	}{
		{"unreachable", func(ctx context.Context) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, dialTimeout},
		{"silent", func(context.Context) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go serve(theirs, "")
			return ours, nil
		}, fetchTimeout},
		{"endless", func(context.Context) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go serve(theirs, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nhalf")
			return ours, nil
		}, fetchTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBenchWith(t, Options{Network: Network{
					Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return tt.dial(ctx) },
					TLS:  &tls.Config{RootCAs: roots, ServerName: "example.com"},
				}})
				began := time.Now()
				b.refused(public, "WebFetch", in{"url": "https://" + public + "/"})
				if took := time.Since(began); took != tt.want {
					t.Errorf("gave up after %s, want %s", took, tt.want)
				}
			})
		})
	}
}

type sampler func(system, prompt string) (string, error)

func (f sampler) Sample(_ context.Context, system, prompt string) (string, error) {
	return f(system, prompt)
}

func TestWebFetchAsks(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "https://other.example/", http.StatusFound)
			return
		}
		fmt.Fprint(w, "The tide is at noon.")
	}, map[string][]string{"example.com": {public}})
	input := in{"url": "https://example.com/", "prompt": "When?"}
	if got := s.ok("WebFetch", input); got != "The tide is at noon." {
		t.Errorf("without a model: %q", got)
	}
	s.call.Model = sampler(func(system, prompt string) (string, error) {
		if !strings.Contains(system, "data") || !strings.Contains(prompt, "The tide is at noon.") || !strings.HasSuffix(prompt, "Question: When?") {
			t.Errorf("system %q, prompt %q", system, prompt)
		}
		return "At noon.", nil
	})
	if got := s.ok("WebFetch", input); got != "At noon." {
		t.Errorf("with a model: %q", got)
	}
	if got := s.ok("WebFetch", in{"url": "https://example.com/away", "prompt": "When?"}); !strings.Contains(got, "https://other.example/") {
		t.Errorf("moved: %q", got)
	}
	s.call.Model = sampler(func(string, string) (string, error) { return "", errors.New("budget is spent") })
	s.refused("budget is spent", "WebFetch", input)
}
