package loader

import (
	"maps"
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/custom"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// teamTool is the one tool that starts agents by name, as Claude Code has it.
const teamTool = "Agent"

// toolTable is every tool of the workspace that stands in no agent's own fields.
type toolTable struct {
	byName map[string]*tool
	names  []string // sorted; broken ones are among them
}

// tool is one tool, and where it comes from.
type tool struct {
	tools.Tool         // nil = its file is broken
	file       *parsed // nil = built in
}

// resolveTools collects the built-in and the custom tools. A custom tool cannot take the name of a built-in one: what
// rules say about that name would then mean something else.
func resolveTools(p *project, o *settled, l sandbox.Launcher) (*toolTable, diag.List) {
	t := &toolTable{byName: map[string]*tool{}}
	env := o.env
	if env.Builtin != nil {
		for _, b := range env.Builtin(l) {
			t.byName[b.Spec().Name] = &tool{Tool: b}
		}
	}
	for _, name := range env.Tools.Names() {
		if b, ok := env.Tools.Lookup(name); ok {
			t.byName[name] = &tool{Tool: b}
		}
	}
	var ds diag.List
	for _, f := range p.files {
		if f.kind != config.KindTool || f.def.Status == config.Skipped {
			continue
		}
		if _, taken := t.byName[f.def.Name]; taken || ours(f.def.Name) {
			d := diag.New("E-TOOL-CLASH", f.def.At, "%q is the name of a built-in tool", f.def.Name).Suggest("give the tool another name")
			f.def.Status, f.diags = config.Broken, append(f.diags, d)
			ds.Add(d)
			continue
		}
		own := &tool{file: f}
		if f.tool != nil && f.def.Status != config.Broken {
			own.Tool = custom.New(customTool(f.tool), l)
		}
		t.byName[f.def.Name] = own
	}
	t.names = slices.Sorted(maps.Keys(t.byName))
	return t, ds
}

// customTool is a tool file as the package that runs it wants it.
func customTool(t *config.Tool) custom.Definition {
	return custom.Definition{
		Name: t.Name, Description: t.Summary.V, Notes: t.Notes, Parameters: t.Parameters.V, Script: t.Run.V,
		Interpreter: t.Interpreter, Timeout: t.Timeout.V, Env: t.Env.V, ReadOnly: t.ReadOnly.V, JSON: t.JSON.V,
	}
}
