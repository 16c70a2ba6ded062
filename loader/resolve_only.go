package loader

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/wildcard"
	"github.com/swarmrun/swarmrun/tools/mcp"
)

// limited leaves an agent of a foreign tree the calls that the settings of the tree leave it. Where an entry of the agent and the
// settings narrow a tool in different ways nobody can say what is in both: the tool goes, with a word.
func (w *world) limited(a *agent) diag.List {
	var ds diag.List
	for _, s := range w.treeSettings(a.file.tree) {
		a.refused.Add(s.Refused...)
		if !s.Only.Set() {
			continue
		}
		if !a.Tools.Set() || slices.ContainsFunc(a.Tools.V, func(r config.Ref) bool { return r.V == "*" }) {
			a.inherited = a.inherited || !a.Tools.Set()
			a.Tools = config.Value[[]config.Ref]{V: w.spread(s.Only.V), At: s.Only.At, Key: s.Only.Key}
			continue
		}
		left := []config.Ref{}
		for _, r := range a.Tools.V {
			kept := leftOf(r, s.Only.V)
			if len(kept) == 0 {
				ds.Add(diag.New("W-TOOL-LIMITED", r.At, "the settings of the tree do not leave %s to its agents", r.V).
					Note(s.Only.At, "what they leave"))
			}
			left = append(left, kept...)
		}
		a.Tools.V = left
	}
	return ds
}

// spread writes out an entry about the tools of all servers, and leaves out tools that do not exist here.
func (w *world) spread(only []config.Ref) []config.Ref {
	out := []config.Ref{}
	for _, r := range w.translated(only) {
		if r.V != "mcp__*" {
			out = append(out, r)
			continue
		}
		for _, name := range w.servers.names {
			if w.servers.byName[name].server() != nil {
				out = append(out, config.Ref{V: mcp.DefaultPrefix(name) + "*", At: r.At, Key: r.Key})
			}
		}
	}
	return out
}

// translated are rules that were made of the words of another program, without those about tools that do not exist here:
// nobody wrote those names.
func (w *world) translated(refs []config.Ref) []config.Ref {
	return slices.DeleteFunc(slices.Clone(refs), func(r config.Ref) bool {
		tool, _, _ := strings.Cut(r.V, "(")
		return w.tools.byName[tool] == nil && !ours(tool) && !strings.HasPrefix(tool, "mcp__") && !strings.Contains(tool, "*")
	})
}

// leftOf is what a list leaves of an entry.
func leftOf(r config.Ref, only []config.Ref) []config.Ref {
	tool, spec, _ := strings.Cut(r.V, "(")
	var out []config.Ref
	for _, o := range only {
		name, limit, narrowed := strings.Cut(o.V, "(")
		switch {
		case !wildcard.Match(name, tool):
		case !narrowed || limit == spec:
			return []config.Ref{r}
		case spec == "":
			out = append(out, o)
		}
	}
	return out
}
