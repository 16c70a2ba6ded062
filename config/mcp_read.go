package config

import (
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// ReadMCP reads a native MCP server, mcp/<any>.md. The server is nil when the file is skipped or nothing of it could be read; see
// Broken. References in what is started or called stand for the variables of env, NAME=value pairs.
func ReadMCP(src []byte, file string, o Origin, env []string) (*MCP, Definition, diag.List) {
	doc, def, d, ds := open(KindMCP, src, file, o)
	if d == nil {
		return nil, def, ds
	}
	var m MCP
	decode(d, doc.Root, mcpTable.Get(), &m)
	d.name(&def, m.NameRef)
	m.Notes = strings.TrimSpace(doc.Body)
	d.server(&m, def.Name, firstPlace(m.NameRef.At, doc.Fence), doc.Fence)
	def.Description = m.Summary.V
	d.add(m.Expand(env)...)
	m.Definition = d.finish(def)
	return &m, m.Definition, d.ds
}

// MCPEntry is one server of a .mcp.json. Server is nil when nothing of the entry could be read; see Broken.
type MCPEntry struct {
	Server      *MCP
	Definition  Definition
	Diagnostics diag.List // of this entry
}

// ReadMCPFile reads a .mcp.json. One bad entry never stops the others. plugin: the file lies in the root of a plugin, where
// the wrapper may be missing. The list is what is wrong with the file as a whole.
func ReadMCPFile(src []byte, file string, o Origin, env []string, plugin bool) ([]MCPEntry, diag.List) {
	doc, ds := frontmatter.ParseJSON(src, file)
	if doc.Root == nil {
		return nil, ds
	}
	root := child(doc.Root, "mcpServers")
	if root == nil {
		root = doc.Root
		if !plugin && len(root.Content) > 0 {
			ds.Add(diag.New("W-MCP-WRAPPER", doc.Range(root.Content[0]), "the servers stand without the object mcpServers around them").
				Suggest("write {\"mcpServers\": {…}}"))
		}
	}
	if root.Kind != yaml.MappingNode {
		ds.Add(diag.New("E-VALUE-TYPE", doc.Range(root), "mcpServers is not an object").Suggest("write {\"name\": {\"command\": …}}"))
		return nil, ds
	}
	var out []MCPEntry
	for i := 0; i+1 < len(root.Content); i += 2 {
		d := &decoder{doc: doc, known: knownKeys.Get(), foreign: true}
		k, v := root.Content[i], root.Content[i+1]
		m := d.entry(k, v)
		e := MCPEntry{Definition: Definition{Kind: KindMCP, Name: k.Value, File: file, Origin: o, Status: Loaded, At: d.at(k)}}
		if text := child(v, "description"); text != nil {
			e.Definition.Description, _ = scalar(text)
		}
		if m != nil {
			d.add(m.Expand(env)...)
			m.Definition = d.finish(e.Definition)
		}
		e.Server, e.Definition, e.Diagnostics = m, d.finish(e.Definition), d.ds
		out = append(out, e)
	}
	return out, ds
}

// entry reads one server in the form of Claude Code; nil: it is no map.
func (d *decoder) entry(k, v *yaml.Node) *MCP {
	if v.Kind != yaml.MappingNode {
		d.secured(func() { d.wrong(v, "a map with command or url") })
		return nil
	}
	m := &MCP{NameRef: Ref{V: k.Value, At: d.at(k), Key: d.at(k).Span()}, Claude: true}
	d.nested(v)
	decode(d, v, mcpEntryTable.Get(), m)
	d.server(m, k.Value, d.at(k), d.at(k))
	if m.URL.Set() && !m.Type.Set() && child(v, "type") == nil {
		d.add(diag.New("E-MCP-TYPE", d.at(k), "the server %s has a url and no type", shown(k.Value)).Suggest("add \"type\": \"http\""))
	}
	return m
}

// nested refuses an entry whose fields stand in an object of their own. They are not missed.
func (d *decoder) nested(v *yaml.Node) {
	for i := 0; i+1 < len(v.Content); i += 2 {
		if k := v.Content[i]; k.Value == "transport" && v.Content[i+1].Kind == yaml.MappingNode {
			d.add(diag.New("E-MCP-NEST", d.at(k), "the fields of the server stand in \"transport\"").Suggest("move its fields up into the entry"))
			eachPair(v.Content[i+1], func(inner, _ *yaml.Node) { d.gone.add(v, inner, inner.Value) })
		}
	}
}

func (d *decoder) secured(read func()) { d.field(read, true) }

// unclean is what the name of a tool cannot hold.
var unclean = lazy.MustCompile(`[^A-Za-z0-9_-]`)

// cleanName is a name as it stands in names of tools: other characters than letters, digits, _ and - become _.
func cleanName(name string) string { return unclean.Get().ReplaceAllString(name, "_") }

// server checks what belongs together. at is the place of the name, missing that of what is not there.
func (d *decoder) server(m *MCP, name string, at, missing diag.Range) {
	if clean := cleanName(name); clean != name {
		d.add(diag.New("W-MCP-NAME", at, "the tools of the server %s are named mcp__%s__…", shown(name), clean).Suggest("rename the server to %q", clean))
	}
	known := d.transport(m, name)
	program, called := m.Command.V != "" || m.Command.Lost(), m.URL.V != "" || m.URL.Lost()
	switch {
	case program && called:
		d.add(diag.New("E-MCP-TYPE", m.URL.Key.In(d.doc.File), "the server has a command and a url").
			Suggest("keep one of them").Note(m.Command.Key.In(d.doc.File), "the other one"))
	case !program && !called:
		d.add(diag.New("E-MCP-TYPE", missing, "the server %s has neither command nor url", shown(name)).
			Suggest("add command: with the program to start, or url: of a server that runs"))
	case !known:
	case program && m.Type.Set() && m.Type.V != "stdio":
		d.add(diag.New("E-MCP-TYPE", m.Type.At, "a server with a command is of type stdio, not %s", m.Type.V).Suggest("write url: instead of command:, or leave type: out"))
	case called && m.Type.V == "stdio":
		d.add(diag.New("E-MCP-TYPE", m.Type.At, "a server with a url is not of type stdio").Suggest("write http"))
	}
	if m.TLSVerify.Set() && !m.TLSVerify.V {
		d.add(diag.New("W-MCP-TLS", m.TLSVerify.At, "the certificate of the server is not checked, so anybody on the way can read and change what is said").
			Suggest("remove the line, and add the server's authority to the system's certificates"))
	}
	for _, r := range m.texts() {
		if strings.TrimSpace(r.V) != r.V && strings.TrimSpace(r.V) != "" {
			d.add(diag.New("W-MCP-SPACE", r.At, "the value has blanks around it, and they are kept").Suggest("remove them"))
		}
	}
}

// transport settles the way to the server where somebody wrote it; false: there is no such way, which was told.
func (d *decoder) transport(m *MCP, name string) bool {
	if !m.Type.Set() {
		return true
	}
	switch m.Type.V = mcpType(m.Type.V); m.Type.V {
	case "stdio", "http", "sse":
		return true
	case "ws", "websocket":
		m.URL = Ref{Key: m.URL.Key}
		d.add(diag.New("E-MCP-TYPE", m.Type.At, "the server %s is reached over WebSocket, which is not spoken here", shown(name)).
			Explain("It is left out; the other servers load.").
			Suggest("most servers have an address for streamable HTTP too: write type: http with it, or start the server by command:"))
	default:
		d.add(diag.New("E-MCP-TYPE", m.Type.At, "a server of type %s cannot be reached", shown(m.Type.V)).Suggest("write stdio, http or sse"))
	}
	return false
}

// texts are the values that may hold variables.
func (m *MCP) texts() []*Ref {
	out := []*Ref{&m.Command, &m.URL}
	for i := range m.Args.V {
		out = append(out, &m.Args.V[i])
	}
	for _, list := range [][]Pair{m.Env, m.Headers} {
		for i := range list {
			out = append(out, &list[i].Value)
		}
	}
	return out
}

// checkURL tells what keeps an address from being called.
func (m *MCP) checkURL() diag.List {
	if m.URL.V == "" || strings.Contains(m.URL.V, "${") {
		return nil
	}
	u, err := url.Parse(m.URL.V)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	return diag.List{diag.New("E-MCP-TYPE", m.URL.At, "the url is no address of a server").Suggest("write http://HOST/PATH or https://HOST/PATH")}
}
