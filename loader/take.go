package loader

import (
	"maps"
	"os"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// An agent is made of its own definition, of what all agents have in common, and of the names of the others. A load takes an
// agent over from the load before where all three are what they were, and the agent looked at nothing else. What agents do to
// one another, such as circles, budgets and the faults of those that they need, is found anew in every load.

// basis is the world of the load before, if agents may be taken over from it: every other definition, all settings, and who
// has which name are the same. nil = they are not.
func (w *world) basis() *world {
	if w.sources.before == nil || w.sources.before.world == nil {
		return nil
	}
	o := w.sources.before.world
	if len(w.files) != len(o.files) || !maps.Equal(w.sources.common, o.sources.common) {
		return nil
	}
	for i, f := range w.files {
		if !f.standsFor(o.files[i]) {
			return nil
		}
	}
	return o
}

// standsFor tells whether others see in a file what they saw in another one: the same definition, or an agent of its name.
func (p *parsed) standsFor(o *parsed) bool {
	if p.was == o.was {
		return p.was != nil
	}
	return p.kind == config.KindAgent && *p.file == *o.file && p.was != nil && o.was != nil &&
		p.was.def.Name == o.was.def.Name && p.was.def.Status == o.was.def.Status
}

// takeOver is the agent of the i-th file as it was in a basis; nil = it has to be made.
func (w *world) takeOver(i int, f *parsed) *agent {
	if w == nil {
		return nil
	}
	old := w.files[i].on
	if old == nil || old.looked || w.files[i].was != f.was {
		return nil
	}
	f.agent = old.Agent
	return &agent{own: old.own, file: f, faults: old.wrong, team: old.mates}
}

// settleOwn ends the part of an agent that may be taken over. ds is what is wrong with it.
func (a *agent) settleOwn(ds diag.List) {
	a.told = append(diag.List{}, ds...)
	a.wrong, a.mates, a.refused = slices.Clip(a.faults), slices.Clip(a.team), slices.Clip(a.refused)
	a.faults, a.team = a.wrong, a.mates
}

// keep takes the tools themselves over from a basis.
func (t *toolTable) keep(w *world) {
	if w == nil {
		return
	}
	for name, own := range t.byName {
		if old := w.tools.byName[name]; own.Tool != nil && old != nil && old.Tool != nil {
			own.Tool = old.Tool
		}
	}
}

// narrow is the tree of the load before, with what was wrong with it, where nothing else than the text of agents changed
// since: then no folder is listed and no other file looked at. nil = it has to be discovered.
func (s *sources) narrow(root string, changed []string) (*tree, diag.List) {
	o := s.before
	if changed == nil || o == nil || o.found == nil || o.found.root != root || !s.keep {
		return nil, nil
	}
	only := make(map[string]bool, len(changed))
	for _, path := range changed {
		only[path] = true
	}
	if !o.agentsAlone(only) {
		return nil, nil
	}
	s.only, s.found, s.told, s.later = only, o.found, o.told, true
	s.common, s.trees, s.folders, s.parsed = o.common, o.trees, o.folders, slices.Clone(o.parsed)
	return o.found.clone(), o.told
}

// agentsAlone tells whether paths are files, and were read as agents and as nothing else.
func (s *sources) agentsAlone(paths map[string]bool) bool {
	for path := range paths {
		if _, common := s.common[path]; common {
			return false
		}
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	read := 0
	for i, f := range s.found.files {
		if !paths[f.path] {
			continue
		}
		if f.kind != config.KindAgent || s.parsed[i].parsed.shelf {
			return false
		}
		read++
	}
	return read == len(paths)
}
