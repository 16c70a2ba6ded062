package loader

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/config"
)

// guarded are the files of a workspace that decide what later runs, of this program or another one, may do: an agent that may
// write files does not thereby write its own permissions. They are patterns as in rules, from the workspace's root.
func guarded(s *config.Settings) []string {
	list := []string{"/" + SettingsFile, "/.claude/**", "/.agents/**", "/.mcp.json"}
	base := "/"
	if s.Root.Set() && !filepath.IsAbs(s.Root.V) && !strings.HasPrefix(s.Root.V, "~") {
		base = path.Join(base, filepath.ToSlash(s.Root.V))
	}
	for _, f := range native {
		files := "**/*.md"
		switch f.Kind {
		case config.KindModel, config.KindWorkflow, config.KindJob:
			files = "*.{yaml,yml}"
		}
		list = append(list, path.Join(base, f.Path)+"/"+files)
	}
	return list
}
