package loader

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
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
// with a base_url of its own takes the key beside it and no other, so that a provider's key never goes to another host. Nor does
// a key that the workspace does not name go where the workspace says: not to this machine either, where its programs can listen.
func (c *clients) key(m candidate, p provider) key {
	k, at := c.anyKey(m, p)
	address := written(m, p)
	if k.get == nil || trusts(address, at) {
		return k
	}
	if p.Keyless {
		return key{}
	}
	return key{func() (string, error) { return "", withheld(m.provider, address.At, p) }, "withheld:" + m.provider}
}

// anyKey is the key whoever the address is of, and where it stands: nowhere, if in the environment.
func (c *clients) anyKey(m candidate, p provider) (key, diag.Range) {
	if e := m.entry; e != nil && (e.APIKey.V != "" || e.BaseURL.Set()) {
		if e.APIKey.V == "" {
			if !e.APIKey.Set() {
				return key{}, diag.Range{}
			}
			return key{missing(m.provider), "models." + e.Name.V}, e.APIKey.At
		}
		return key{given(e.APIKey.V), "models." + e.Name.V}, e.APIKey.At
	}
	vars := p.KeyVars
	if p.entry != nil {
		reference := "providers." + m.provider
		if p.entry.KeyVar != "" {
			reference = "var:" + p.entry.KeyVar
			vars = append([]string{p.entry.KeyVar}, vars...)
		}
		if v := p.entry.APIKey.V; v != "" {
			return key{given(v), reference}, p.entry.APIKey.At
		}
	}
	if len(vars) == 0 {
		return key{}, diag.Range{}
	}
	return key{c.fromVariables(m.provider, vars, p.Keyless), "var:" + vars[0]}, diag.Range{}
}

// written is the address that a file gives, that of the entry in models: before the provider's; not Set, if none does.
func written(m candidate, p provider) config.Value[string] {
	if m.entry != nil && m.entry.BaseURL.Set() {
		return m.entry.BaseURL
	}
	if p.entry != nil {
		return p.entry.BaseURL
	}
	return config.Value[string]{}
}

// trusts tells whether what stands at a place may be sent to an address: an address of the workspace gets what the workspace says.
func trusts(address config.Value[string], at diag.Range) bool {
	return address.At.File != SettingsFile || at.File == SettingsFile
}

// headers are those of the provider and, over them, those of the entry, which takes its own alone to an address of its own.
func headers(m candidate, p provider) map[string]string {
	out := map[string]string{}
	address := written(m, p)
	add := func(from map[string]config.Ref) {
		for name, v := range from {
			if trusts(address, v.At) {
				out[name] = v.V
			}
		}
	}
	if p.entry != nil && (m.entry == nil || !m.entry.BaseURL.Set()) {
		add(p.entry.Headers)
	}
	if m.entry != nil {
		add(m.entry.Headers)
	}
	return out
}

// withheld is the error of a key that is not sent to an address of the workspace, with the ways out.
func withheld(name string, address diag.Range, p provider) error {
	from := "${NAME_OF_A_VARIABLE}"
	if len(p.KeyVars) > 0 {
		from = "${" + p.KeyVars[0] + "}"
	}
	return &providers.Error{
		Kind: providers.KindAuth, Provider: name, Code: "key_withheld",
		Hint: fmt.Sprintf("the key of %s does not go to the base_url at %s:%d, which names none: if you trust the address, write api_key: %q beside it, "+
			"or api_key: none for a server without keys", name, address.File, address.Start.Line, from),
	}
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
