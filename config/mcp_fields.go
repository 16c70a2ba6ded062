package config

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// mcpType is the word for a way to a server that other programs have another one for.
func mcpType(word string) string {
	switch word {
	case "streamable-http", "streamable_http", "remote":
		return "http"
	case "local":
		return "stdio"
	}
	return word
}

// mcpTable is the fields of a native MCP server.
var mcpTable = lazyTable[MCP]{New: func() *table[MCP] {
	limit := span(bounds{above: true})
	return newTable(append(mcpWays(),
		value("name", text(), func(m *MCP) *Ref { return &m.NameRef }).
			or("file name").like("notes").means("what agents call it by; its tools are named mcp__NAME__tool"),
		value("description", text(), func(m *MCP) *Value[string] { return &m.Summary }).
			like("Notes of the team").means("what it is for; lists show it"),
		value("cwd", one("write one folder"), func(m *MCP) *Value[string] { return &m.Cwd }).guarded().
			or("the workspace").like("services/notes").means("working directory of the command, relative to the workspace"),
		value("auth", mcpAuth(), func(m *MCP) *Value[MCPAuth] { return &m.Auth }).guarded().
			or("oauth").like("{client_id: abc, scopes: [read]}").means("OAuth where the server asks for it, after `swarmrun mcp login NAME`; none never signs in"),
		value("tls_verify", boolean(), func(m *MCP) *Value[bool] { return &m.TLSVerify }).guarded().
			or("true").like("false").means("the certificate of the server is checked"),
		value("tools", list("list or comma string of tool names", false, false), func(m *MCP) *Value[[]Ref] { return &m.Tools }).guarded().
			or("all").like("[search, read]").means("the tools that are used, by the server's names"),
		value("disallowed_tools", list("list or comma string of tool names", false, false),
			func(m *MCP) *Value[[]Ref] { return &m.Disallowed }).guarded().also("disallowedTools").
			or("[]").like("[delete]").means("tools that are not used"),
		value("prefix", mcpPrefix(), func(m *MCP) *Value[string] { return &m.Prefix }).
			or("mcp__NAME__").like("none").means("put before the names of its tools; none leaves them as they are"),
		value("timeout", limit, func(m *MCP) *Value[time.Duration] { return &m.Timeout }).
			or("60s").like("2m").means("time of one call"),
		value("start_timeout", limit, func(m *MCP) *Value[time.Duration] { return &m.StartLimit }).
			or("30s").like("10s").means("time until it must be ready"),
		value("lazy", boolean(), func(m *MCP) *Value[bool] { return &m.Lazy }).
			or("true").like("false").means("started at first use, its tools known from the last time"),
		value("required", boolean(), func(m *MCP) *Value[bool] { return &m.Required }).guarded().
			or("false").like("true").means("a run that reaches it fails when it does not start; else its tools are absent"),
		value("sampling", boolean(), func(m *MCP) *Value[bool] { return &m.Sampling }).guarded().
			or("false").like("true").means("it may ask the model of the agent that calls it, on the run's budget"),
		value("sandbox", mapping("map", sandboxTable.Get), func(m *MCP) *Value[Sandbox] { return &m.Sandbox }).guarded().
			like("{network: none, write: [notes]}").means("how its process is confined, beyond the workspace's"),
	)...).labelled()
}}

// mcpWays are the fields that say what is started or called. Values may hold variables.
func mcpWays() []field[MCP] {
	return []field[MCP]{
		value("type", one("write stdio, http or sse"), func(m *MCP) *Value[string] { return &m.Type }).guarded().
			or("stdio with command, http with url").like("sse").means("stdio, http or sse"),
		value("command", one("write the program here and its arguments into args"), func(m *MCP) *Value[string] { return &m.Command }).guarded().
			like("npx").means("program that is started; it speaks on stdin and stdout"),
		value("args", arguments(), func(m *MCP) *Value[[]Ref] { return &m.Args }).
			or("[]").like("[-y, server-notes]").means("its arguments"),
		pairs("env", func(m *MCP) *[]Pair { return &m.Env }).
			or("{}").like("{NOTES_KEY: \"${NOTES_KEY}\"}").means("more variables of the command"),
		value("url", one("write one address"), func(m *MCP) *Value[string] { return &m.URL }).guarded().
			like("https://mcp.example.com/mcp").means("address of a server that runs already"),
		pairs("headers", func(m *MCP) *[]Pair { return &m.Headers }).
			or("{}").like("{Authorization: \"Bearer ${NOTES_KEY}\"}").means("request headers; sent to no other host"),
		value("headersHelper", one(commandLine), func(m *MCP) *Value[string] { return &m.HeadersRun }).guarded().also("headers_helper").
			like("./token.sh").means("command that prints a JSON object of headers, run at each connect"),
	}
}

// mcpEntryTable is the fields of an entry in the form of Claude Code.
var mcpEntryTable = lazyTable[MCP]{New: func() *table[MCP] {
	t := newTable(append(mcpWays(),
		value("timeout", milliseconds(), func(m *MCP) *Value[time.Duration] { return &m.Timeout }),
		with("alwaysLoad", boolean(), func(m *MCP, v Value[bool]) {
			m.Lazy = Value[bool]{V: !v.V, At: v.At, Key: v.Key}
		}),
		value("oauth", mapping("map", mcpEntryAuth.Get), func(m *MCP) *Value[MCPAuth] { return &m.Auth }),
	)...)
	t.silent = map[string]bool{"description": true, "name": true, "category": true}
	return t
}}

// arguments is a list of texts that are kept with the blanks around them; one text is one argument.
func arguments() shape[[]Ref] {
	s := list("list of texts", false, true)
	s.read = func(d *decoder, n *yaml.Node) ([]Ref, bool) {
		nodes := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			nodes = n.Content
		}
		before, out := len(d.ds), make([]Ref, 0, len(nodes))
		for _, c := range nodes {
			if v, ok := scalar(c); ok {
				out = append(out, Ref{V: v, At: d.at(c)})
				continue
			}
			d.secured(func() { d.wrong(c, "text") })
		}
		return out, d.draft(len(out), before)
	}
	return s
}

// milliseconds is the timeout of a call in a .mcp.json; below 1000 it counts as not written.
func milliseconds() shape[time.Duration] {
	s := count(0, 0)
	return shape[time.Duration]{words: "milliseconds", schema: s.schema, read: func(d *decoder, n *yaml.Node) (time.Duration, bool) {
		v, ok := s.read(d, n)
		if ok && v < 1000 {
			d.add(diag.New("W-TIMEOUT-S", d.at(n), "a timeout of %d looks like seconds; milliseconds are expected, and below 1000 it is ignored", v).
				Suggest("write %d", v*1000))
			return 0, false
		}
		return time.Duration(min(v, 86_400_000)) * time.Millisecond, ok
	}}
}

// mcpPrefix is none, or what a tool name may begin with.
func mcpPrefix() shape[string] {
	return checked(text(), "none, or letters, digits, _ and -", func(d *decoder, n *yaml.Node, v string) bool {
		if len(v) > 40 || !toolName.Get().MatchString(v) {
			d.wrong(n, "none, or at most 40 letters, digits, _ and -")
			return false
		}
		return true
	})
}

// mcpAuth is oauth, none, or the settings of OAuth.
func mcpAuth() shape[MCPAuth] {
	settings, w := mapping("map", mcpAuthTable.Get), word(nil, "oauth", "none")
	return shape[MCPAuth]{
		words: "oauth, none, or map",
		schema: func() schema {
			return schema{"anyOf": []schema{w.schema(), settings.schema()}}
		},
		read: func(d *decoder, n *yaml.Node) (MCPAuth, bool) {
			if n.Kind == yaml.MappingNode {
				return settings.read(d, n)
			}
			v, ok := w.read(d, n)
			return MCPAuth{None: v == "none"}, ok
		},
	}
}

var mcpAuthTable = lazyTable[MCPAuth]{New: func() *table[MCPAuth] {
	return newTable(
		with("client_id", text(), func(a *MCPAuth, v Value[string]) { a.ClientID = v.V }).like("abc").means("of a client that is registered already"),
		with("client_secret", text(), func(a *MCPAuth, v Value[string]) { a.ClientSecret = v.V }).like("\"${NOTES_SECRET}\"").means("its secret, if it has one"),
		with("scopes", list("list of texts", true, false), func(a *MCPAuth, v Value[[]Ref]) { a.Scopes = texts(v.V) }).or("what the server advertises").like("[read]").means("what is asked for"),
		with("callback_port", count(1, 65535), func(a *MCPAuth, v Value[int]) { a.CallbackPort = v.V }).or("any free one").like("8765").means("port of 127.0.0.1 that the browser comes back to"),
	)
}}

// mcpEntryAuth is the same in the words of Claude Code.
var mcpEntryAuth = lazyTable[MCPAuth]{New: func() *table[MCPAuth] {
	return newTable(
		with("clientId", text(), func(a *MCPAuth, v Value[string]) { a.ClientID = v.V }),
		with("clientSecret", text(), func(a *MCPAuth, v Value[string]) { a.ClientSecret = v.V }),
		with("callbackPort", count(1, 65535), func(a *MCPAuth, v Value[int]) { a.CallbackPort = v.V }),
	)
}}

// pairs is a field of names to texts whose places are kept. The texts may be keys.
func pairs(key string, to func(*MCP) *[]Pair) field[MCP] {
	s := textMap()
	return field[MCP]{about: &about{key: key, words: s.words, schema: s.schema, secure: true}, read: func(d *decoder, m *MCP, _, n *yaml.Node) {
		if _, ok := s.read(d, n); !ok {
			return
		}
		out := []Pair{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if text, ok := scalar(v); ok {
				out = append(out, Pair{k.Value, Ref{V: text, At: d.at(v), Key: d.at(k).Span()}})
			}
		}
		*to(m) = out
	}}
}
