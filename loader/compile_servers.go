package loader

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

// serverClients makes the claims of a graph on MCP servers, one for each definition.
type serverClients struct {
	w       *world
	hub     *mcp.Hub
	options mcp.Options
	made    map[*config.MCP]*mcp.Client
	order   []*mcp.Client
}

func newServerClients(w *world, o *settled) *serverClients {
	return &serverClients{w: w, hub: &o.env.servers, options: serverOptions(w, o), made: map[*config.MCP]*mcp.Client{}}
}

// serverOptions are what servers of a workspace have in common.
func serverOptions(w *world, o *settled) mcp.Options {
	out := mcp.Options{Launcher: launcher(w.tree, o), Cache: filepath.Join(cacheDir(w.tree.root), "mcp"), Version: o.env.Version}
	out.HTTP, _ = o.env.HTTP.(*http.Transport)
	if dir, ok := o.lookup("XDG_STATE_HOME"); ok && filepath.IsAbs(dir) {
		out.Tokens = filepath.Join(dir, "swarmrun", "mcp")
	} else if o.home != "" {
		out.Tokens = filepath.Join(o.home, ".local", "state", "swarmrun", "mcp")
	}
	return out
}

// set is the servers of an agent as tools; nil = it has none.
func (c *serverClients) set(a *agent) tools.Toolset {
	if len(a.uses) == 0 {
		return nil
	}
	var uses []mcp.Use
	for _, u := range a.uses {
		client := c.made[u.conf]
		if client == nil {
			client = c.hub.Client(u.server, c.options, c.w.tree.root)
			c.made[u.conf] = client
			c.order = append(c.order, client)
		}
		rules := a.rules
		client.Keep(rootsOf(a, c.w.tree.root), &rules)
		uses = append(uses, mcp.Use{Client: client, Server: u.server, Rules: &rules, Brought: u.brought})
	}
	taken := slices.Clone(c.w.tools.names)
	for _, d := range a.delegates {
		taken = append(taken, d.Tool())
	}
	return mcp.NewSet(uses, taken)
}

// rootsOf is where an agent works in a run that brings no folders of its own.
func rootsOf(a *agent, root string) tools.Roots {
	at := tools.Roots{Workspace: root, Dir: root}
	if a.Directory.V != "" {
		at.Dir = within(root, a.Directory.V)
	}
	for _, d := range a.Directories.V {
		at.Dirs = append(at.Dirs, within(root, d.V))
	}
	return at
}

// close gives all claims back.
func (c *serverClients) close() error { return mcp.CloseAll(c.order) }

// secrets are values in settings of servers that nobody may see.
func (w *world) serverSecrets() []string {
	var out []string
	for _, f := range w.files {
		if f.mcp != nil {
			out = append(out, f.mcp.Secrets...)
		}
	}
	for _, a := range w.agents {
		for _, u := range a.uses {
			out = append(out, u.conf.Secrets...)
		}
	}
	return out
}

// notes is what the files of an agent's servers say about using them.
func (a *agent) notes() string {
	if len(a.uses) == 0 {
		return ""
	}
	var b strings.Builder
	for _, u := range a.uses {
		if u.conf.Notes != "" {
			fmt.Fprintf(&b, "\n\n## Tools of the MCP server %s\n\n%s", u.server.Name, u.conf.Notes)
		}
	}
	return strings.TrimSpace(b.String())
}

// ServerDetail is an MCP server as it would be started.
type ServerDetail struct {
	Name    string
	Server  mcp.Server
	Options mcp.Options
	Home    string // the workspace, where it works
}

// Servers are the MCP servers of the workspace that loaded, sorted by name.
func (r *Report) Servers() []ServerDetail {
	var out []ServerDetail
	for _, name := range r.world.servers.names {
		if f := r.world.servers.byName[name]; f.server() != nil {
			out = append(out, ServerDetail{name, serverOf(f.server(), name, f.plugin, r.Root), r.servers, r.Root})
		}
	}
	return out
}

// showServer is the effective form of a server. Values of env and headers are not shown: they may be keys.
func (r *Report) showServer(d *Detail) {
	f := r.world.servers.byName[d.Definition.Name]
	if f == nil || f.server() == nil {
		return
	}
	m, s := f.server(), fields{origin: string(d.Definition.Origin), file: f.name}
	keys := func(key string, list []config.Pair) { // without their values, which may hold a secret
		var names []string
		var at diag.Range
		for _, p := range list {
			names, at = append(names, p.Name), p.Value.At
		}
		if slices.Sort(names); len(names) > 0 {
			at.Start = list[0].Value.At.Start
			s.list = append(s.list, Field{Key: key, Value: names, Origin: s.source(at), At: at})
		}
	}
	show(&s, "type", m.Type, map[bool]any{true: "stdio", false: "http"}[m.Stdio()], same)
	show(&s, "command", m.Command, nil, same)
	show(&s, "args", m.Args, nil, texts)
	show(&s, "cwd", m.Cwd, nil, same)
	show(&s, "url", m.URL, nil, same)
	show(&s, "tools", m.Tools, "all", texts)
	show(&s, "disallowed_tools", m.Disallowed, nil, texts)
	show(&s, "timeout", m.Timeout, mcp.DefaultTimeout.String(), duration)
	show(&s, "start_timeout", m.StartLimit, mcp.DefaultStartTimeout.String(), duration)
	show(&s, "lazy", m.Lazy, true, same)
	show(&s, "required", m.Required, false, same)
	show(&s, "sampling", m.Sampling, false, same)
	show(&s, "tls_verify", m.TLSVerify, nil, same)
	show(&s, "headersHelper", m.HeadersRun, nil, same)
	show(&s, "sandbox", m.Sandbox, nil, sandboxFields)
	keys("env", m.Env)
	keys("headers", m.Headers)
	u := serverUse{server: serverOf(m, d.Definition.Name, f.plugin, r.Root)}
	prefix := u.prefix()
	if u.server.Bare {
		prefix = "none"
	}
	show(&s, "prefix", m.Prefix, prefix, func(string) any { return prefix })
	d.Fields = append(d.Fields, s.list...)
	d.Prompt, d.PromptTokens = m.Notes, tokens(m.Notes)
}

// serverDetails are the tools of an agent's servers, as far as they are known without starting one.
func (w *world) serverDetails(a *agent, add func(s tools.Spec, source string, rules *tools.Rules)) {
	for _, u := range a.uses {
		rules := &a.rules
		if u.brought {
			rules = rules.WithAll()
		}
		names := []string{u.prefix() + "*"}
		if u.server.Tools != nil {
			names = nil
			for _, t := range u.server.Tools {
				names = append(names, u.server.ToolName(t))
			}
		}
		for _, n := range names {
			add(tools.Spec{Name: n}, "mcp:"+u.server.Name, rules)
		}
	}
}
