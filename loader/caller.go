package loader

import (
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// Caller is the agent that has the tools of Options.Caller. No file can give an agent this name.
const Caller = "mcp:caller"

// addCaller adds the agent that stands in no file. Whoever calls its tools is held to what holds for every agent of the workspace,
// the defaults of the settings included; skills, servers and delegates are for models.
func (w *world) addCaller(entries []string) {
	if len(entries) == 0 {
		return
	}
	var list []byte
	for _, e := range entries {
		list = append(jsontext.AppendString(list, e), ',') // a string of JSON is one of YAML
	}
	text := "---\ndescription: The caller of single tools.\ntools: [" + string(list) + "]\nmodel: inherit\nskills: []\nmcp: []\ndelegates_to: []\ninstructions: false\n---\n"
	f := parseFile(&file{kind: config.KindAgent, name: Caller, origin: config.Workspace, tree: config.Workspace}, []byte(text), nil, nil)
	for i := range f.agent.Tools.V {
		f.agent.Tools.V[i].At = diag.Range{} // nobody can look there
	}
	settle(f.agent, w.settings)
	a := &agent{own: &own{Agent: f.agent}, file: f, faults: errorsOf(f.diags)}
	w.agents, w.byName[Caller] = append(w.agents, a), a
}
