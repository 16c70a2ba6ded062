package mcp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// The limits of a server that has none of its own.
const (
	DefaultTimeout      = 60 * time.Second
	DefaultStartTimeout = 30 * time.Second
)

// Server is a server as its definition says, with variables in place. Exactly one of Command and URL is set.
type Server struct {
	Name    string
	Command []string // the program and its arguments
	Env     map[string]string
	Dir     string // working directory, relative to the workspace of the run; "" = the workspace

	URL           string
	SSE           bool // only the older transport is spoken
	Headers       map[string]string
	HeadersHelper string // command that prints a JSON object of headers
	OAuth         OAuth
	Insecure      bool // the certificate is not checked

	Prefix     string   // of tool names; none as Bare says
	Bare       bool     // tools keep the names that the server gives them
	Tools      []string // by the server's names; nil = all
	Disallowed []string

	Timeout, StartTimeout time.Duration // 0 = the defaults
	Lazy                  bool          // started at first use, once its tools are known
	Required              bool          // a run fails that cannot start it
	Sampling              bool          // it may ask the model of the agent that calls it

	Write   []string     // more paths that its process may write, absolute
	Network string       // as sandbox.Access.Network
	Mode    sandbox.Mode // "" = as for all children; a demanded sandbox stays demanded
	Read    []string     // more paths that its process may read, absolute
	EnvPass []string     // more variables that it gets
	Sockets bool         // it may speak to daemons through socket files
}

// OAuth is how this program signs in to a server. The zero value signs in with a client that registers itself.
type OAuth struct {
	Off                    bool
	ClientID, ClientSecret string
	Scopes                 []string
	CallbackPort           int
}

// Options are what a process has once. Nil functions and empty folders mean that there is none.
type Options struct {
	Launcher sandbox.Launcher
	HTTP     *http.Transport // its copy is used for each server; nil = a new one
	Cache    string          // folder of known tool lists, absolute; "" = none is kept
	Tokens   string          // folder of tokens, absolute; "" = none is kept
	Version  string          // of this program, told to servers; "" = dev
}

func (s *Server) timeout() time.Duration      { return cmp.Or(s.Timeout, DefaultTimeout) }
func (s *Server) startTimeout() time.Duration { return cmp.Or(s.StartTimeout, DefaultStartTimeout) }

// transport is the word of events for the way to the server.
func (s *Server) transport() string {
	switch {
	case len(s.Command) > 0:
		return "stdio"
	case s.SSE:
		return "sse"
	}
	return "http"
}

var unclean = lazy.MustCompile(`[^A-Za-z0-9_-]`)

// DefaultPrefix is what the names of a server's tools begin with where nobody says otherwise.
func DefaultPrefix(server string) string {
	return "mcp__" + unclean.Get().ReplaceAllString(server, "_") + "__"
}

// maxName is the longest name of a tool that every provider takes.
const maxName = 64

// ToolName is how a model calls a tool of the server: other characters than letters, digits, _ and - become _; a longer name
// than providers take is cut and ends in a digest of the whole.
func (s *Server) ToolName(tool string) string {
	name := unclean.Get().ReplaceAllString(tool, "_")
	if !s.Bare {
		name = cmp.Or(s.Prefix, DefaultPrefix(s.Name)) + name
	}
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name + "\x00" + tool))
	return name[:maxName-9] + "_" + hex.EncodeToString(sum[:4])
}

// wants tells whether a tool of the server is used.
func (s *Server) wants(tool string) bool {
	return !slices.Contains(s.Disallowed, tool) && (s.Tools == nil || slices.Contains(s.Tools, tool))
}

// fingerprint says all that a running server depends on; agents with equal ones share it.
func (s *Server) fingerprint(parts ...any) string {
	own := *s
	own.Prefix, own.Bare, own.Tools, own.Disallowed, own.Lazy, own.Required = "", false, nil, nil, false, false
	b, err := json.Marshal(append([]any{own}, parts...))
	if err != nil {
		return s.Name // no value of these types fails
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
