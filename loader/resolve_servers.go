package loader

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/mcp"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// serverTable is every MCP server of the workspace that stands in a file of its own.
type serverTable struct {
	byName map[string]*parsed
	names  []string          // sorted; broken ones are among them
	off    map[string]string // names of those that settings keep from starting, and why
	env    []string
}

// serverUse is a server that an agent may use.
type serverUse struct {
	conf    *config.MCP
	server  mcp.Server
	file    *parsed // nil = written in the agent
	brought bool    // its tools need no entry in the agent's tools
}

// resolveServers collects the servers. Those that settings of a foreign tree switch off are left out.
func resolveServers(p *project, o *settled) (*serverTable, diag.List) {
	var ds diag.List
	t := &serverTable{byName: map[string]*parsed{}, off: map[string]string{}, env: o.environ}
	for _, f := range p.files {
		if f.kind != config.KindMCP || f.def.Status == config.Skipped {
			continue
		}
		if why := p.withheld(f); why != "" {
			f.def.Status, t.off[f.def.Name] = config.Skipped, why
			f.diags.Add(diag.New("I-INACTIVE", f.def.At, "the server %q does not start: %s", f.def.Name, why))
			ds.Add(f.diags[len(f.diags)-1])
			continue
		}
		t.byName[f.def.Name] = f
		t.names = append(t.names, f.def.Name)
	}
	slices.Sort(t.names)
	return t, ds
}

// resolveUses finds the servers of an agent. In foreign trees one that names none has all.
func (w *world) resolveUses(a *agent) diag.List {
	var ds diag.List
	if a.claude() && !a.MCP.Set() {
		for _, name := range w.servers.names {
			if f := w.servers.byName[name]; f.server() != nil {
				w.use(a, f.server(), f)
			}
		}
		return ds
	}
	for _, ref := range a.MCP.V {
		switch {
		case ref.Inline != nil:
			a.looked = true
			conf := copied(ref.Inline) // to be expanded once, and read again by the next load
			ds.Add(conf.Expand(w.servers.env)...)
			if slices.ContainsFunc(a.uses, func(u *serverUse) bool { return u.server.Name == ref.Name.V }) {
				ds.Add(twice(ref.Name))
				continue
			}
			if by := config.ForbiddenServer(w.foreign, ref.Name.V, conf); by != nil {
				ds.Add(diag.New("W-MCP-DENIED", ref.Name.At, "the server %q does not start: settings of the machine or the tree forbid it", ref.Name.V).Note(by.At, "here"))
				continue
			}
			ds.Add(w.missingServer(conf, a.file.origin)...)
			w.use(a, conf, nil)
		case ref.Name.V == "*":
			for _, name := range w.servers.names {
				if f := w.servers.byName[name]; f.server() != nil {
					w.use(a, f.server(), f)
				}
			}
		default:
			ds.Add(w.useNamed(a, ref.Name)...)
		}
	}
	ds.Add(clashes(a)...)
	return ds
}

func twice(name config.Ref) diag.Diagnostic {
	return diag.New("E-MCP-TOOL-CLASH", name.At, "the agent has two servers named %q, so their tools would share names", name.V).
		Suggest("rename one of them")
}

// useNamed finds a server by its name.
func (w *world) useNamed(a *agent, name config.Ref) diag.List {
	f := w.servers.byName[name.V]
	if why := w.servers.off[name.V]; f == nil && why != "" {
		return diag.List{diag.New("W-MCP-DENIED", name.At, "the server %q does not start: %s", name.V, why)}
	}
	if f == nil {
		code := diag.Code("E-MCP-UNKNOWN")
		if a.claude() {
			code = "W-MCP-UNKNOWN"
		}
		return diag.List{suggest(diag.New(code, name.At, "there is no MCP server named %q", name.V), name.V, w.servers.names, "MCP servers here")}
	}
	if f.server() == nil {
		return diag.List{a.needs(name, config.KindMCP, errorsOf(f.diags))}
	}
	if slices.ContainsFunc(a.uses, func(u *serverUse) bool { return u.server.Name == name.V }) {
		return diag.List{twice(name)}
	}
	w.use(a, f.server(), f)
	return nil
}

// use gives an agent a server. Its tools are offered by that alone, unless tools names some of them.
func (w *world) use(a *agent, m *config.MCP, f *parsed) {
	u := &serverUse{conf: m, file: f}
	if f != nil {
		u.server = serverOf(m, f.def.Name, f.plugin, w.tree.root)
	} else {
		u.server = serverOf(m, m.NameRef.V, config.Plugin{}, w.tree.root)
	}
	u.brought = !a.claude() && !slices.ContainsFunc(a.Tools.V, func(r config.Ref) bool {
		name, _, _ := strings.Cut(r.V, "(")
		return u.about(strings.TrimSpace(name))
	})
	a.uses, a.looked = append(a.uses, u), true
}

// clashes tells of tools of an agent's servers that would share a name, as far as allow lists say which there are.
func clashes(a *agent) diag.List {
	var ds diag.List
	type place struct {
		server string
		at     diag.Range
	}
	seen := map[string]place{}
	for _, u := range a.uses {
		for _, r := range u.conf.Tools.V {
			name := u.server.ToolName(r.V)
			if first, taken := seen[name]; taken && first.server != u.server.Name {
				ds.Add(diag.New("E-MCP-TOOL-CLASH", r.At, "the servers %q and %q of agent %q both have a tool called %s, so neither is offered", first.server, u.server.Name, a.Name, name).
					Suggest("rename one of the servers, or give it a prefix").Note(first.at, "the other one"))
				continue
			}
			seen[name] = place{u.server.Name, r.At}
		}
	}
	return ds
}

// serverOf is a definition as the package that starts it wants it.
func serverOf(m *config.MCP, name string, plugin config.Plugin, root string) mcp.Server {
	s := mcp.Server{
		Name: name, Dir: m.Cwd.V, URL: m.URL.V, SSE: m.Type.V == "sse", HeadersHelper: m.HeadersRun.V,
		OAuth: mcp.OAuth{
			Off: m.Auth.V.None, ClientID: m.Auth.V.ClientID, ClientSecret: m.Auth.V.ClientSecret,
			Scopes: m.Auth.V.Scopes, CallbackPort: m.Auth.V.CallbackPort,
		},
		Insecure: m.TLSVerify.Set() && !m.TLSVerify.V,
		Timeout:  m.Timeout.V, StartTimeout: m.StartLimit.V,
		Lazy: m.Lazy.Or(true), Required: m.Required.V, Sampling: m.Sampling.V, Network: m.Sandbox.V.Network.V,
	}
	if m.Command.Set() {
		s.Command = []string{m.Command.V}
		for _, a := range m.Args.V {
			s.Command = append(s.Command, a.V)
		}
		s.Env = pairsOf(m.Env)
		if m.Claude {
			s.Env = withProject(s.Env, plugin, root)
		}
	}
	s.Headers = pairsOf(m.Headers)
	switch {
	case m.Prefix.V == "none":
		s.Bare = true
	case m.Prefix.Set():
		s.Prefix = m.Prefix.V
	case plugin.Name != "":
		short := strings.TrimPrefix(name, plugin.Name+":")
		s.Prefix = mcp.DefaultPrefix("plugin_" + plugin.Name + "_" + short)
	}
	if m.Tools.Set() {
		s.Tools = words(m.Tools.V)
	}
	s.Disallowed = words(m.Disallowed.V)
	own := m.Sandbox.V
	s.Mode, s.Sockets, s.EnvPass = sandbox.Mode(own.Mode.V), own.Sockets.V, words(own.Env)
	for _, p := range own.Read {
		s.Read = append(s.Read, within(root, p.V))
	}
	for _, p := range own.Write {
		s.Write = append(s.Write, within(root, p.V))
	}
	return s
}

// withProject adds what Claude Code tells programs of its servers.
func withProject(env map[string]string, plugin config.Plugin, root string) map[string]string {
	out := pluginVariables(plugin)
	out["CLAUDE_PROJECT_DIR"] = root
	maps.Copy(out, env)
	return out
}

func pairsOf(list []config.Pair) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]string, len(list))
	for _, p := range list {
		out[p.Name] = p.Value.V
	}
	return out
}

// extraTools are tools that a server may have besides those it lists.
var extraTools = [...]string{"list_resources", "read_resource", "list_prompts", "get_prompt"}

// prefix is what the names of the server's tools begin with.
func (u *serverUse) prefix() string {
	return strings.TrimSuffix(u.server.ToolName("x"), "x")
}

// about tells whether a rule's tool is one of the server, or a pattern of some of them.
func (u *serverUse) about(tool string) bool {
	prefix := u.prefix()
	if u.server.Bare {
		return u.has(tool) && u.server.Tools != nil
	}
	head, _, glob := strings.Cut(tool, "*")
	return strings.HasPrefix(head, prefix) || tool+"__" == prefix || glob && head != "" && strings.HasPrefix(prefix, head) && strings.HasPrefix(head, "mcp__")
}

// has tells whether the server may have a tool that a rule names. Without starting it an allow list decides, else its name.
func (u *serverUse) has(tool string) bool {
	if !u.server.Bare && !u.about(tool) {
		return false
	}
	if u.server.Tools == nil || tool+"__" == u.prefix() {
		return true
	}
	for _, t := range append(slices.Clone(u.server.Tools), extraTools[:]...) {
		if ok, err := path.Match(tool, u.server.ToolName(t)); ok && err == nil {
			return true
		}
	}
	return false
}

// serverTool tells whether a rule names tools of a server: of the agent's, or for rules that forbid of any.
func (w *world) serverTool(r tools.Rule, a *agent) bool {
	if a != nil && slices.ContainsFunc(a.uses, func(u *serverUse) bool { return u.has(r.Tool) }) {
		return true
	}
	return slices.ContainsFunc(w.servers.names, func(name string) bool {
		f := w.servers.byName[name]
		if f.server() == nil {
			return strings.HasPrefix(r.Tool, strings.TrimSuffix(mcp.DefaultPrefix(name), "__"))
		}
		u := serverUse{server: serverOf(f.server(), name, f.plugin, w.tree.root)}
		return !u.server.Bare && u.has(r.Tool)
	})
}

// unused tells of entries of tools that name a server which the agent does not have.
func (w *world) foreignServers(a *agent) diag.List {
	if a.claude() {
		return nil
	}
	var ds diag.List
	for _, g := range a.rules.Grants {
		if !strings.HasPrefix(g.Tool, "mcp__") || slices.ContainsFunc(a.uses, func(u *serverUse) bool { return u.has(g.Tool) }) {
			continue
		}
		for _, name := range w.servers.names {
			if f := w.servers.byName[name]; f.server() != nil && (&serverUse{server: serverOf(f.server(), name, f.plugin, w.tree.root)}).has(g.Tool) {
				ds.Add(diag.New("E-TOOL-UNKNOWN", g.At, "%s names tools of the MCP server %q, which the agent does not have", g.Tool, name).
					Suggest("add mcp: [%s] to the agent", name))
				break
			}
		}
	}
	return ds
}

// serverNames are the patterns that rules may name servers by, sorted.
func (w *world) serverNames(a *agent) []string {
	var names []string
	if a == nil {
		for _, n := range w.servers.names {
			names = append(names, mcp.DefaultPrefix(n)+"*")
		}
		return names
	}
	for _, u := range a.uses {
		if !u.server.Bare {
			names = append(names, u.prefix()+"*")
		}
		for _, t := range u.server.Tools {
			names = append(names, u.server.ToolName(t))
		}
	}
	slices.Sort(names)
	return names
}

// cacheDir is where the workspace keeps what can be made again.
func cacheDir(root string) string { return filepath.Join(root, ".swarmrun", "cache") }
