package config

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// treeServer is a server as the settings of another program write it.
type treeServer struct {
	MCP
	argv Value[[]Ref]
	off  bool
	http Ref // an address of streamable HTTP
}

// ReadTreeServers reads the servers that the settings file of Gemini or opencode holds. One bad entry never stops the others;
// what is wrong with the file as a whole is told where its settings are read.
func ReadTreeServers(src []byte, file string, o Origin, env []string) []MCPEntry {
	doc, _ := frontmatter.ParseJSON(src, file)
	key, table := "mcpServers", geminiServers.Get
	if o == FromOpencode {
		key, table = "mcp", opencodeServers.Get
	}
	if doc.Root == nil {
		return nil
	}
	root := child(doc.Root, key)
	if root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	var out []MCPEntry
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		if o == FromGemini && (k.Value == "allowed" || k.Value == "excluded") {
			continue
		}
		d := &decoder{doc: doc, known: knownKeys.Get(), foreign: true}
		out = append(out, d.treeServer(k, v, table(), o, env))
	}
	return out
}

func (d *decoder) treeServer(k, v *yaml.Node, t *table[treeServer], o Origin, env []string) MCPEntry {
	e := MCPEntry{Definition: Definition{Kind: KindMCP, Name: k.Value, File: d.doc.File, Origin: o, Status: Loaded, At: d.at(k)}}
	if v.Kind != yaml.MappingNode {
		d.secured(func() { d.wrong(v, "a map with command or url") })
		e.Definition, e.Diagnostics = d.finish(e.Definition), d.ds
		return e
	}
	s := treeServer{}
	s.NameRef, s.Claude = Ref{V: k.Value, At: d.at(k), Key: d.at(k).Span()}, true
	decode(d, v, t, &s)
	if s.off {
		e.Definition.Status = Skipped
		d.add(diag.New("I-INACTIVE", d.at(k), "the server %q is switched off", k.Value))
		e.Diagnostics = d.ds
		return e
	}
	s.Command.Key = s.argv.Key
	if argv := s.argv.V; len(argv) > 0 {
		s.Command = Ref{V: argv[0].V, At: argv[0].At, Key: s.argv.Key}
		s.Args = Value[[]Ref]{V: argv[1:], At: argv[0].At, Key: s.argv.Key}
	}
	if o == FromGemini && s.URL.Set() {
		s.Type = Value[string]{V: "sse", At: s.URL.At, Key: s.URL.Key}
	}
	if s.http.Set() {
		s.URL, s.Type = s.http, Value[string]{V: "http", At: s.http.At, Key: s.http.Key}
	}
	m := s.MCP
	for _, r := range m.texts() {
		if o == FromGemini {
			r.V = dollared.Get().ReplaceAllString(r.V, "$${$1$2}")
		} else {
			r.V = braced.Get().ReplaceAllString(r.V, "$${$1}")
		}
	}
	d.server(&m, k.Value, d.at(k), d.at(k))
	d.add(m.Expand(env)...)
	m.Definition = d.finish(e.Definition)
	e.Server, e.Definition, e.Diagnostics = &m, m.Definition, d.ds
	return e
}

// dollared is a variable as Gemini writes it.
var dollared = lazy.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_]*)%`)

// braced is a variable as opencode writes it.
var braced = lazy.MustCompile(`\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

// geminiServers are the fields of a server in Gemini's settings.json.
var geminiServers = lazyTable[treeServer]{New: func() *table[treeServer] {
	t := newTable(
		value("command", text(), func(s *treeServer) *Value[string] { return &s.Command }),
		value("args", arguments(), func(s *treeServer) *Value[[]Ref] { return &s.Args }),
		treePairs("env", func(s *treeServer) *[]Pair { return &s.Env }),
		value("cwd", text(), func(s *treeServer) *Value[string] { return &s.Cwd }),
		value("url", text(), func(s *treeServer) *Value[string] { return &s.URL }),
		value("httpUrl", text(), func(s *treeServer) *Ref { return &s.http }),
		treePairs("headers", func(s *treeServer) *[]Pair { return &s.Headers }),
		value("timeout", milliseconds(), func(s *treeServer) *Value[time.Duration] { return &s.Timeout }),
		value("includeTools", list("list of tool names", false, false), func(s *treeServer) *Value[[]Ref] { return &s.Tools }).guarded(),
		value("excludeTools", list("list of tool names", false, false), func(s *treeServer) *Value[[]Ref] { return &s.Disallowed }).guarded(),
	)
	t.silent = map[string]bool{"description": true, "trust": true, "oauth": true, "authProviderType": true}
	return t
}}

// opencodeServers are the fields of a server in opencode.json.
var opencodeServers = lazyTable[treeServer]{New: func() *table[treeServer] {
	return newTable(
		value("type", text(), func(s *treeServer) *Value[string] { return &s.Type }),
		value("command", arguments(), func(s *treeServer) *Value[[]Ref] { return &s.argv }),
		treePairs("environment", func(s *treeServer) *[]Pair { return &s.Env }),
		with("enabled", boolean(), func(s *treeServer, v Value[bool]) { s.off = !v.V }).guarded(),
		value("url", text(), func(s *treeServer) *Value[string] { return &s.URL }),
		treePairs("headers", func(s *treeServer) *[]Pair { return &s.Headers }),
		value("timeout", milliseconds(), func(s *treeServer) *Value[time.Duration] { return &s.StartLimit }),
		with("oauth", oauthOff(), func(s *treeServer, v Value[bool]) {
			s.Auth = Value[MCPAuth]{V: MCPAuth{None: v.V}, At: v.At, Key: v.Key}
		}),
	)
}}

// oauthOff is true for false: settings of OAuth that are written out are found out by the server's own word.
func oauthOff() shape[bool] {
	s := boolean()
	s.read = func(_ *decoder, n *yaml.Node) (bool, bool) {
		off, ok := parseFlag(n.Value)
		return n.Kind == yaml.ScalarNode && ok && !off, true
	}
	return s
}

// treePairs is pairs for a server of another program.
func treePairs(key string, to func(*treeServer) *[]Pair) field[treeServer] {
	f := pairs(key, func(m *MCP) *[]Pair { return &m.Env })
	return field[treeServer]{about: &about{key: key, words: f.words, schema: f.schema, secure: true}, read: func(d *decoder, s *treeServer, k, n *yaml.Node) {
		var m MCP
		f.read(d, &m, k, n)
		*to(s) = m.Env
	}}
}
