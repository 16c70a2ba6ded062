package loader

import (
	"cmp"
	"slices"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
)

// compare tells which definitions that hold their name came, changed and went.
func compare(old *generation, now *loaded) agents.Change {
	type id struct {
		kind config.Kind
		name string
	}
	holders := func(w *world) map[id]*parsed {
		m := map[id]*parsed{}
		for _, f := range w.files {
			if f.def.Status != config.Skipped {
				m[id{f.kind, f.def.Name}] = f
			}
		}
		return m
	}
	named := func(f *parsed) agents.Definition {
		return agents.Definition{Kind: string(f.kind), Name: f.def.Name, File: f.name}
	}
	before, after := holders(old.report.world), holders(now.report.world)
	var c agents.Change
	for k, f := range after {
		was := before[k]
		switch {
		case was == nil:
			c.Added = append(c.Added, named(f))
		case was.path != f.path || old.sources.files[f.path] != now.sources.files[f.path] || old.report.world.text(was) != now.report.world.text(f):
			c.Changed = append(c.Changed, named(f))
		default:
			c.Kept++
		}
	}
	for k, f := range before {
		if after[k] == nil {
			c.Removed = append(c.Removed, named(f))
		}
	}
	for _, list := range [][]agents.Definition{c.Added, c.Changed, c.Removed} {
		slices.SortFunc(list, func(a, b agents.Definition) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
	}
	return c
}

// text is what an agent is told, with what its file includes; "" for anything else.
func (w *world) text(f *parsed) string {
	if a := w.byName[f.def.Name]; a != nil && a.file == f {
		return a.prompt
	}
	return ""
}
