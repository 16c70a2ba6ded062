package wire

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"sync"

	"github.com/swarmrun/swarmrun/providers"
)

// Client is what the family clients have in common: who they are and how they authenticate. Safe for concurrent use.
type Client struct {
	providers.Candidate
	Endpoint providers.Endpoint
	Tap      *Tap
}

// NewClient prepares a candidate; it opens nothing and does not look at the key.
func NewClient(c providers.Candidate, e providers.Endpoint) Client {
	if c.Label == "" {
		c.Label = c.Provider + "/" + c.Model
	}
	return Client{Candidate: c, Endpoint: e, Tap: NewTap(c.Transport)}
}

// Name is the candidate's label.
func (c *Client) Name() string { return c.Label }

// Identity tells events and errors who acts.
func (c *Client) Identity() providers.Identity {
	return providers.Identity{Candidate: c.Label, Provider: c.Provider, Model: c.Model}
}

// CredentialID tells which candidates share a key.
func (c *Client) CredentialID() string { return c.KeyID }

// Capabilities are those of the candidate.
func (c *Client) Capabilities() providers.Capabilities { return c.Limits }

// Credential is the key, "" for a keyless candidate. The error is an *Error of kind auth.
func (c *Client) Credential() (string, error) {
	if c.Key == nil {
		return "", nil
	}
	key, err := c.Key()
	var e *providers.Error
	switch {
	case errors.As(err, &e):
		return "", c.own(e)
	case err != nil || key == "" && !c.Endpoint.Keyless:
		return "", c.own(providers.MissingKey(c.Provider, c.Endpoint.KeyVars...))
	}
	return key, nil
}

func (c *Client) own(e *providers.Error) *providers.Error {
	mine := *e
	mine.Candidate, mine.Provider, mine.Model = c.Label, c.Provider, c.Model
	return &mine
}

// Own fills in where a failure happened.
func (c *Client) Own(err error) error {
	var e *providers.Error
	if errors.As(err, &e) && e.Candidate == "" {
		return c.own(e)
	}
	return err
}

// Headers adds the candidate's and the request's own headers.
func (c *Client) Headers(h http.Header, req *providers.Request) {
	for k, v := range c.Candidate.Headers {
		h.Set(k, v)
	}
	for k, v := range req.Headers {
		h.Set(k, v)
	}
}

// Extra are the members that go into the body as they are: the candidate's, unless the request sets the same by a field of
// its own (names in typed), then the request's. names gives the wire's own name for some, "" where it has none. Reserved
// ones are ours alone.
func (c *Client) Extra(req *providers.Request, names map[string]string, typed ...string) map[string]json.RawMessage {
	if len(c.Parameters)+len(req.Parameters) == 0 {
		return nil
	}
	extra := renamed(c.Parameters, names)
	for _, name := range typed {
		delete(extra, name)
	}
	maps.Copy(extra, renamed(req.Parameters, names))
	for _, name := range [...]string{"model", "messages", "input", "system", "stream"} {
		delete(extra, name)
	}
	return extra
}

func renamed(in map[string]json.RawMessage, names map[string]string) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(in))
	for name, value := range in {
		if own, ok := names[name]; ok {
			name = own
		}
		if name != "" {
			out[name] = value
		}
	}
	return out
}

// Send is what differs from family to family in one exchange.
type Send struct {
	Request   *providers.Request
	Emit      func(providers.Delta) error
	Rules     string // provider of the classification tables; "" = the candidate's
	Authorise func(h http.Header, key string)
	Body      []byte
	Decoder   Decoder
	Frame     Frame
}

// Once makes the one exchange of a Generate.
func (c *Client) Once(ctx context.Context, s Send) (*providers.Response, error) {
	if e := checkAddress(c.BaseURL); e != nil {
		return nil, c.own(e)
	}
	key, err := c.Credential()
	if err != nil {
		return nil, err
	}
	ctx, attempt, end, err := providers.Join(ctx, c.Identity())
	if err != nil {
		return nil, c.Own(err)
	}
	defer end()
	x := &Exchange{
		Attempt: attempt, Provider: s.Rules, Stream: s.Emit != nil, Body: s.Body, Decoder: s.Decoder, Window: c.Window,
		Header: func(h http.Header) {
			h.Set("User-Agent", "swarmrun")
			s.Authorise(h, key)
			c.Headers(h, s.Request)
		},
	}
	if x.Provider == "" {
		x.Provider = c.Provider
	}
	resp, err := Run(ctx, x, s.Emit, func(ctx context.Context) error {
		frame, err := s.Frame()
		if err != nil {
			return err
		}
		return c.Tap.Send(ctx, x, frame)
	})
	if resp != nil {
		resp.Candidate, resp.Provider = c.Label, c.Provider
		if resp.Model == "" {
			resp.Model = c.Model
		}
	}
	return resp, c.Own(err)
}

// Frame gives a client's request without its content: the same one at every call.
type Frame func() (*http.Request, error)

// Post frames a request to an address, for families that need no adapter.
func Post(url string) Frame {
	return sync.OnceValues(func() (*http.Request, error) {
		req, err := http.NewRequest(http.MethodPost, url, nil) //nolint:noctx // each send has its own
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
		}
		return req, err
	})
}
