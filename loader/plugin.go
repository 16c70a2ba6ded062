package loader

import (
	"path"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// pluginVariables are the names by which files of a plugin, and what it starts, know its folders.
func pluginVariables(p config.Plugin) map[string]string {
	out := map[string]string{}
	if p.Name != "" {
		out["CLAUDE_PLUGIN_ROOT"] = p.Root
	}
	if p.Data != "" {
		out["CLAUDE_PLUGIN_DATA"] = p.Data
	}
	return out
}

// ofPlugin puts the plugin in front of the name of what it brings, so that nothing of it takes the place of something else,
// and takes from its agents what a plugin cannot give them.
func (p *parsed) ofPlugin() {
	if p.plugin.Name == "" || p.kind == config.KindHook || p.kind == config.KindMCP || p.kind == config.KindRule {
		return
	}
	prefix := p.plugin.Name + ":"
	if p.kind == config.KindAgent && p.folder != "" {
		prefix += strings.ReplaceAll(p.folder, "/", ":") + ":"
	}
	p.def.Name = prefix + p.def.Name
	if p.skill != nil {
		p.skill.Name = p.def.Name
	}
	if p.agent == nil {
		return
	}
	p.agent.Name = p.def.Name
	take := func(key string, at diag.Range) {
		p.agent.Change()
		p.diags.Add(diag.New("W-PLUGIN-FIELD", at, "%s of an agent of a plugin is not used", key).
			Explain("A plugin does not widen what its agents may do, nor start programs beside its own hooks and servers.").
			Suggest("copy the agent out of the plugin to have it"))
	}
	if p.agent.Hooks.Set() {
		take("hooks", p.agent.Hooks.KeyAt())
		p.agent.Hooks = config.Value[[]config.HookGroup]{}
	}
	if p.agent.MCP.Set() {
		take("mcpServers", p.agent.MCP.KeyAt())
		p.agent.MCP = config.Value[[]config.MCPRef]{}
	}
	if p.agent.PermissionMode.Set() {
		take("permissionMode", p.agent.PermissionMode.KeyAt())
		p.agent.PermissionMode = config.Value[string]{}
	}
}

// below is the folder of a file, relative to the place where it was found; "" = there.
func below(place, file string) string {
	dir := path.Dir(strings.TrimPrefix(strings.TrimPrefix(file, place), "/"))
	if dir == "." {
		return ""
	}
	return dir
}
