package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// signer signs requests with a token that was stored before; nil where the settings bring what signs, or forbid it. A run
// never opens a browser: without a token that works it says how to get one.
func (l *link) signer(headers map[string]string) (auth.OAuthHandler, error) {
	if l.server.OAuth.Off || headers["Authorization"] != "" || l.options.Tokens == "" {
		return nil, nil
	}
	return &stored{tokens: l.options.Tokens, url: l.server.URL, name: l.server.Name, client: l.options.signInClient(l.server.Insecure)}, nil
}

// stored is an auth.OAuthHandler of tokens on disk.
type stored struct {
	tokens, url, name string
	client            *http.Client

	mu sync.Mutex // held while a token is renewed: what renews it is often good for one time only
}

// TokenSource gives the stored token, and a fresh one where that is over, which it writes down.
func (s *stored) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, err := readToken(s.tokens, s.url)
	if err != nil || kept == nil {
		return nil, err
	}
	t, err := kept.source(context.WithValue(ctx, oauth2.HTTPClient, s.client)).Token()
	if err != nil {
		return nil, errors.New("the sign-in is over and could not be renewed; run `swarmrun mcp login` again")
	}
	if t.AccessToken != kept.Token.AccessToken {
		kept.Token = t
		if err := writeToken(s.tokens, s.url, kept); err != nil {
			return nil, err
		}
	}
	return oauth2.StaticTokenSource(t), nil
}

// Authorize refuses: signing in needs a person.
func (s *stored) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	_ = resp.Body.Close() // of an answer that is not read
	return fmt.Errorf("HTTP %d: it wants you to sign in; run `swarmrun mcp login %s`", resp.StatusCode, s.name)
}

// signInClient asks authorisation servers. It carries no header of the settings.
func (o *Options) signInClient(insecure bool) *http.Client {
	return &http.Client{Transport: o.transport(insecure), Timeout: 30 * time.Second}
}

// Login signs in to a server: show gets the address that a person has to open in a browser on this machine. The token is
// stored, for its owner alone to read.
func Login(ctx context.Context, s Server, o Options, show func(address string)) error {
	switch {
	case s.URL == "":
		return errors.New("the server is a program; only servers with a url take a sign-in")
	case s.OAuth.Off:
		return errors.New("the settings say auth: none")
	case o.Tokens == "":
		return errors.New("there is no folder for tokens, since HOME is not set")
	}
	back, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.OAuth.CallbackPort))
	if err != nil {
		return fmt.Errorf("wait for the browser: %w", err)
	}
	defer back.Close()
	h, err := newSignIn(s, o, back, show)
	if err != nil {
		return err
	}
	l := &link{server: s, options: o}
	return l.signIn(ctx, h)
}

// newSignIn is the flow of an authorisation code with PKCE, whose end writes the token down.
func newSignIn(s Server, o Options, back net.Listener, show func(string)) (auth.OAuthHandler, error) {
	redirect := "http://" + back.Addr().String() + "/callback"
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, RequestRefreshToken: true, AcceptUnadvertisedIss: true, Client: o.signInClient(s.Insecure),
		AuthorizationCodeFetcher: func(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			show(a.URL)
			return callback(ctx, back)
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			return c.TokenSource(ctx, t), writeToken(o.Tokens, s.URL, &token{
				Token: t, ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Endpoint.TokenURL, AuthStyle: c.Endpoint.AuthStyle,
			})
		},
	}
	if len(s.OAuth.Scopes) > 0 {
		config.ScopeFilter = func([]string) []string { return s.OAuth.Scopes }
	}
	if s.OAuth.ClientID == "" {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			RedirectURIs: []string{redirect}, ClientName: "swarmrun", TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
		return auth.NewAuthorizationCodeHandler(config)
	}
	config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: s.OAuth.ClientID}
	if s.OAuth.ClientSecret != "" {
		config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: s.OAuth.ClientSecret}
	}
	return auth.NewAuthorizationCodeHandler(config)
}

// callback waits for the browser to come back.
func callback(ctx context.Context, back net.Listener) (*auth.AuthorizationResult, error) {
	type answer struct {
		result *auth.AuthorizationResult
		err    error
	}
	got := make(chan answer, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/callback" {
			http.NotFound(w, r)
			return
		}
		q := r.URL.Query()
		a := answer{result: &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}}
		text := "Signed in. You can close this page."
		if q.Get("code") == "" {
			a = answer{err: fmt.Errorf("the sign-in was refused: %s", short(q.Get("error")+" "+q.Get("error_description"), 300))}
			text = "Not signed in. The terminal says why."
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, text)
		select {
		case got <- a:
		default:
		}
	})}
	go func() { _ = server.Serve(back) }() // ends with the listener
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(end) // a browser that keeps its connection loses it
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case a := <-got:
		return a.result, a.err
	}
}

// signIn asks the server for what makes it want a sign-in, and follows that.
func (l *link) signIn(ctx context.Context, h auth.OAuthHandler) error {
	client := l.options.signInClient(l.server.Insecure)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.server.URL, http.NoBody)
	if err != nil {
		return errors.New("the url cannot be read")
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", req.URL.Host, err)
	}
	if resp.StatusCode != http.StatusUnauthorized {
		_ = resp.Body.Close() // of an answer that is not read
		return fmt.Errorf("HTTP %d: the server asks for no sign-in", resp.StatusCode)
	}
	if err := h.Authorize(ctx, req, resp); err != nil {
		return errors.New("sign-in: " + short(err.Error(), maxMessage))
	}
	return nil
}
