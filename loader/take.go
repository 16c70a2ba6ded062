package loader

import (
	"maps"
	"os"
	"reflect"
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
	if len(w.files) != len(o.files) || !maps.Equal(w.sources.shared, o.sources.shared) || !reflect.DeepEqual(w.kept, o.kept) {
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

// takeOver is the agent of a file as it was in a basis; nil = it has to be made.
func (w *world) takeOver(f *parsed) *agent {
	if w == nil {
		return nil
	}
	old := w.byName[f.def.Name]
	if old == nil || old.looked || old.file.was != f.was {
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
func (s *sources) narrow(root, userDir string, changed []string) (*tree, diag.List) {
	o := s.before
	if changed == nil || o == nil || o.found == nil || o.found.root != root || s.parsed == nil {
		return nil, nil
	}
	only := make(map[string]bool, len(changed))
	for _, path := range changed {
		if !o.agentAlone(path) {
			return nil, nil
		}
		only[path] = true
	}
	if kept, more := keptRules(root, userDir); !reflect.DeepEqual(kept, o.found.kept) || len(more) > 0 {
		return nil, nil
	}
	s.only, s.found, s.told, s.shared = only, o.found, o.told, o.shared
	s.files, s.parsed, s.trees, s.folders = maps.Clone(o.files), maps.Clone(o.parsed), o.trees, o.folders
	return o.found.clone(), o.told
}

// agentAlone tells whether a path is a file, and was read as an agent and as nothing else.
func (s *sources) agentAlone(path string) bool {
	if was := s.parsed[parseKey{config.KindAgent, path}]; was == nil || was.parsed.shelf {
		return false
	}
	if _, common := s.shared[path]; common {
		return false
	}
	for key := range s.parsed {
		if key.path == path && key.kind != config.KindAgent {
			return false
		}
	}
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
