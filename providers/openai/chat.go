package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	lcopenai "github.com/tmc/langchaingo/llms/openai"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/lc"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

// azureVersion is the API version where none is configured.
const azureVersion = "2024-10-21"

// chat is a one-shot client of the chat completions API.
type chat struct {
	wire.Client
	quirks quirks
	frame  wire.Frame // the adapter's
}

var _ providers.Family = New

// New builds a client of the chat completions API, or, with api_version v1/responses, of the Responses API. A provider that
// Endpoint does not know is a compatible endpoint and needs a base URL.
func New(c providers.Candidate) (providers.Model, error) {
	q, _ := quirksOf(c.Provider)
	if c.BaseURL == "" {
		c.BaseURL = q.BaseURL
	}
	if c.BaseURL == "" {
		return nil, fmt.Errorf("provider %s needs a base_url", c.Provider)
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	client := wire.NewClient(c, q.Endpoint)
	if c.APIVersion == "v1/responses" {
		return &responses{Client: client, quirks: q, frame: wire.Post(c.BaseURL + "/responses")}, nil
	}
	m := &chat{Client: client, quirks: q}
	door := &lc.Door{}
	adapter, err := lcopenai.New(append(m.adapterOptions(), lcopenai.WithHTTPClient(door))...)
	if err != nil {
		return nil, errors.New("the OpenAI adapter refused its options")
	}
	m.frame = sync.OnceValues(func() (*http.Request, error) { return door.Frame(adapter) })
	return m, nil
}

// adapterModel is what the adapter is told where the address holds no model. Its body is replaced anyway, and this is the name
// that it looks up with one regular expression, compiled for it, instead of three.
const adapterModel = "o1"

// adapterOptions set everything that the adapter would else read from variables of the process.
func (c *chat) adapterOptions() []lcopenai.Option {
	options := []lcopenai.Option{
		lcopenai.WithToken("-"), lcopenai.WithModel(adapterModel), lcopenai.WithBaseURL(c.BaseURL), lcopenai.WithOrganization(""),
	}
	if c.quirks.apiKeyHeader && !strings.HasSuffix(c.BaseURL, "/v1") { // Azure's v1 paths are those of OpenAI
		version := c.APIVersion
		if version == "" {
			version = azureVersion
		}
		options = append(options, lcopenai.WithAPIType(lcopenai.APITypeAzure), lcopenai.WithAPIVersion(version), lcopenai.WithModel(c.Model))
	}
	return options
}

// Generate makes one send.
func (c *chat) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	req = c.Capped(req)
	return c.Once(ctx, wire.Send{
		Request: req, Emit: emit, Rules: c.quirks.Name, Authorise: c.authorise,
		Body: c.body(req, emit != nil), Decoder: &chatDecoder{provider: c.Provider}, Frame: c.frame,
	})
}

func (c *chat) authorise(h http.Header, key string) { authorise(h, key, c.quirks.apiKeyHeader) }

func authorise(h http.Header, key string, apiKey bool) {
	h.Del("Authorization")
	h.Del("Api-Key")
	switch {
	case key == "":
	case apiKey:
		h.Set("Api-Key", key)
	default:
		h.Set("Authorization", "Bearer "+key)
	}
}
