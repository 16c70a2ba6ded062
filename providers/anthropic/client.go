package anthropic

import (
	"context"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/lc"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

// version is the only value of the anthropic-version header that we speak.
const version = "2023-06-01"

// Endpoint is Anthropic itself. Other hosts of the protocol need a base URL.
func Endpoint() providers.Endpoint {
	return providers.Endpoint{Name: "anthropic", BaseURL: "https://api.anthropic.com", KeyVars: []string{"ANTHROPIC_API_KEY"}}
}

// client is a one-shot client of the Messages API.
type client struct {
	wire.Client
	frame wire.Frame
}

var (
	_ providers.Family = New
	_ llms.Model       = (*client)(nil)
)

// New builds a client. BaseURL is the host, to which /v1/messages is added; Anthropic's own where it is empty.
func New(c providers.Candidate) (providers.Model, error) {
	if c.BaseURL == "" {
		c.BaseURL = Endpoint().BaseURL
	}
	c.BaseURL = strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1")
	e := Endpoint()
	if c.Provider != e.Name {
		e = providers.Endpoint{Name: c.Provider}
	}
	return &client{Client: wire.NewClient(c, e), frame: wire.Post(c.BaseURL + "/v1/messages")}, nil
}

// Generate makes one send.
func (c *client) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	return c.Once(ctx, wire.Send{
		Request: req, Emit: emit, Rules: Endpoint().Name, Body: c.body(req, emit != nil), Authorise: authorise,
		Decoder: &decoder{provider: c.Provider}, Frame: c.frame,
	})
}

func authorise(h http.Header, key string) {
	h.Set("Anthropic-Version", version)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

// GenerateContent serves langchaingo: the same call in its words.
func (c *client) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	return lc.Generate(ctx, c, messages, options...)
}

// Call serves langchaingo: one prompt, one text.
func (c *client) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, c, prompt, options...)
}
