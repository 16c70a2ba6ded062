package loader

import (
	"fmt"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// withheld says why a server of a file does not start; "" = it may.
func (t *tree) withheld(f *parsed) string {
	name := f.def.Name
	if f.mcp != nil {
		if by := t.forbidden(name, f.mcp); by != nil {
			return fmt.Sprintf("%s forbids it", by.At)
		}
	}
	named := func(list []config.Ref) bool {
		return slices.ContainsFunc(list, func(r config.Ref) bool { return r.V == name })
	}
	if f.tree == "mcp.json" || f.tree == config.FromClaude && f.plugin.Name == "" {
		return t.unapproved(named)
	}
	for _, s := range t.treeSettings(f.tree) {
		switch {
		case named(s.MCPOff):
			return "the settings of the tree switch it off"
		case s.MCPOnly.Set() && !named(s.MCPOnly.V):
			return fmt.Sprintf("it is not among those of %s", s.MCPOnly.At)
		}
	}
	return ""
}

// unapproved says why a server of the project's .mcp.json does not start. Where settings name the servers that may, or say that
// not all may, nobody else does.
func (t *tree) unapproved(named func([]config.Ref) bool) string {
	var at diag.Range
	on, limited, all, told := false, false, false, false
	for _, s := range t.treeSettings(config.FromClaude) {
		if named(s.MCPOff) {
			return "disabledMcpjsonServers names it"
		}
		on = on || named(s.MCPOn)
		if len(s.MCPOn) > 0 {
			limited, at = true, s.MCPOn[0].At
		}
		if s.AllMCP.Set() && !told {
			all, told = s.AllMCP.V, true
			if !all {
				limited, at = true, s.AllMCP.At
			}
		}
	}
	if on || all || !limited {
		return ""
	}
	return fmt.Sprintf("%s says which may: add it to enabledMcpjsonServers of .claude/settings.local.json", at)
}

// forbidden is the rule by which settings keep a server from starting, wherever it is written; nil = none.
func (t *tree) forbidden(name string, m *config.MCP) *config.ServerRule {
	for _, s := range t.foreign {
		for i := range s.DeniedServers {
			if s.DeniedServers[i].About(name, m) {
				return &s.DeniedServers[i]
			}
		}
		if list := s.AllowedServers; list.Set() && !slices.ContainsFunc(list.V, func(r config.ServerRule) bool { return r.About(name, m) }) {
			return &config.ServerRule{At: list.At}
		}
	}
	return nil
}
