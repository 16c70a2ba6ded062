package loader

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
)

// defaultTools are the tools of a native agent that names none.
var defaultTools = [...]string{"Read", "Glob", "Grep"}

// resolveGrants turns tools: into grants. The tools that delegates bring are always among them.
func (w *world) resolveGrants(a *agent, dialect tools.Dialect) diag.List {
	var ds diag.List
	var named []config.Ref // beside *, an entry still narrows its tool
	for _, r := range a.Tools.V {
		if r.V == "*" {
			a.rules.All = true
			continue
		}
		named = append(named, r)
	}
	switch {
	case a.Tools.Set():
		a.rules.Grants, ds = w.parseRules(named, dialect, a)
		ds.Add(w.resolveTeam(a)...)
		if a.rules.All && len(named) == 0 && a.claude() {
			a.team = w.others(a)
		}
		a.rules.Asking = a.inherited
	case a.claude():
		a.rules.All, a.rules.Asking = true, true
		a.team = w.others(a)
	case slices.ContainsFunc(a.Inactive, func(r config.Ref) bool { return r.V == "disable_default_tools" }):
		// what would narrow the default set and is not acted on leaves nothing of it
	default:
		for _, name := range defaultTools {
			if w.tools.byName[name] != nil {
				a.rules.Grants = append(a.rules.Grants, tools.Rule{Text: name, Tool: name})
			}
		}
	}
	a.rules.Grants = slices.Grow(a.rules.Grants, len(a.delegates))
	for i, d := range a.delegates {
		a.rules.Grants = append(a.rules.Grants, tools.Rule{Text: d.Tool(), Tool: d.Tool(), At: a.delegateAt(i)})
	}
	ds.Add(w.foreignServers(a)...)
	w.zeroTools(a)
	return ds
}

// zeroTools refuses to start an agent none of whose tools exist: it would run without what it was written for.
func (w *world) zeroTools(a *agent) {
	if !a.claude() || !a.Tools.Set() || len(a.Tools.V) == 0 || a.rules.All {
		return
	}
	if slices.ContainsFunc(a.rules.Grants, func(r tools.Rule) bool { return w.names(r, a) }) {
		return
	}
	known := w.toolNames(a)
	var entries []string
	for _, r := range a.Tools.V {
		entry := quoted(r.V)
		if near, ok := diag.Closest(r.V, known); ok {
			entry += " (did you mean " + quoted(near) + "?)"
		}
		entries = append(entries, entry)
	}
	a.refused.Add(diag.New("E-ZERO-TOOLS", a.Tools.KeyAt(), "none of the tools of %q exist: %s", a.Name, strings.Join(entries, ", ")).
		Suggest("Tools available here: %s", orNothing(known)))
}

// resolveTeam finds whom Agent(…) may start; several entries add up, a bare one means everybody else.
func (w *world) resolveTeam(a *agent) diag.List {
	var ds diag.List
	for _, r := range a.rules.Grants {
		if r.Tool != teamTool {
			continue
		}
		if r.Specifier == "" || r.Specifier == "*" {
			a.team = append(a.team, w.others(a)...)
			continue
		}
		for name := range strings.SplitSeq(r.Specifier, ",") {
			name = strings.TrimSpace(name)
			if w.exists(name) {
				a.team = append(a.team, name)
				continue
			}
			code := diag.Code("E-DELEGATE-UNKNOWN")
			if a.claude() {
				code = "W-DELEGATE-UNKNOWN"
			}
			ds.Add(suggest(diag.New(code, r.At, "there is no agent named %q", name), name, w.agentNames(), "Agents here"))
		}
	}
	slices.Sort(a.team)
	a.team = slices.Compact(a.team)
	return ds
}

// others are the names of all agents but one.
func (w *world) others(a *agent) []string {
	var names []string
	for _, other := range w.agents {
		if other != a {
			names = append(names, other.Name)
		}
	}
	return names
}
