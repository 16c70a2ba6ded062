package config

import (
	"fmt"
	"slices"

	"github.com/swarmrun/swarmrun/config/diag"
)

// ForbiddenServer is the rule by which settings of trees keep a server from starting, wherever it is written; nil = none.
func ForbiddenServer(all []*TreeSettings, name string, m *MCP) *ServerRule {
	for _, s := range all {
		for i := range s.DeniedServers {
			if s.DeniedServers[i].About(name, m) {
				return &s.DeniedServers[i]
			}
		}
		if list := s.AllowedServers; list.Set() && !slices.ContainsFunc(list.V, func(r ServerRule) bool { return r.About(name, m) }) {
			return &ServerRule{At: list.At}
		}
	}
	return nil
}

// UnapprovedServer says why settings of Claude Code, the nearest first, keep a server of the project's .mcp.json from starting;
// "" = it may. Where they name the servers that may, or say that not all may, nobody else does.
func UnapprovedServer(all []*TreeSettings, name string) string {
	var at diag.Range
	on, limited, every, told := false, false, false, false
	for _, s := range all {
		if s.Tree != FromClaude {
			continue
		}
		if Named(s.MCPOff, name) {
			return "disabledMcpjsonServers names it"
		}
		on = on || Named(s.MCPOn, name)
		if len(s.MCPOn) > 0 {
			limited, at = true, s.MCPOn[0].At
		}
		if s.AllMCP.Set() && !told {
			every, told = s.AllMCP.V, true
			if !every {
				limited, at = true, s.AllMCP.At
			}
		}
	}
	if on || every || !limited {
		return ""
	}
	return fmt.Sprintf("%s says which may: add it to enabledMcpjsonServers of .claude/settings.local.json", at)
}

// Named tells whether a list has a name.
func Named(list []Ref, name string) bool {
	return slices.ContainsFunc(list, func(r Ref) bool { return r.V == name })
}
