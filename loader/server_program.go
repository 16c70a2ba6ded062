package loader

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// missingServers tells of programs of servers that are not there.
func (w *world) missingServers() diag.List {
	var ds diag.List
	for _, name := range w.servers.names {
		if f := w.servers.byName[name]; f.mcp != nil {
			ds.Add(w.missingServer(f.mcp, f.origin)...)
		}
	}
	return ds
}

// missingServer tells of the program of a server. What a person has for all projects is not told: it need not be
// installed on every machine.
func (w *world) missingServer(m *config.MCP, origin config.Origin) diag.List {
	program := m.Command.V
	if program == "" || origin == config.User || strings.ContainsAny(program, "$~ ") || slices.ContainsFunc(m.Env, func(p config.Pair) bool { return p.Name == "PATH" }) {
		return nil
	}
	if strings.Contains(program, "/") && !filepath.IsAbs(program) {
		program = within(within(w.tree.root, m.Cwd.V), program)
	}
	if w.there(program) {
		return nil
	}
	return diag.List{diag.New("W-MCP-MISSING", m.Command.At, "the program %s of the server was not found, so the server does not start", quoted(m.Command.V)).
		Suggest("correct the command, or install the program")}
}
