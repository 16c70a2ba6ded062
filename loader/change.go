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
	holders := func(files []*parsed) map[id]*parsed {
		m := map[id]*parsed{}
		for _, f := range files {
			if f.def.Status != config.Skipped {
				m[id{f.kind, f.def.Name}] = f
			}
		}
		return m
	}
	named := func(f *parsed) agents.Definition {
		return agents.Definition{Kind: string(f.kind), Name: f.def.Name, File: f.name}
	}
	var c agents.Change
	was, is := old.report.world.files, now.report.world.files
	same := func(i, j int) bool {
		if !was[i].same(is[j]) {
			return false
		}
		if is[j].def.Status != config.Skipped {
			c.Kept++
		}
		return true
	}
	for len(was) > 0 && len(is) > 0 && same(0, 0) {
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && len(is) > 0 && same(len(was)-1, len(is)-1) {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	before, after := holders(was), holders(is)
	for k, f := range after {
		was := before[k]
		switch {
		case was == nil:
			c.Added = append(c.Added, named(f))
		case was.was != f.was || was.text() != f.text():
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
func (p *parsed) text() string {
	if p.on == nil {
		return ""
	}
	return p.on.prompt
}

// same tells whether a file of one load is in another one what it was there.
func (p *parsed) same(o *parsed) bool {
	return p.was != nil && p.was == o.was && (p.def.Status == config.Skipped) == (o.def.Status == config.Skipped) && p.text() == o.text()
}
