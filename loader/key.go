package loader

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
)

// key is where the key of a candidate comes from. It is looked at when the first request is sent.
type key struct {
	get       func() (string, error) // nil = keyless
	reference string                 // what stands for the key; two candidates with one reference share a key
}

// id is a hash of the reference, never of the key.
func (k key) id() string {
	if k.get == nil {
		return ""
	}
	return fingerprint([]string{k.reference})[:16]
}

// key finds the source of a candidate's key: its entry in models:, its provider's entry, the provider's variables. An entry
// with a base_url of its own takes the key beside it and no other, so that a provider's key never goes to another host.
func (c *clients) key(m candidate, p provider) key {
	if e := m.entry; e != nil && (e.APIKey.V != "" || e.BaseURL.Set()) {
		if e.APIKey.V == "" {
			if !e.APIKey.Set() {
				return key{}
			}
			return key{missing(m.provider), "models." + e.Name.V}
		}
		return key{given(e.APIKey.V), "models." + e.Name.V}
	}
	vars := p.KeyVars
	if p.entry != nil {
		reference := "providers." + m.provider
		if p.entry.KeyVar != "" {
			reference = "var:" + p.entry.KeyVar
			vars = append([]string{p.entry.KeyVar}, vars...)
		}
		if v := p.entry.APIKey.V; v != "" {
			return key{given(v), reference}
		}
	}
	if len(vars) == 0 {
		return key{}
	}
	return key{c.fromVariables(m.provider, vars, p.Keyless), "var:" + vars[0]}
}

func given(v string) func() (string, error) { return func() (string, error) { return v, nil } }

func missing(provider string, vars ...string) func() (string, error) {
	return func() (string, error) { return "", providers.MissingKey(provider, vars...) }
}

// fromVariables reads the first variable that is set. Without one a keyless endpoint goes without.
func (c *clients) fromVariables(provider string, vars []string, keyless bool) func() (string, error) {
	return func() (string, error) {
		for _, name := range vars {
			if v, ok := c.lookup(name); ok && v != "" {
				return v, nil
			}
		}
		if keyless {
			return "", nil
		}
		return missing(provider, vars...)()
	}
}

// fingerprint is a digest of parts in order.
func fingerprint(parts []string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strings.ReplaceAll(p, "\x00", "\x00\x00")))
		h.Write([]byte{0, 1})
	}
	return hex.EncodeToString(h.Sum(nil))
}
