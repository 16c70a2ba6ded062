package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
)

// behind serves the polite server over HTTP.
func behind(t *testing.T, wrap func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newPolite() }, nil)
	if wrap != nil {
		h = wrap(h)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestStreamable(t *testing.T) {
	var keys atomic.Int64
	s := behind(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer k" && r.Header.Get("X-Helped") == "yes" {
				keys.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	})
	d := newDesk(t)
	got := d.open(Server{
		Name: "web", URL: s.URL, Headers: map[string]string{"authorization": "Bearer k"}, HeadersHelper: `echo '{"X-Helped": "yes"}'`,
	})
	if r := d.call(got["mcp__web__echo"], `{"text":"over HTTP"}`); r.Content != "over HTTP" {
		t.Errorf("%q", r.Content)
	}
	if keys.Load() == 0 {
		t.Error("the headers did not arrive")
	}
}

// TestOlderTransport: a server that only has the transport of 2024-11-05 is found by itself, or named.
func TestOlderTransport(t *testing.T) {
	s := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return newPolite() }, nil))
	defer s.Close()
	for _, named := range []bool{false, true} {
		t.Run(fmt.Sprint(named), func(t *testing.T) {
			d := newDesk(t)
			if r := d.call(d.open(Server{Name: "old", URL: s.URL, SSE: named})["mcp__old__echo"], `{"text":"x"}`); r.Content != "x" {
				t.Errorf("%q", r.Content)
			}
		})
	}
}

// TestKeysStay: whatever a server answers, keys go to its host alone.
func TestKeysStay(t *testing.T) {
	var leaked atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Add(1) }))
	defer thief.Close()
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		want string
	}{
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
		}, "redirects are not followed"},
		{"endpoint", func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", thief.URL)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "is called"},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "HTTP 403"},
		{"broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "HTTP 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(tt.h)
			defer s.Close()
			d := newDesk(t)
			got, err := d.tryOpen(Server{Name: "web", URL: s.URL, Headers: map[string]string{"Authorization": "Bearer k"}, StartTimeout: 3 * time.Second, Required: true})
			if err == nil || len(got) > 0 || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if strings.Contains(fmt.Sprint(err), "Bearer k") {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
	if leaked.Load() > 0 {
		t.Errorf("%d requests reached another host", leaked.Load())
	}
}

// authority is an authorisation server and the MCP server that trusts it.
type authority struct {
	*httptest.Server
	renewed atomic.Int64
}

func newAuthority(t *testing.T) *authority {
	a := &authority{}
	streams := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newPolite() }, nil)
	mux := http.NewServeMux()
	write := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer fresh-") {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+a.URL+`/.well-known/oauth-protected-resource"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		streams.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{
			"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		in["client_id"] = "registered"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(in)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" {
			http.Error(w, "no PKCE", http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"c0de"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		n := int64(0)
		if r.Form.Get("grant_type") == "refresh_token" {
			n = a.renewed.Add(1)
		} else if r.Form.Get("code_verifier") == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		write(w, map[string]any{"access_token": fmt.Sprintf("fresh-%d", n), "token_type": "Bearer", "expires_in": 1, "refresh_token": "again"})
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

// TestLogin: a person signs in once; runs use the token, renew it when it is over, and never open a browser.
func TestLogin(t *testing.T) {
	a := newAuthority(t)
	s := Server{Name: "web", URL: a.URL + "/mcp", Required: true}
	d := newDesk(t)
	if _, err := d.tryOpen(s); err == nil || !strings.Contains(err.Error(), "swarmrun mcp login web") {
		t.Errorf("before the sign-in: %v", err)
	}
	browser := func(address string) {
		go func() {
			resp, err := http.Get(address)
			if err == nil {
				resp.Body.Close()
			}
		}()
	}
	if err := Login(t.Context(), s, d.options, browser); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(d.options.Tokens, tokenFile(s.URL))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	if r := d.call(d.open(s)["mcp__web__echo"], `{"text":"x"}`); r.Content != "x" {
		t.Errorf("%q", r.Content)
	}
	if a.renewed.Load() == 0 {
		t.Error("a token of one second was not renewed")
	}
	kept, err := readToken(d.options.Tokens, s.URL)
	if err != nil || kept.Token.AccessToken == "fresh-0" {
		t.Errorf("the fresh token was not kept: %+v %v", kept, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readToken(d.options.Tokens, s.URL); err == nil || !strings.Contains(err.Error(), "read by others") {
		t.Errorf("%v", err)
	}
	for _, bad := range []Server{{Name: "p", Command: []string{"x"}}, {Name: "n", URL: a.URL, OAuth: OAuth{Off: true}}, {Name: "open", URL: behind(t, nil).URL}} {
		if err := Login(t.Context(), bad, d.options, browser); err == nil {
			t.Errorf("%s: signed in", bad.Name)
		}
	}
}

// TestRenewedOnce: requests that find the token over at the same moment renew it together, since what renews it holds once.
func TestRenewedOnce(t *testing.T) {
	var renewed atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("refresh_token") != "once" {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		renewed.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"fresh","token_type":"Bearer","expires_in":3600,"refresh_token":"twice"}`)
	}))
	defer s.Close()
	signer := &stored{tokens: t.TempDir(), url: "https://x/mcp", name: "web", client: s.Client()}
	over := &oauth2.Token{AccessToken: "old", RefreshToken: "once", Expiry: time.Now().Add(-time.Hour)}
	if err := writeToken(signer.tokens, signer.url, &token{Token: over, ClientID: "c", TokenURL: s.URL}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := bearer(t.Context(), signer); got != "fresh" {
				t.Errorf("token %q", got)
			}
		})
	}
	all.Wait()
	if n := renewed.Load(); n != 1 {
		t.Errorf("renewed %d times", n)
	}
}
