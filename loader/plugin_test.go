package loader

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPluginServers: a server of a plugin is found in the plugin's folder, and knows it.
func TestPluginServers(t *testing.T) {
	home := t.TempDir()
	dir := write(t, t.TempDir(), ".claude/plugins/kit/.claude-plugin/plugin.json", `{"name": "kit"}`,
		".claude/plugins/kit/.mcp.json", `{"mcpServers": {"notes": {"command": "true", "args": ["${CLAUDE_PLUGIN_ROOT}/a", "${CLAUDE_PLUGIN_DATA}"], "env": {"X": "y"}}}}`)
	r := check(t, dir, &Options{Environ: []string{"HOME=" + home}})
	for _, d := range r.Diagnostics {
		if d.Code == "W-MCP-ENV" {
			t.Error(d)
		}
	}
	all := r.Servers()
	if len(all) != 1 {
		t.Fatalf("%d servers", len(all))
	}
	root, data := filepath.Join(dir, ".claude", "plugins", "kit"), filepath.Join(home, ".claude", "plugins", "data", "kit")
	if diff := cmp.Diff([]string{"true", root + "/a", data}, all[0].Server.Command); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"X": "y", "CLAUDE_PROJECT_DIR": dir, "CLAUDE_PLUGIN_ROOT": root, "CLAUDE_PLUGIN_DATA": data}, all[0].Server.Env); diff != "" {
		t.Error(diff)
	}
}
