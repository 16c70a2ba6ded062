package claude

import (
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// reader takes one settings file apart.
type reader struct {
	file  string
	to    *config.TreeSettings
	diags diag.List
}

// nativeMode is a permission mode that settings may set for all agents, in native words. Those that take questions away are
// left to whoever runs swarmrun and are "": a repository does not grant itself more.
func nativeMode(word string) string {
	switch word {
	case "default", "manual":
		return "default"
	case "plan":
		return "plan"
	case "dontAsk":
		return "deny-asks"
	}
	return ""
}

// settings reads a whole file.
func (r *reader) settings(data []byte) {
	root, faults := frontmatter.JSONValue(data, r.file)
	if root == nil {
		r.diags.Add(faults...)
		return
	}
	if root.Type != frontmatter.Object {
		r.wrong(root, "settings", "an object")
		return
	}
	for _, m := range root.Members {
		switch m.Key {
		case "permissions":
			r.permissions(m)
		case "hooks":
			r.hooks(data)
		case "disableAllHooks":
			if m.Value.Type != frontmatter.Boolean {
				r.wrong(m.Value, m.Key, "true or false")
			}
			if m.Value.Text == "true" {
				r.to.NoHooks = config.Value[bool]{V: true, At: m.Value.At, Key: m.At.Span()}
			}
		case "$schema":
		default:
			if !r.key(m) {
				r.unknown(m, "permissions", "hooks")
			}
		}
	}
}

func (r *reader) permissions(m frontmatter.Member) {
	if m.Value.Type != frontmatter.Object {
		r.wrong(m.Value, m.Key, "an object")
		return
	}
	p := &r.to.Permissions
	if p.At.IsZero() {
		p.At = m.At
	}
	for _, m := range m.Value.Members {
		switch m.Key {
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

func (r *reader) mode(m frontmatter.Member) {
	native := nativeMode(m.Value.Text)
	switch {
	case m.Value.Type != frontmatter.Text:
		r.wrong(m.Value, m.Key, "text")
	case native == "":
		r.diags.Add(diag.New("I-INACTIVE", m.Value.At, "the mode %s of a settings file is not taken over; an agent or --permission-mode may set it", m.Value.Text))
	case !r.to.Mode.Set():
		r.to.Mode = config.Value[string]{V: native, At: m.Value.At, Key: m.At.Span()}
	}
}

// texts is a list of texts. Anything else is an error: a rule that is lost protects nothing.
func (r *reader) texts(m frontmatter.Member) []config.Ref {
	if m.Value.Type != frontmatter.Array {
		r.wrong(m.Value, m.Key, "a list of texts")
		return nil
	}
	var out []config.Ref
	for _, v := range m.Value.Items {
		if v.Type != frontmatter.Text {
			r.wrong(v, m.Key, "a list of texts")
			continue
		}
		out = append(out, config.Ref{V: v.Text, At: v.At, Key: m.At.Span()})
	}
	return out
}

// hooks reads the groups of hooks, of which package config knows the form.
func (r *reader) hooks(data []byte) {
	f, ds := config.ReadHooks(data, r.file, config.ClaudeHooks)
	r.to.Hooks = append(r.to.Hooks, f.Groups...)
	r.diags.Add(ds...)
}

func (r *reader) wrong(v *frontmatter.Value, key, want string) {
	r.diags.Add(diag.New("E-VALUE-TYPE", v.At, "%s is %s where %s is expected", key, v.Type, want))
}

// unknown tells of a key that nothing acts on; what a misspelt one says would be lost.
func (r *reader) unknown(m frontmatter.Member, keys ...string) {
	if near, ok := diag.Closest(m.Key, keys); ok {
		r.diags.Add(diag.New("W-KEY-NEAR", m.At, "unknown key %q", m.Key).Suggest("did you mean %q?", near))
		return
	}
	r.inactive(m)
}

func (r *reader) inactive(m frontmatter.Member) {
	r.diags.Add(diag.New("I-INACTIVE", m.At, "this version does not act on %s", m.Key))
}
