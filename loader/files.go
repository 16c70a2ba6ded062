package loader

import (
	"maps"
	"slices"

	"github.com/swarmrun/swarmrun/tools"
)

// Files are the files and folders that an agent is made of, with all that it reaches, and those that are about every agent:
// settings, and what prompts include. Absolute and sorted; a skill is its folder. A file that two agents share is in both.
func (r *Report) Files(agent string) []string {
	w := r.world
	out := map[string]bool{}
	for _, read := range [...]map[string]digest{w.sources.common, w.sources.looked} {
		for path := range read {
			out[path] = true
		}
	}
	for _, f := range w.files {
		delete(out, f.path)
	}
	for _, b := range w.hooks.shared {
		w.hookFiles(b, out)
	}
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		a := w.byName[name]
		if a == nil || seen[name] {
			return
		}
		seen[name] = true
		w.agentFiles(a, out)
		for _, d := range a.delegates {
			visit(d.Agent)
		}
		for _, n := range a.team {
			visit(n)
		}
	}
	visit(agent)
	return slices.Sorted(maps.Keys(out))
}

// agentFiles adds the files of one agent.
func (w *world) agentFiles(a *agent, out map[string]bool) {
	out[a.file.path] = true
	for _, b := range a.hooks {
		w.hookFiles(b, out)
	}
	for _, s := range a.skills {
		if s.Folder != "" {
			out[s.Folder] = true
		} else {
			out[within(w.tree.root, s.File)] = true
		}
	}
	for _, u := range a.uses {
		if u.file != nil {
			out[u.file.path] = true
		}
	}
	for _, c := range a.chain {
		if c.script != nil {
			out[c.script.path] = true
		}
	}
	for name, t := range w.tools.byName {
		if t.file != nil && (a.rules.All || slices.ContainsFunc(a.rules.Grants, func(g tools.Rule) bool { return g.Tool == name })) {
			out[t.file.path] = true
		}
	}
}

func (w *world) hookFiles(b *boundHook, out map[string]bool) {
	if b.file != nil {
		out[b.file.path] = true
	}
}
