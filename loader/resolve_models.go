package loader

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
)

// scriptProvider is the first segment of references to rule files.
const scriptProvider = "script"

// inherit stands for the caller's model.
const inherit = "inherit"

// candidate is one model of a chain.
type candidate struct {
	id       string             // what tells it from others: an entry of models:, or the reference
	provider string             // "script" for rule files
	model    string             // as the provider knows it
	entry    *config.ModelEntry // nil = a plain reference
	script   *parsed            // the rule file
	caps     providers.Capabilities
}

// label is how events and people call a candidate.
func (c candidate) label() string { return c.provider + "/" + c.model }

// provider is an entry of providers:, a built-in endpoint, or both.
type provider struct {
	Endpoint
	entry *config.ProviderEntry // nil = none
}

// chain turns references into candidates in order, each once. In a Claude location a name that is unknown is left out.
func (m *modelTable) chain(refs []config.Ref, claude bool) ([]candidate, diag.List) {
	var chain []candidate
	var ds diag.List
	for _, r := range refs {
		found, more := m.expand(r, claude)
		ds.Add(more...)
		for _, c := range found {
			if slices.ContainsFunc(chain, func(o candidate) bool { return o.id == c.id }) {
				ds.Add(diag.New("W-MODEL-TWICE", r.At, "%s stands in this chain already", c.label()).
					Suggest("a chain tries each model once; take the second one out"))
				continue
			}
			chain = append(chain, c)
		}
	}
	return chain, ds
}

// expand finds what one reference stands for.
func (m *modelTable) expand(r config.Ref, claude bool) ([]candidate, diag.List) {
	if r.V == inherit {
		return nil, diag.List{diag.New("E-MODEL-UNKNOWN", r.At, "inherit stands for the caller's whole chain and cannot be part of another").
			Suggest("write model: inherit alone, or take it out of the list")}
	}
	if m.entries[r.V] != nil {
		return m.chains[r.V], nil // its own errors were told where they stand
	}
	if name, model, ok := strings.Cut(r.V, "/"); ok {
		c := candidate{id: r.V, provider: name, model: model}
		ds := m.check(&c, r, r.At)
		if ds.HasErrors() {
			return nil, soften(ds, claude)
		}
		return []candidate{c}, ds
	}
	if model, ok := anthropic(r.V, claude); ok {
		c := candidate{id: "anthropic/" + model, provider: "anthropic", model: model}
		ds := m.check(&c, r, r.At)
		return []candidate{c}, ds
	}
	d := diag.New("E-MODEL-UNKNOWN", r.At, "there is no model named %q", r.V)
	names := slices.Sorted(maps.Keys(m.entries))
	if near, ok := diag.Closest(r.V, append(names, "sonnet", "opus", "haiku", inherit)); ok {
		d = d.Suggest("did you mean %q?", near)
	} else {
		d = d.Suggest("write provider/model, such as openai/gpt-5, or a name from models: in %s (%s)", SettingsFile, orNone(names))
	}
	return nil, soften(diag.List{d}, claude)
}

// soften makes the unknown model of a Claude location a warning: the agent runs on the model of its caller there.
func soften(ds diag.List, claude bool) diag.List {
	if !claude {
		return ds
	}
	for i, d := range ds {
		if d.Code == "E-MODEL-UNKNOWN" {
			ds[i].Code, ds[i].Severity = "W-MODEL-UNKNOWN", diag.Warning
			ds[i].Detail = "the agent runs on the model of its caller"
		}
	}
	return ds
}

// anthropic turns sonnet, opus, haiku, and in Claude locations a full id, into a model of Anthropic's.
func anthropic(name string, claude bool) (string, bool) {
	if model, ok := providers.Current(name); ok {
		return model, true
	}
	return name, claude && strings.HasPrefix(name, "claude-")
}

// provider is whom a candidate is asked from: an entry of models: with a base_url of its own needs no other entry.
func (m *modelTable) provider(c candidate) (provider, bool) {
	p, ok := m.providers[c.provider]
	if !ok && c.entry != nil && c.entry.BaseURL.Written() {
		return provider{Endpoint: Endpoint{Family: "openai"}}, true
	}
	return p, ok
}

// check fills in what is known of a candidate and tells what is not. ref is where its provider stands, at its model.
func (m *modelTable) check(c *candidate, ref config.Ref, at diag.Range) diag.List {
	if c.provider == scriptProvider {
		return m.checkScript(c, ref)
	}
	p, ok := m.provider(*c)
	if !ok {
		return diag.List{suggest(diag.New("E-MODEL-UNKNOWN", ref.At, "there is no provider named %q", c.provider),
			c.provider, slices.Sorted(maps.Keys(m.providers)), "Providers here")}
	}
	known := m.lookup(c)
	c.caps = known.caps
	c.override()
	own := p.entry != nil && p.entry.BaseURL.Written() || c.entry != nil && (c.entry.BaseURL.Written() || c.entry.Price.Written())
	if !known.listed && !own && c.model != "" && providers.Covers(c.provider) {
		d := diag.New("W-MODEL-UNKNOWN", at, "%s is not in the table of known models", c.label())
		if near, ok := diag.Closest(c.model, providers.Models(c.provider)); ok {
			d = d.Suggest("did you mean %q? If the model is new, give its price and context_window under models: in %s", near, SettingsFile)
		} else {
			d = d.Suggest("if the model is new, give its price and context_window under models: in %s", SettingsFile)
		}
		return diag.List{d}
	}
	return nil
}

// listing is what the table of known models says of one.
type listing struct {
	caps   providers.Capabilities
	listed bool
}

// lookup asks the table of known models once for each: all agents of a workspace name the same few.
func (m *modelTable) lookup(c *candidate) listing {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.known[c.label()]
	if !ok {
		k.caps, k.listed = providers.Lookup(c.provider, c.model)
		if m.known == nil {
			m.known = map[string]listing{}
		}
		m.known[c.label()] = k
	}
	return k
}

func (m *modelTable) checkScript(c *candidate, ref config.Ref) diag.List {
	f, ok := m.scripts[c.model]
	if !ok {
		names := slices.Sorted(maps.Keys(m.scripts))
		return diag.List{suggest(diag.New("E-MODEL-UNKNOWN", ref.At, "there is no rule file models/%s.yaml", c.model), c.model, names, "Rule files here")}
	}
	c.script = f
	c.caps = providers.Capabilities{Price: &providers.Price{}}
	if f.model == nil {
		return diag.List{brokenRef(ref.At, config.KindModel, c.label())}
	}
	return nil
}

// override lets the settings outrank the table.
func (c *candidate) override() {
	e := c.entry
	if e == nil {
		return
	}
	if e.ContextWindow.Set() {
		c.caps.ContextWindow = e.ContextWindow.V
	}
	if e.MaxOutput.Set() {
		c.caps.MaxOutput = e.MaxOutput.V
	}
	if e.Price.Set() {
		p := providers.Price(e.Price.V)
		c.caps.Price = &p
	}
}

// resolveModel finds an agent's chain. One that inherits has that of defaults: where nobody called it; so has an agent of a
// Claude location whose models all are unknown.
func (w *world) resolveModel(a *agent) diag.List {
	refs := a.Model.V
	var ds diag.List
	if !isInherit(refs) {
		a.chain, ds = w.models.chain(refs, a.claude())
	}
	for _, c := range a.chain {
		if c.script != nil && c.script.model == nil {
			a.refused.Add(errorsOf(c.script.diags)...)
		}
	}
	a.inherits = isInherit(refs) || a.claude() && len(refs) > 0 && len(a.chain) == 0
	if d := w.settings.Defaults; a.inherits && d != nil && !isInherit(d.Model.V) {
		a.chain, _ = w.models.chain(d.Model.V, false) // where it is the target; told where defaults: stands
	}
	return ds
}

func isInherit(refs []config.Ref) bool { return len(refs) == 1 && refs[0].V == inherit }

func orNone(names []string) string {
	if len(names) == 0 {
		return "none yet"
	}
	return fmt.Sprintf("here: %s", diag.Enumerate(names))
}
