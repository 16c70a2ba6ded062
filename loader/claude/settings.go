package claude

import (
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// reader takes one settings file apart.
type reader struct {
	file     string
	to       *config.TreeSettings
	hooks    []member // event → groups
	hooksOff bool     // disableAllHooks
	diags    diag.List
}

// modes are the permission modes that settings may set for all agents, in native words. Those that take questions away are
// left to whoever runs swarmrun: a repository does not grant itself more.
var modes = map[string]string{"default": "default", "manual": "default", "plan": "plan", "dontAsk": "deny-asks"}

// settings reads a whole file.
func (r *reader) settings(data []byte) {
	root, fault := parse(r.file, data)
	if fault != nil {
		r.diags.Add(*fault)
		return
	}
	if root.kind != object {
		r.wrong(root, "settings", "an object")
		return
	}
	for _, m := range root.members {
		switch m.key {
		case "permissions":
			r.permissions(m)
		case "hooks":
			r.events(m)
		case "disableAllHooks":
			if m.value.kind != boolean {
				r.wrong(m.value, m.key, "true or false")
			}
			if r.hooksOff = m.value.text == "true"; r.hooksOff {
				r.to.NoHooks = config.Value[bool]{V: true, At: m.value.at, Key: m.at}
			}
		case "$schema":
		default:
			if !r.key(m) {
				r.inactive(m)
			}
		}
	}
}

func (r *reader) permissions(m member) {
	if m.value.kind != object {
		r.wrong(m.value, m.key, "an object")
		return
	}
	p := &r.to.Permissions
	if p.At.IsZero() {
		p.At = m.at
	}
	for _, m := range m.value.members {
		switch m.key {
		case "allow":
			p.Allow = append(p.Allow, r.texts(m)...)
		case "ask":
			p.Ask = append(p.Ask, r.texts(m)...)
		case "deny":
			p.Deny = append(p.Deny, r.texts(m)...)
		case "additionalDirectories":
			r.to.Directories = append(r.to.Directories, r.texts(m)...)
		case "defaultMode":
			r.mode(m)
		case "disableBypassPermissionsMode":
			r.to.NoBypass = true
		default:
			r.inactive(m)
		}
	}
}

func (r *reader) mode(m member) {
	native, ok := modes[m.value.text]
	switch {
	case m.value.kind != text:
		r.wrong(m.value, m.key, "text")
	case !ok:
		r.diags.Add(diag.New("I-INACTIVE", m.value.at, "the mode %s of a settings file is not taken over; an agent or --permission-mode may set it", m.value.text))
	case !r.to.Mode.Set():
		r.to.Mode = config.Value[string]{V: native, At: m.value.at, Key: m.at}
	}
}

// texts is a list of texts. Anything else is an error: a rule that is lost protects nothing.
func (r *reader) texts(m member) []config.Ref {
	if m.value.kind != array {
		r.wrong(m.value, m.key, "a list of texts")
		return nil
	}
	var out []config.Ref
	for _, v := range m.value.items {
		if v.kind != text {
			r.wrong(v, m.key, "a list of texts")
			continue
		}
		out = append(out, config.Ref{V: v.text, At: v.at, Key: m.at})
	}
	return out
}

func (r *reader) events(m member) {
	if m.value.kind != object {
		r.wrong(m.value, m.key, "an object of events")
		return
	}
	r.hooks = append(r.hooks, m.value.members...)
}

func (r *reader) wrong(v *value, key, want string) {
	r.diags.Add(diag.New("E-VALUE-TYPE", v.at, "%s is %s where %s is expected", key, v.kind, want))
}

func (r *reader) inactive(m member) {
	r.diags.Add(diag.New("I-INACTIVE", m.at, "this version does not act on %s", m.key))
}

// gates are the events at which a hook can stop something before it happens.
var gates = []string{"PreToolUse", "PermissionRequest", "UserPromptSubmit", "UserPromptExpansion", "PostToolBatch", "PreCompact"}

// unrun tells of hooks, which this version does not run. One that guards is an error: everything would go ahead unguarded.
func unrun(hooks []member) diag.List {
	var ds diag.List
	for _, m := range hooks {
		if m.value.kind == array && len(m.value.items) == 0 {
			continue
		}
		if !slices.Contains(gates, m.key) {
			ds.Add(diag.New("I-INACTIVE", m.at, "this version does not run hooks (%s)", m.key))
			continue
		}
		ds.Add(diag.New("E-HOOK-INACTIVE", m.at, "hooks are not run by this version, so what %s guards would go unguarded", m.key).
			Suggest("take the hook out, or leave the tree out with include: in swarmrun.yaml, and use permissions: to refuse calls"))
	}
	return ds
}
