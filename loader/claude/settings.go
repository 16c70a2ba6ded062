package claude

import (
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// reader takes one settings file apart.
type reader struct {
	file  string
	to    *config.TreeSettings
	diags diag.List
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
			r.hooks(data)
		case "disableAllHooks":
			if m.value.kind != boolean {
				r.wrong(m.value, m.key, "true or false")
			}
			if m.value.text == "true" {
				r.to.NoHooks = config.Value[bool]{V: true, At: m.value.at, Key: m.at}
			}
		case "$schema":
		default:
			if !r.key(m) {
				r.unknown(m, "permissions", "hooks")
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
			r.unknown(m, "allow", "ask", "deny", "additionalDirectories", "defaultMode")
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

// hooks reads the groups of hooks, of which package config knows the form.
func (r *reader) hooks(data []byte) {
	f, ds := config.ReadHooks(data, r.file, config.ClaudeHooks)
	r.to.Hooks = append(r.to.Hooks, f.Groups...)
	r.diags.Add(ds...)
}

func (r *reader) wrong(v *value, key, want string) {
	r.diags.Add(diag.New("E-VALUE-TYPE", v.at, "%s is %s where %s is expected", key, v.kind, want))
}

// unknown tells of a key that nothing acts on; what a misspelt one says would be lost.
func (r *reader) unknown(m member, keys ...string) {
	if near, ok := diag.Closest(m.key, keys); ok {
		r.diags.Add(diag.New("W-KEY-NEAR", m.at, "unknown key %q", m.key).Suggest("did you mean %q?", near))
		return
	}
	r.inactive(m)
}

func (r *reader) inactive(m member) {
	r.diags.Add(diag.New("I-INACTIVE", m.at, "this version does not act on %s", m.key))
}
