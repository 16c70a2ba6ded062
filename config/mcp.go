package config

import "time"

// MCP is an MCP server: mcp/<any>.md, an entry of .mcp.json, or one that an agent writes in place. Exactly one of Command
// and URL is set.
type MCP struct {
	Definition
	Notes      string // the body: how to use the server
	NameRef    Ref
	Summary    Value[string]
	Type       Value[string] // stdio, http, sse; not Set = by command or url
	Command    Value[string]
	Args       Value[[]Ref]
	Env        []Pair
	Cwd        Value[string]
	URL        Value[string]
	Headers    []Pair
	HeadersRun Value[string] // a command that prints a JSON object of headers
	Auth       Value[MCPAuth]
	TLSVerify  Value[bool]
	Tools      Value[[]Ref] // not Set = all
	Disallowed Value[[]Ref]
	Prefix     Value[string] // not Set = mcp__NAME__; none
	Timeout    Value[time.Duration]
	StartLimit Value[time.Duration]
	Lazy       Value[bool]
	Required   Value[bool]
	Sampling   Value[bool]
	Sandbox    Value[Sandbox]
	Claude     bool     // written in the form of Claude Code
	Secrets    []string // values of variables, never shown
}

// Pair is one entry of a map of texts: Key is the place of its name.
type Pair struct {
	Name  string
	Value Ref
}

// MCPAuth is how this program signs in to a server. The zero value signs in when the server asks for it and somebody ran
// `swarmrun mcp login`.
type MCPAuth struct {
	None         bool   // never, whatever the server says
	ClientID     string // registered with the authorisation server beforehand; "" = register when needed
	ClientSecret string
	Scopes       []string // none = what the server advertises
	CallbackPort int      // 0 = any free one
}

// MCPRef is one entry of mcp (mcpServers): the name of a server, or a server written in place.
type MCPRef struct {
	Name   Ref
	Inline *MCP // nil = a name
}

// Stdio tells whether the server is a program that is started.
func (m *MCP) Stdio() bool { return m.Command.Set() }
