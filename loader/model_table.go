package loader

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/dag"
)

// modelTable is what a model reference can mean.
type modelTable struct {
	entries   map[string]*config.ModelEntry
	scripts   map[string]*parsed
	providers map[string]provider
	chains    map[string][]candidate // of the names in models:, flattened
	lost      map[string]bool        // names in models: that have an error
	circular  map[string]bool        // those whose chains lead back to themselves
	mu        sync.Mutex             // of known: runs may ask for models of their own at once
	known     map[string]listing     // what lookup has found
}

// resolveModels flattens the chains of models:. Its errors are those of the settings, which reach every target.
func resolveModels(p *project, o *settled) (*modelTable, diag.List) {
	m := &modelTable{
		entries: map[string]*config.ModelEntry{}, scripts: map[string]*parsed{}, providers: map[string]provider{},
		chains: map[string][]candidate{}, lost: map[string]bool{}, circular: map[string]bool{},
	}
	for _, e := range o.env.Endpoints {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			m.providers[name] = provider{Endpoint: e}
		}
	}
	ds := m.addProviders(p.settings)
	for _, f := range p.files {
		if f.kind == config.KindModel && f.def.Status != config.Skipped {
			m.scripts[f.def.Name] = f
		}
	}
	for i := range p.settings.Models {
		e := &p.settings.Models[i]
		m.entries[e.Name.V], m.lost[e.Name.V] = e, e.Broken()
	}
	ds.Add(m.cycles()...)
	for _, name := range slices.Sorted(maps.Keys(m.entries)) {
		ds.Add(m.flatten(name)...)
	}
	return m, ds
}

// addProviders lays the entries of providers: over the built-in endpoints.
func (m *modelTable) addProviders(s *config.Settings) diag.List {
	var ds diag.List
	known := slices.Sorted(maps.Keys(m.providers))
	for i := range s.Providers {
		e := &s.Providers[i]
		p, builtIn := m.providers[e.Name.V]
		p.entry = e
		if !builtIn {
			p.Family = e.Type.Or("openai")
			if !e.BaseURL.Written() {
				ds.Add(suggest(diag.New("E-PROVIDER-URL", e.Name.At, "the provider %q is not built in and has no base_url", e.Name.V),
					e.Name.V, known, "Built in"))
			}
		}
		m.providers[e.Name.V] = p
	}
	return ds
}

// cycles finds names that lead back to themselves.
func (m *modelTable) cycles() diag.List {
	var g dag.Graph[string]
	for name, e := range m.entries {
		for _, r := range e.Chain {
			if m.entries[r.V] != nil {
				g.Edge(name, r.V)
			}
		}
	}
	var ds diag.List
	for _, path := range g.Cycles() {
		e := m.entries[path[0]]
		at := slices.IndexFunc(e.Chain, func(r config.Ref) bool { return r.V == path[1] })
		d := diag.New("E-MODEL-CYCLE", e.Chain[at].At, "the chain leads back to itself: %s", strings.Join(path, " → "))
		for _, name := range path[1 : len(path)-1] {
			d = d.Note(m.entries[name].Name.At, "%q is on the way", name)
		}
		ds.Add(d.Suggest("take one of the names out of the chain"))
		for _, name := range path {
			m.lost[name], m.circular[name] = true, true
		}
	}
	return ds
}

// flatten fills the chain of a name, after those that it refers to.
func (m *modelTable) flatten(name string) diag.List {
	if _, done := m.chains[name]; done {
		return nil
	}
	m.chains[name] = nil
	e := m.entries[name]
	if e.Provider.Set() {
		c := candidate{id: "models." + name, provider: e.Provider.V, model: e.Model.V, entry: e}
		var ds diag.List
		if e.Model.Set() || c.provider != scriptProvider {
			ds = m.check(&c, e.Provider, e.Model.At)
		}
		m.settle(e, []candidate{c}, ds)
		return ds
	}
	var ds diag.List
	for _, r := range e.Chain {
		if m.entries[r.V] != nil {
			ds.Add(m.flatten(r.V)...)
		}
	}
	chain, more := m.chain(e.Chain, false)
	ds.Add(more...)
	m.settle(e, chain, more)
	return ds
}

// settle notes what a name stands for: nothing, where it leads back to itself or its entry has an error.
func (m *modelTable) settle(e *config.ModelEntry, chain []candidate, ds diag.List) {
	name := e.Name.V
	m.lost[name] = m.lost[name] || ds.HasErrors()
	if !e.Broken() && !m.circular[name] {
		m.chains[name] = chain
	}
}
