package loader

import (
	"cmp"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// Node is a definition in the picture of a workspace.
type Node struct {
	ID    string      `json:"id"` // kind:name
	Kind  config.Kind `json:"kind"`
	Name  string      `json:"name"`
	File  string      `json:"file"`
	State string      `json:"state,omitempty"` // broken, refused; "" = it can be used
}

// Edge leads from a definition to one that it refers to.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"kind"` // delegates, uses, hook
}

// Map is the picture of a workspace: agents, the tools and models that stand in files, and who refers to whom. Built-in
// tools and plain model references are left out; both lists are sorted.
func (r *Report) Map() (nodes []Node, edges []Edge) {
	at := map[string]bool{}
	for _, d := range r.List("") {
		if d.Origin == config.Builtin {
			continue
		}
		n := Node{ID: string(d.Kind) + ":" + d.Name, Kind: d.Kind, Name: d.Name, File: d.File, State: r.state(d)}
		if d.Kind == config.KindModel && r.world.models.scripts[d.Name] != nil && r.world.models.entries[d.Name] == nil {
			n.ID = "model:" + scriptProvider + "/" + d.Name
		}
		at[n.ID] = true
		nodes = append(nodes, n)
	}
	link := func(from, to, kind string) {
		if at[from] && at[to] {
			edges = append(edges, Edge{from, to, kind})
		}
	}
	for _, a := range r.world.agents {
		r.world.link(a, link)
	}
	for name, e := range r.world.models.entries {
		for _, ref := range e.Chain {
			link("model:"+name, "model:"+ref.V, "uses")
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind))
	})
	return nodes, slices.Compact(edges)
}

// link draws the edges of one agent.
func (w *world) link(a *agent, link func(from, to, kind string)) {
	from := "agent:" + a.Name
	for _, d := range a.Delegates.V {
		link(from, "agent:"+d.Agent.V, "delegates")
	}
	if !a.rules.All {
		for _, name := range a.team {
			link(from, "agent:"+name, "delegates")
		}
	}
	for _, k := range a.Skills.V {
		link(from, "skill:"+k.V, "uses")
	}
	for _, m := range a.Model.V {
		link(from, "model:"+m.V, "uses")
	}
	for _, u := range a.uses {
		if u.file != nil {
			link(from, "mcp:"+u.server.Name, "uses")
		}
	}
	for _, b := range a.hooks {
		if b.file != nil {
			link("hook:"+b.file.def.Name, from, "hook")
		}
	}
	for _, d := range w.toolDetails(a) {
		if t := w.tools.byName[d.Name]; t != nil && t.file != nil {
			link(from, "tool:"+d.Name, "uses")
		}
	}
}

// state says what keeps a definition from being used.
func (r *Report) state(d config.Definition) string {
	if d.Status == config.Broken {
		return "broken"
	}
	if a := r.world.byName[d.Name]; d.Kind == config.KindAgent && a != nil && (diag.List(a.refused).HasErrors() || a.unpriced.HasErrors()) {
		return "refused"
	}
	return ""
}
