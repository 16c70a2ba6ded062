package claude

import (
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// plugins reads which plugins are switched on and off; the nearest file decides.
func (r *reader) plugins(m frontmatter.Member) {
	if m.Value.Type != frontmatter.Object {
		r.wrong(m.Value, m.Key, "an object of plugins to true or false")
		return
	}
	if r.to.Plugins == nil {
		r.to.Plugins = map[string]bool{}
	}
	for _, p := range m.Value.Members {
		if !isSwitch(p.Value) {
			r.wrong(p.Value, m.Key+"."+p.Key, "true or false")
		}
	}
	switchPlugins(r.to.Plugins, m.Value)
}

// managed is a setting that only the administrator may make; false = somebody else wrote it, and it means nothing.
func (r *reader) managed(m frontmatter.Member, to *bool) bool {
	if m.Value.Type != frontmatter.Boolean {
		r.wrong(m.Value, m.Key, "true or false")
		return true
	}
	if r.to.Managed && m.Value.Text == "true" {
		*to = true
	}
	return r.to.Managed
}

// servers are rules about MCP servers. An entry that says nothing is an error: what it forbids would be lost.
func (r *reader) servers(m frontmatter.Member) []config.ServerRule {
	if m.Value.Type != frontmatter.Array {
		r.wrong(m.Value, m.Key, "a list of objects with serverName, serverCommand or serverUrl")
		return nil
	}
	out := []config.ServerRule{}
	for _, v := range m.Value.Items {
		rule, before := config.ServerRule{At: v.At}, len(r.diags)
		for _, f := range v.Members {
			switch {
			case f.Key == "serverName" && f.Value.Type == frontmatter.Text:
				rule.Name = f.Value.Text
			case f.Key == "serverUrl" && f.Value.Type == frontmatter.Text:
				rule.URL = f.Value.Text
			case f.Key == "serverCommand":
				for _, word := range r.texts(f) {
					rule.Command = append(rule.Command, word.V)
				}
			}
		}
		if rule.Name == "" && rule.URL == "" && len(rule.Command) == 0 {
			if r.diags[before:].HasErrors() {
				continue // what it says is wrong, which was told
			}
			r.diags.Add(diag.New("E-VALUE-TYPE", v.At, "the entry of %s names no server", m.Key).Suggest("write serverName, serverCommand or serverUrl"))
			continue
		}
		out = append(out, rule)
	}
	return out
}

// sandbox reads what children may not do. Paths become rules, which the sandbox of this program is built from; domains cannot be
// told apart by it, so that a list of them closes the network of children.
func (r *reader) sandbox(m frontmatter.Member) {
	if m.Value.Type != frontmatter.Object {
		r.wrong(m.Value, m.Key, "an object")
		return
	}
	on := true
	for _, f := range m.Value.Members {
		if f.Key != "enabled" {
			continue
		}
		if f.Value.Type != frontmatter.Boolean {
			r.wrong(f.Value, "sandbox.enabled", "true or false")
			continue
		}
		on = f.Value.Text == "true"
	}
	for _, f := range m.Value.Members {
		switch {
		case f.Key != "filesystem" && f.Key != "network":
		case f.Value.Type != frontmatter.Object:
			r.wrong(f.Value, "sandbox."+f.Key, "an object")
		case f.Key == "filesystem":
			r.files(f)
		default:
			r.network(f, on)
		}
	}
}

func (r *reader) files(m frontmatter.Member) {
	for _, f := range m.Value.Members {
		tool := map[string]string{"denyRead": "Read", "denyWrite": "Edit"}[f.Key]
		if tool == "" {
			continue
		}
		for _, p := range r.texts(f) {
			paths := []string{p.V}
			if strings.HasPrefix(p.V, "/") && !strings.HasPrefix(p.V, "//") {
				paths = append(paths, "/"+p.V) // from the root of the project, and of the disk
			}
			for _, path := range paths {
				r.to.Permissions.Deny = append(r.to.Permissions.Deny, config.Ref{V: tool + "(" + path + ")", At: p.At, Key: p.Key})
			}
		}
	}
}

func (r *reader) network(m frontmatter.Member, on bool) {
	for _, f := range m.Value.Members {
		if f.Key != "allowedDomains" && f.Key != "deniedDomains" || !on {
			continue
		}
		r.texts(f)
		if r.to.NoNetwork.Set() {
			continue
		}
		r.to.NoNetwork = config.Value[bool]{V: true, At: f.Value.At, Key: f.At.Span()}
		r.diags.Add(diag.New("W-SANDBOX-DOMAINS", f.At, "the sandbox cannot tell domains apart, so children reach no network at all").
			Suggest("write sandbox: {network: host} in swarmrun.yaml to let them reach all of it"))
	}
}
