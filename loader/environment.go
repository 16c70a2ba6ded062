package loader

import (
	"io/fs"
	"net/http"
	"sync"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/mcp"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// Environment is what definitions may name, and what a process has once. It is built explicitly (package standard fills
// one), not changed after the first load, and may serve several workspaces.
type Environment struct {
	// Builtin makes the tools that are there without any file, for the launcher of a workspace; nil = none.
	Builtin   func(sandbox.Launcher) []tools.Tool
	Tools     tools.Registry              // more tools; one takes the place of a built-in one of its name
	Families  map[string]providers.Family // by wire format: openai, anthropic
	Endpoints []Endpoint                  // the providers that are built in
	Formats   []Format                    // the foreign trees that are read
	Hooks     map[string]hook.Func        // that hook files may name with go:
	Launcher  sandbox.Launcher            // starts children, as far as the settings leave it to it; zero = directly
	HTTP      http.RoundTripper           // one connection pool for all providers; nil = http.DefaultTransport
	Version   string                      // of the program, told to MCP servers; "" = dev

	servers mcp.Hub
	once    sync.Once
	limits  *providers.Limits
}

// processLimits are the limits and breakers of providers, one for all workspaces of a process.
func (e *Environment) processLimits() *providers.Limits {
	e.once.Do(func() { e.limits = providers.NewLimits() })
	return e.limits
}

// limit puts the limits and breakers of providers in force. An entry without any lifts those that it had.
func (e *Environment) limit(s *config.Settings) {
	for _, p := range s.Providers {
		e.processLimits().Set(p.Name.V, providers.LimitOptions{
			Concurrency: p.Limits.V.Concurrency, RequestsPerMinute: p.Limits.V.RequestsPerMinute,
			TokensPerMinute: p.Limits.V.TokensPerMinute,
			BreakerFailures: p.Breaker.V.Failures, BreakerOpenFor: p.Breaker.V.OpenFor,
		})
	}
}

// Endpoint is a provider that needs no entry in the settings.
type Endpoint struct {
	providers.Endpoint
	Family string // which of Environment.Families speaks with it
}

// Format is a kind of foreign tree, read where it lies and never written.
type Format interface {
	// Name is the word of include:.
	Name() string
	// Folders are the places of definitions, from the root of a project, or of a person's home folder where personal. What
	// keeps a place from being found is told as in Settings.
	Folders(tree fs.FS, personal bool, name func(string) string) ([]config.Folder, diag.List)
	// Settings reads what binds the whole tree: permissions and the like. name turns a path of the tree into the one that
	// diagnostics show. Errors keep every agent of the workspace from being started.
	Settings(tree fs.FS, personal bool, name func(string) string) (*config.TreeSettings, diag.List)
}

// Managed is a Format with settings that the administrator of a machine makes, which count in every workspace.
type Managed interface {
	// ManagedDir is where they lie, absolute.
	ManagedDir() string
	// ManagedSettings reads them, as Settings.
	ManagedSettings(tree fs.FS, name func(string) string) (*config.TreeSettings, diag.List)
}

// Options of a load; nil means the defaults.
type Options struct {
	Env     *Environment      // nil = an empty one: no tools, no providers
	UserDir string            // definitions of the person; "" = .config/swarmrun in the HOME of Environ
	Environ []string          // variables, as of os.Environ; nil = those of the process
	Flags   map[string]string // settings by path, above all other layers
	Managed string            // folder of the settings that an administrator made; "" = where their format has them
	Caller  []string          // entries as under tools: of an agent; the agent Caller of the graph has them
	Partial bool              // publish what loads; else any error keeps Open from returning a workspace
	Found   func(files int)   // told how many files may be definitions, before they are read; nil = nobody
}
