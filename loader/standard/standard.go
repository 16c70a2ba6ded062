package standard

import (
	"net/http"

	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/loader/claude"
	"github.com/swarmrun/swarmrun/loader/copilot"
	"github.com/swarmrun/swarmrun/loader/gemini"
	"github.com/swarmrun/swarmrun/loader/opencode"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/anthropic"
	"github.com/swarmrun/swarmrun/providers/openai"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// Options of New; nil means the defaults.
type Options struct {
	Launcher sandbox.Launcher  // starts every child process; zero = directly, and a demanded sandbox is refused
	HTTP     http.RoundTripper // nil = a connection pool of its own
}

// Environment is New with the defaults.
func Environment() *loader.Environment { return New(nil) }

// New makes an environment, of which a process needs one: it holds the connection pool and the limits of providers. Nothing
// is opened or read.
func New(o *Options) *loader.Environment {
	if o == nil {
		o = &Options{}
	}
	env := &loader.Environment{
		Families:  map[string]providers.Family{"openai": openai.New, "anthropic": anthropic.New},
		Endpoints: []loader.Endpoint{{Endpoint: anthropic.Endpoint(), Family: "anthropic"}},
		Builtin: func(l sandbox.Launcher) []tools.Tool {
			return builtin.New(&builtin.Options{Launcher: l})
		},
		Launcher: o.Launcher,
		HTTP:     o.HTTP,
	}
	for _, e := range openai.Endpoints() {
		env.Endpoints = append(env.Endpoints, loader.Endpoint{Endpoint: e, Family: "openai"})
	}
	for _, f := range claude.Formats() {
		env.Formats = append(env.Formats, f)
	}
	env.Formats = append(env.Formats, copilot.Format{}, gemini.Format{}, opencode.Format{})
	if env.HTTP == nil {
		env.HTTP = providers.NewTransport()
	}
	return env
}
