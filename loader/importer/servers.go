package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// carriedKeys are the fields of a server that mean the same in a native file.
var carriedKeys = []string{"command", "args", "env", "url", "headers", "headersHelper"}

// servers carries the servers of a .mcp.json as files. Those that settings keep from starting stay away, and agents get none of
// them by themselves: an agent lists under mcp: what it may use.
func (b *builder) servers(file string, data []byte) {
	entries, ds := config.ReadMCPFile(data, file, "", []string{}, false)
	b.left.Add(told(errorsOnly(ds))...)
	root, _ := frontmatter.JSONValue(data, file)
	for _, e := range entries {
		name := e.Definition.Name
		if e.Server == nil {
			b.left.Add(told(errorsOnly(e.Diagnostics))...)
			continue
		}
		if b.held(name, e.Server) {
			b.left.Add(diag.New("W-NOT-CARRIED", e.Definition.At, "settings of the tree keep the server %q from starting", name))
			continue
		}
		text, why := serverText(root, name)
		if why != "" {
			b.left.Add(diag.New("W-NOT-CARRIED", e.Definition.At, "the server %q is not carried: %s", name, why))
			continue
		}
		b.extra = append(b.extra, File{Path: "mcp/" + safeName(name) + ".md", From: file, Data: []byte(text)})
		b.left.Add(diag.New("W-NOT-CARRIED", e.Definition.At, "no agent gets the server %q by itself here", name).
			Suggest("add mcp: [%s] to those that are to use it", name))
	}
}

// held tells whether settings of the tree keep a server from starting.
func (b *builder) held(name string, m *config.MCP) bool {
	for _, s := range b.limits {
		named := func(list []config.Ref) bool {
			return slices.ContainsFunc(list, func(r config.Ref) bool { return r.V == name })
		}
		about := func(r config.ServerRule) bool { return r.About(name, m) }
		switch {
		case named(s.MCPOff), slices.ContainsFunc(s.DeniedServers, about):
			return true
		case s.AllowedServers.Set() && !slices.ContainsFunc(s.AllowedServers.V, about):
			return true
		case !s.AllMCP.V && !named(s.MCPOn) && (len(s.MCPOn) > 0 || s.AllMCP.Set()):
			return true
		}
	}
	return false
}

// serverText is an entry as a server file, with its variables as they are written.
func serverText(root *frontmatter.Value, name string) (text, why string) {
	entry := member(member(root, "mcpServers"), name)
	if entry == nil {
		return "", "it stands without mcpServers around it"
	}
	var t strings.Builder
	fmt.Fprintf(&t, "---\nname: %s\n", quote(name))
	for _, m := range entry.Members {
		switch k := m.Key; {
		case slices.Contains(carriedKeys, k), k == "description":
			fmt.Fprintf(&t, "%s: %s\n", k, plain(m.Value))
		case k == "type" && m.Value.Text == "sse":
			t.WriteString("type: sse\n")
		case k == "timeout":
			fmt.Fprintf(&t, "timeout: %sms\n", m.Value.Text)
		case k == "type" || k == "name" || k == "category":
		default:
			return "", k + " has no counterpart"
		}
	}
	return t.String() + "---\n", ""
}

// member is the value of a key; nil = there is none.
func member(v *frontmatter.Value, key string) *frontmatter.Value {
	if v == nil {
		return nil
	}
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// plain is a value as JSON, its numbers and truth values as texts.
func plain(v *frontmatter.Value) string {
	var parts []string
	switch v.Type {
	case frontmatter.Object:
		for _, m := range v.Members {
			parts = append(parts, quote(m.Key)+": "+plain(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case frontmatter.Array:
		for _, item := range v.Items {
			parts = append(parts, plain(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return quote(v.Text)
}
