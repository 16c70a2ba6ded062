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
		if !e.Definition.Status.Usable() {
			b.left.Add(told(errorsOnly(e.Diagnostics))...)
			continue
		}
		if why := b.held(name, e.Server); why != "" {
			b.left.Add(diag.New("W-NOT-CARRIED", e.Definition.At, "settings of the tree keep the server %q from starting: %s", name, why))
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

// held says why settings of the tree keep a server from starting; "" = they do not.
func (b *builder) held(name string, m *config.MCP) string {
	if by := config.ForbiddenServer(b.limits, name, m); by != nil {
		return fmt.Sprintf("%s forbids it", by.At)
	}
	return config.UnapprovedServer(b.limits, name)
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
