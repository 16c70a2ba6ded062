package loader

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

// rules are what all agents of a workspace have in common.
type rules struct {
	allow, ask, deny []tools.Rule
	foreign          map[config.Origin][]tools.Rule // what foreign trees allow, to their own agents
	approved         []tools.Rule                   // by a person, for good
	guarded          []string
}

// workspaceRules reads the rules of the settings and of foreign trees. What a tree denies or asks about holds for every
// agent; what it allows, for its own.
func (w *world) workspaceRules() (rules, diag.List) {
	r := rules{guarded: guarded(w.settings), foreign: map[config.Origin][]tools.Rule{}}
	only := slices.ContainsFunc(w.foreign, func(s *config.TreeSettings) bool { return s.ManagedOnly.Rules })
	p := w.settings.Permissions
	var ds diag.List
	add := func(to *[]tools.Rule, refs []config.Ref, dialect tools.Dialect) {
		got, more := w.parseRules(refs, dialect, nil)
		*to = append(*to, got...)
		ds.Add(more...)
	}
	add(&r.allow, p.Allow, tools.Native)
	add(&r.ask, p.Ask, tools.Native)
	add(&r.deny, p.Deny, tools.Native)
	add(&r.approved, w.kept.Allow, tools.Native)
	add(&r.ask, w.kept.Ask, tools.Native)
	add(&r.deny, w.kept.Deny, tools.Native)
	var allowed []tools.Rule
	for _, set := range w.foreign {
		p := set.Permissions
		if set.Tree != config.FromClaude {
			p.Allow, p.Ask, p.Deny = w.translated(p.Allow), w.translated(p.Ask), w.translated(p.Deny)
		}
		if !only || set.Managed {
			var own []tools.Rule
			add(&own, p.Allow, tools.Claude)
			allowed, r.foreign[set.Tree] = append(allowed, own...), append(r.foreign[set.Tree], own...)
		}
		add(&r.ask, p.Ask, tools.Claude)
		add(&r.deny, p.Deny, tools.Claude)
	}
	all := tools.Rules{Allow: slices.Concat(r.allow, allowed), Ask: r.ask, Deny: r.deny}
	ds.Add(unused(&all)...)
	return r, ds
}

// resolveRules makes the rules of an agent, and tells of entries that name nothing.
func (w *world) resolveRules(a *agent) diag.List {
	dialect := tools.Native
	if a.claude() {
		dialect = tools.Claude
	}
	ds := w.limited(a)
	ds.Add(w.resolveGrants(a, dialect)...)
	var own tools.Rules
	for _, part := range []struct {
		to   *[]tools.Rule
		refs []config.Ref
	}{
		{&own.Removed, a.DisallowedTools.V},
		{&own.Allow, a.Permissions.Allow}, {&own.Ask, a.Permissions.Ask}, {&own.Deny, a.Permissions.Deny},
	} {
		got, more := w.parseRules(part.refs, dialect, a)
		*part.to = got
		ds.Add(more...)
	}
	own.Grants = a.rules.Grants
	ds.Add(unused(&own)...)
	if a.claude() {
		ds.Add(scopedDenies(own.Removed)...)
		own.Allow = append(own.Allow, w.root.foreign[a.file.tree]...)
	}
	a.rules.Removed = own.Removed
	a.rules.Allow = slices.Concat(own.Allow, w.root.allow)
	a.rules.Ask = slices.Concat(own.Ask, w.root.ask)
	a.rules.Deny = slices.Concat(own.Deny, w.root.deny)
	a.rules.Approved = w.root.approved
	a.rules.Guarded = w.root.guarded
	ds.Add(w.resolveMode(a)...)
	return ds
}

// resolveMode finds the permission mode: the agent's own, in foreign trees that of their settings, else default. Where a
// tree forbids bypass nobody has it.
func (w *world) resolveMode(a *agent) diag.List {
	if a.claude() {
		for _, s := range w.treeSettings(a.file.tree) {
			if s.Mode.Set() && !a.PermissionMode.Set() {
				a.Change().PermissionMode = s.Mode
			}
		}
	}
	a.rules.Mode = tools.Mode(a.PermissionMode.Or(string(tools.ModeDefault)))
	if a.rules.Mode != tools.ModeBypass || !slices.ContainsFunc(w.foreign, func(s *config.TreeSettings) bool { return s.NoBypass }) {
		return nil
	}
	a.rules.Mode = tools.ModeDefault
	return diag.List{diag.New("W-MODE", a.PermissionMode.At, "settings of Claude Code forbid the mode bypass, so %q has the mode default", a.Name)}
}

// parseRules reads rules and tells of those that name no tool. a is whose they are; nil = the workspace's.
func (w *world) parseRules(refs []config.Ref, dialect tools.Dialect, a *agent) ([]tools.Rule, diag.List) {
	if len(refs) == 0 {
		return nil, nil
	}
	out := make([]tools.Rule, 0, len(refs))
	var ds diag.List
	for _, ref := range refs {
		r, err := tools.ParseRule(ref.V, dialect, ref.At)
		if err != nil && a != nil && dialect == tools.Claude && !strings.Contains(ref.V, "(") {
			ds.Add(w.unknownTool(tools.Rule{Text: ref.V, Tool: ref.V, At: ref.At, Dialect: dialect}, a)) // no tool here can be called so
			continue
		}
		if err != nil {
			ds.Add(diag.New("E-RULE", ref.At, "%v", err).
				Suggest("write Tool or Tool(specifier), such as Read or Bash(git diff *)"))
			continue
		}
		out = append(out, r)
		switch {
		case !w.names(r, a):
			if a == nil || a.file.tree != config.FromOpencode { // whose rules are made of its permissions
				ds.Add(w.unknownTool(r, a))
			}
		case a != nil:
			if t := w.tools.byName[r.Tool]; t != nil && t.Tool == nil {
				ds.Add(brokenRef(r.At, config.KindTool, r.Tool))
				a.refused.Add(errorsOf(t.file.diags)...)
			}
		}
	}
	return out, ds
}

// names tells whether a rule names a tool that exists: one of the workspace, a delegate's, or by a pattern any of them.
func (w *world) names(r tools.Rule, a *agent) bool {
	if ours(r.Tool) || w.tools.byName[r.Tool] != nil {
		return true
	}
	if w.serverTool(r, a) {
		return true
	}
	if server, ok := strings.CutPrefix(r.Tool, "mcp__"); ok {
		return strings.HasPrefix(server, "*") // of any server, also of one that is still to come
	}
	if strings.Contains(r.Tool, "*") {
		return true
	}
	if a == nil {
		return slices.ContainsFunc(w.agents, func(o *agent) bool { return o.hasDelegateTool(r.Tool) })
	}
	return a.hasDelegateTool(r.Tool)
}

// unknownTool is an error in native files. In Claude locations it is a warning: they name tools of another program.
func (w *world) unknownTool(r tools.Rule, a *agent) diag.Diagnostic {
	code := diag.Code("E-TOOL-UNKNOWN")
	if r.Dialect == tools.Claude {
		code = "W-TOOL-UNKNOWN"
	}
	if d, ok := w.unknownServer(code, r); ok {
		return d
	}
	return suggest(diag.New(code, r.At, "no tool named %q", r.Tool), r.Tool, w.toolNames(a), "Tools available here")
}

// unknownServer tells of a rule about tools of a server that does not exist, or that has no such tool.
func (w *world) unknownServer(code diag.Code, r tools.Rule) (diag.Diagnostic, bool) {
	rest, ok := strings.CutPrefix(r.Tool, "mcp__")
	if !ok || strings.HasPrefix(rest, "*") {
		return diag.Diagnostic{}, false
	}
	server, tool, _ := strings.Cut(rest, "__")
	for _, name := range w.servers.names {
		f := w.servers.byName[name]
		if mcp.DefaultPrefix(name) != "mcp__"+server+"__" || f.server() == nil {
			continue
		}
		s := serverOf(f.server(), name, f.plugin, w.tree.root)
		return suggest(diag.New(code, r.At, "the MCP server %q lists no tool %q under tools", name, tool), tool, s.Tools, "Its tools"), s.Tools != nil
	}
	if why := w.servers.off[server]; why != "" {
		return diag.New(code, r.At, "%s names tools of the server %q, which does not start: %s", r.Tool, server, why), true
	}
	return suggest(diag.New(code, r.At, "%s names tools of an MCP server %q, which does not exist", r.Tool, server), server, w.servers.names, "MCP servers here"), true
}

// toolNames are the names that an agent's rules may hold, sorted.
func (w *world) toolNames(a *agent) []string {
	names := slices.Concat(w.tools.names, w.serverNames(a))
	if a != nil {
		for _, d := range a.delegates {
			names = append(names, d.Tool())
		}
		slices.Sort(names)
	}
	return names
}

// unused tells of rules that decide nothing where they stand.
func unused(r *tools.Rules) diag.List {
	var ds diag.List
	for _, u := range r.Unused() {
		ds.Add(diag.New("W-RULE-UNUSED", u.Rule.At, "%s: %s", u.Rule.Text, u.Why))
	}
	return ds
}

// scopedDenies says what Claude Code would make of a removal with a specifier.
func scopedDenies(removed []tools.Rule) diag.List {
	var ds diag.List
	for _, r := range removed {
		if r.Specifier != "" {
			ds.Add(diag.New("W-TOOL-SCOPED-DENY", r.At, "%s refuses only the calls that it names; Claude Code takes %s away as a whole", r.Text, r.Tool))
		}
	}
	return ds
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return diag.Enumerate(names)
}
