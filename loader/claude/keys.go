package claude

import (
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// key reads a setting beside permissions and hooks; false when there is nothing that would act on it. The nearest file
// decides a single value, lists add up.
func (r *reader) key(m member) bool {
	s := r.to
	switch m.key {
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
		s.HTTPHooks.At, s.HTTPHooks.Key = m.value.at, m.at
	case "enabledPlugins":
		return true // read where plugins are looked for
	default:
		return false
	}
	return true
}

// text is a setting that is one text.
func (r *reader) text(m member) (config.Value[string], bool) {
	if m.value.kind != text {
		r.wrong(m.value, m.key, "text")
		return config.Value[string]{}, false
	}
	return config.Value[string]{V: m.value.text, At: m.value.at, Key: m.at}, true
}

// flag is a setting that is true or false.
func (r *reader) flag(m member, to *config.Value[bool]) {
	switch {
	case m.value.kind != boolean:
		r.wrong(m.value, m.key, "true or false")
	case !to.Set():
		*to = config.Value[bool]{V: m.value.text == "true", At: m.value.at, Key: m.at}
	}
}

// env reads variables of children. Numbers and truth values are taken as they are written.
func (r *reader) env(m member) {
	if m.value.kind != object {
		r.wrong(m.value, m.key, "an object of texts")
		return
	}
	e := &r.to.Env
	if e.V == nil {
		e.V, e.At, e.Key = map[string]string{}, m.value.at, m.at
	}
	for _, v := range m.value.members {
		_, nearer := e.V[v.key]
		switch {
		case v.value.kind == object || v.value.kind == array || v.value.kind == null:
			r.wrong(v.value, m.key+"."+v.key, "text")
		case v.key == "" || strings.ContainsAny(v.key, "=\x00"):
			r.diags.Add(diag.New("E-VALUE-RANGE", v.at, "%q is no name of a variable", v.key).Suggest("write letters, digits and _"))
		case !nearer:
			e.V[v.key] = v.value.text
		}
	}
}
