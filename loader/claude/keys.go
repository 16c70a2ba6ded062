package claude

import (
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// key reads a setting beside permissions and hooks; false when there is nothing that would act on it. The nearest file
// decides a single value, lists add up.
func (r *reader) key(m frontmatter.Member) bool {
	s := r.to
	switch m.Key {
	case "model":
		if v, ok := r.text(m); ok && !s.Model.Set() && v.V != "default" {
			s.Model = config.Value[[]config.Ref]{V: []config.Ref{{V: v.V, At: v.At}}, At: v.At, Key: v.Key}
		}
	case "agent":
		if v, ok := r.text(m); ok && !s.Agent.Set() {
			s.Agent = v
		}
	case "env":
		r.env(m)
	case "claudeMdExcludes":
		s.Excludes = append(s.Excludes, r.texts(m)...)
	case "disableSkillShellExecution":
		r.flag(m, &s.NoSkillShell)
	case "enableAllProjectMcpServers":
		r.flag(m, &s.AllMCP)
	case "enabledMcpjsonServers":
		s.MCPOn = append(s.MCPOn, r.texts(m)...)
	case "disabledMcpjsonServers":
		s.MCPOff = append(s.MCPOff, r.texts(m)...)
	case "allowedHttpHookUrls":
		list := r.texts(m)
		s.HTTPHooks.V = append(s.HTTPHooks.V, list...)
		s.HTTPHooks.At, s.HTTPHooks.Key = m.Value.At, m.At.Span()
	case "enabledPlugins":
		r.plugins(m)
	case "sandbox":
		r.sandbox(m)
	case "allowedMcpServers":
		s.AllowedServers.V = append(s.AllowedServers.V, r.servers(m)...)
		s.AllowedServers.At, s.AllowedServers.Key = m.Value.At, m.At.Span()
	case "deniedMcpServers":
		s.DeniedServers = append(s.DeniedServers, r.servers(m)...)
	case "allowManagedHooksOnly":
		return r.managed(m, &s.ManagedOnly.Hooks)
	case "allowManagedPermissionRulesOnly":
		return r.managed(m, &s.ManagedOnly.Rules)
	default:
		return false
	}
	return true
}

// text is a setting that is one text.
func (r *reader) text(m frontmatter.Member) (config.Value[string], bool) {
	if m.Value.Type != frontmatter.Text {
		r.wrong(m.Value, m.Key, "text")
		return config.Value[string]{}, false
	}
	return config.Value[string]{V: m.Value.Text, At: m.Value.At, Key: m.At.Span()}, true
}

// flag is a setting that is true or false.
func (r *reader) flag(m frontmatter.Member, to *config.Value[bool]) {
	switch {
	case m.Value.Type != frontmatter.Boolean:
		r.wrong(m.Value, m.Key, "true or false")
	case !to.Set():
		*to = config.Value[bool]{V: m.Value.Text == "true", At: m.Value.At, Key: m.At.Span()}
	}
}

// env reads variables of children. Numbers and truth values are taken as they are written.
func (r *reader) env(m frontmatter.Member) {
	if m.Value.Type != frontmatter.Object {
		r.wrong(m.Value, m.Key, "an object of texts")
		return
	}
	e := &r.to.Env
	if e.V == nil {
		e.V, e.At, e.Key = map[string]string{}, m.Value.At, m.At.Span()
	}
	for _, v := range m.Value.Members {
		_, nearer := e.V[v.Key]
		switch {
		case v.Value.Type == frontmatter.Object || v.Value.Type == frontmatter.Array || v.Value.Type == frontmatter.Null:
			r.wrong(v.Value, m.Key+"."+v.Key, "text")
		case v.Key == "" || strings.ContainsAny(v.Key, "=\x00"):
			r.diags.Add(diag.New("E-VALUE-RANGE", v.At, "%q is no name of a variable", v.Key).Suggest("write letters, digits and _"))
		case !nearer:
			e.V[v.Key] = v.Value.Text
		}
	}
}
