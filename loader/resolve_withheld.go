package loader

import (
	"fmt"

	"github.com/swarmrun/swarmrun/config"
)

// withheld says why a server of a file does not start; "" = it may.
func (t *tree) withheld(f *parsed) string {
	name := f.def.Name
	if f.server() != nil {
		if by := config.ForbiddenServer(t.foreign, name, f.server()); by != nil {
			return fmt.Sprintf("%s forbids it", by.At)
		}
	}
	if f.tree == "mcp.json" || f.tree == config.FromClaude && f.plugin.Name == "" {
		return config.UnapprovedServer(t.foreign, name)
	}
	for _, s := range t.treeSettings(f.tree) {
		switch {
		case config.Named(s.MCPOff, name):
			return "the settings of the tree switch it off"
		case s.MCPOnly.Set() && !config.Named(s.MCPOnly.V, name):
			return fmt.Sprintf("it is not among those of %s", s.MCPOnly.At)
		}
	}
	return ""
}
