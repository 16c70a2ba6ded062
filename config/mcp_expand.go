package config

import (
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// claudeReference is ${VAR} or ${VAR:-default}; the default runs to the first brace.
var claudeReference = lazy.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(:-)([^}]*))?\}`)

// Expand puts the variables of env, NAME=value pairs, into what is started or called. In an entry of Claude Code a variable
// that is not set stays as it is written; in a native one the value counts as absent. Call it once.
func (m *MCP) Expand(env []string) diag.List {
	x := mcpExpander{env: environment(env), m: m}
	for _, r := range []*Ref{&m.Command, &m.Cwd, &m.URL, &m.HeadersRun} {
		if r.Set() && !x.keeps(r) {
			x.ds.Add(diag.New("E-VAR-UNSET", r.At, "without the variable there is no server").
				Suggest("set it, or write ${NAME:-default}"))
		}
	}
	var args []Ref
	for _, r := range m.Args.V {
		if x.keeps(&r) {
			args = append(args, r)
		}
	}
	m.Args.V = args
	m.Env, m.Headers = x.pairs(m.Env), x.pairs(m.Headers)
	if secret := (Ref{V: m.Auth.V.ClientSecret, At: m.Auth.At}); secret.V != "" {
		m.Auth.V.ClientSecret = ""
		if x.keeps(&secret) {
			m.Auth.V.ClientSecret = secret.V
			m.Secrets = append(m.Secrets, secret.V)
		}
	}
	x.ds.Add(m.checkURL()...)
	return x.ds
}

type mcpExpander struct {
	env map[string]string
	m   *MCP
	ds  diag.List
}

// pairs expands the values of a map. What variables hold there is a secret, and so is every header.
func (x *mcpExpander) pairs(in []Pair) []Pair {
	var out []Pair
	for _, p := range in {
		if x.keeps(&p.Value) {
			out = append(out, p)
		}
	}
	return out
}

// keeps expands a value; false: it counts as absent.
func (x *mcpExpander) keeps(r *Ref) bool {
	keep, pattern := true, reference.Get()
	if x.m.Claude {
		pattern = claudeReference.Get()
	}
	r.V = pattern.ReplaceAllStringFunc(r.V, func(ref string) string {
		if ref == "$$" {
			return "$"
		}
		m := pattern.FindStringSubmatch(ref)
		value, set := x.env[m[1]]
		switch {
		case set && (value != "" || m[2] == "" || x.m.Claude):
			if value != "" {
				x.m.Secrets = append(x.m.Secrets, value)
			}
			return value
		case m[2] == ":-":
			return m[3]
		case m[2] == ":?":
			x.ds.Add(diag.New("E-VAR-UNSET", r.At, "the variable %s is not set: %s", m[1], m[3]).Suggest("set %s in the environment", m[1]))
		case x.m.Claude:
			x.ds.Add(diag.New("W-MCP-ENV", r.At, "the variable %s is not set, so the text %s stays as it is", m[1], ref).
				Suggest("set %s in the environment, or write ${%s:-default}", m[1], m[1]))
			return ref
		default:
			x.ds.Add(diag.New("W-VAR-UNSET", r.At, "the variable %s is not set, so the value counts as absent", m[1]).
				Suggest("set %s in the environment, or write ${%s:-default}", m[1], m[1]))
		}
		keep = false
		return ""
	})
	return keep
}
