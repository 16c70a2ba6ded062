package loader

import (
	"cmp"
	"slices"

	"github.com/swarmrun/swarmrun/config"
)

// ProviderDetail is how a provider that models name is reached, as far as it can be known without asking it.
type ProviderDetail struct {
	Name    string
	BaseURL string   // "" = its family's own
	KeyVars []string // variables that may hold the key, best first
	Keyless bool     // it works without a key
	HasKey  bool     // a key is set, in the settings or in a variable
	Limits  config.Limits
	Breaker config.Breaker
}

// Providers are the providers and addresses that agents and models: name, sorted by name. Rule files have none. It looks
// whether keys are set and keeps none.
func (r *Report) Providers() []ProviderDetail {
	type place struct{ provider, url string }
	seen := map[place]bool{}
	var out []ProviderDetail
	add := func(chain []candidate) {
		for _, m := range chain {
			if m.script != nil {
				continue
			}
			p := r.world.models.providers[m.provider]
			url := r.clients.baseURL(m, p)
			if at := (place{m.provider, url}); !seen[at] {
				seen[at] = true
				out = append(out, r.provider(m, p, url))
			}
		}
	}
	for _, a := range r.world.agents {
		add(a.chain)
	}
	for _, chain := range r.world.models.chains {
		add(chain)
	}
	slices.SortFunc(out, func(a, b ProviderDetail) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.BaseURL, b.BaseURL))
	})
	return out
}

func (r *Report) provider(m candidate, p provider, url string) ProviderDetail {
	d := ProviderDetail{Name: m.provider, BaseURL: url, KeyVars: p.KeyVars, Keyless: p.Keyless}
	if p.entry != nil {
		d.Limits, d.Breaker = p.entry.Limits.V, p.entry.Breaker.V
	}
	k := r.clients.key(m, p)
	if k.get == nil {
		d.Keyless = true
		return d
	}
	if _, at := r.clients.anyKey(m, p); !trusts(written(m, p), at) {
		d.KeyVars = nil // a variable alone does not help
	}
	v, err := k.get()
	d.HasKey = err == nil && v != ""
	return d
}
