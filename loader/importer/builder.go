package importer

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// builder collects agents.
type builder struct {
	env    *loader.Environment
	tools  map[string]bool // names here; true = the tool only reads
	names  []string        // the same, sorted
	given  *config.TreeSettings
	denied bool                   // what binds the tree could not be read: nothing of it is imported
	limits []*config.TreeSettings // of the trees of the folder
	extra  []File                 // skills, hooks and servers
	guards []string               // those of extra that are hooks: agents are not imported without them
	agents []*draft
	models []teamModel
	lead   teamLead
	left   diag.List

	hookFiles int
}

// teamModel is a model that a team names, for the settings.
type teamModel struct {
	config.NamedModel
	from string
}

// teamLead is the agent that starts in the first team that has one.
type teamLead struct{ name, from string }

// draft is an agent on its way into a file.
type draft struct {
	*config.Agent
	from string
}

func newBuilder(env *loader.Environment) *builder {
	b := &builder{env: env, tools: map[string]bool{}}
	if env.Builtin != nil {
		for _, t := range env.Builtin(sandbox.Launcher{}) {
			b.tools[t.Spec().Name] = t.Spec().ReadOnly
		}
	}
	b.tools["Agent"] = false
	for name := range b.tools {
		b.names = append(b.names, name)
	}
	slices.Sort(b.names)
	return b
}

// told turns findings about a source into what is not carried: what is an error there is one here.
func told(ds diag.List) diag.List {
	var out diag.List
	for _, d := range ds {
		code := diag.Code("W-NOT-CARRIED")
		if d.Severity == diag.Error {
			code = "E-NOT-CARRIED"
		}
		if d.Code == "E-NOT-CARRIED" || d.Code == "W-NOT-CARRIED" {
			out.Add(d)
			continue
		}
		switch d.Code {
		case "W-YAML-QUOTED", "W-YAML-FOLDED", "W-YAML-COMMENT", "W-BODY-EMPTY", "W-FENCE-BLANK", "W-HOOK-FAIL-OPEN", "I-DOC", "I-HOOK-FORM", "I-HOOK-EVENT":
			continue // the text is whole, a native hook that fails denies, and each hook that stays is told
		}
		out.Add(diag.Diagnostic{Severity: code.Severity(), Code: code, Range: d.Range, Summary: d.Summary, Suggestion: d.Suggestion})
	}
	return out
}

// settings takes what binds a whole tree. What restricts and cannot be read, or guards by hooks, leaves the tree out.
func (b *builder) settings(set *config.TreeSettings, ds diag.List) {
	b.given, b.denied = set, ds.HasErrors()
	b.left.Add(told(ds)...)
	if set == nil {
		return
	}
	b.denied = b.denied || len(set.Refused) > 0 || set.Only.Set()
	b.left.Add(told(set.Refused)...)
	if set.Only.Set() {
		b.left.Add(diag.New("E-NOT-CARRIED", set.Only.At, "the settings list what agents of the tree may use, which an import does not carry").
			Suggest("let the tree be read where it lies"))
	}
	note := func(at diag.Range, what string) {
		if !at.IsZero() {
			b.left.Add(diag.New("W-NOT-CARRIED", at, "%s stays in the settings of the tree, which are read where they lie", what))
		}
	}
	note(set.Agent.KeyAt(), "agent")
	note(set.Env.KeyAt(), "env")
	note(set.NoSkillShell.KeyAt(), "disableSkillShellExecution")
	note(set.AllMCP.KeyAt(), "enableAllProjectMcpServers")
	for _, refs := range [][]config.Ref{set.Excludes, set.Directories, set.MCPOn, set.MCPOff} {
		for _, r := range refs {
			note(r.At, r.V)
		}
	}
}

// agent reads one Markdown agent.
func (b *builder) agent(data []byte, name string, origin config.Origin) {
	a, _, ds := config.ReadAgent(data, name, origin)
	b.take(a, name, ds)
}

// take takes an agent of a file, unless it is nil or what guards it cannot be carried.
func (b *builder) take(a *config.Agent, name string, ds diag.List) {
	b.left.Add(told(ds)...)
	switch {
	case a == nil || !a.Status.Usable():
		return // it is documentation, or the errors say why
	case b.denied:
		b.left.Add(diag.New("E-NOT-CARRIED", a.At, "what the settings of its tree guard %q with cannot be carried", a.Name))
		return
	}
	if b.adjust(a) {
		b.agents = append(b.agents, &draft{a, name})
	}
}

// team takes the agents and models of a YAML file.
func (b *builder) team(file string, t *config.Team, ds diag.List) {
	b.left.Add(told(ds)...)
	if t == nil {
		return
	}
	if b.lead.name == "" {
		b.lead = teamLead{t.Default, file}
	}
	taken := map[string]string{} // names of other teams for other models, and whose they are
	for _, m := range t.Models {
		i := slices.IndexFunc(b.models, func(o teamModel) bool { return o.Name == m.Name })
		if i < 0 {
			b.models = append(b.models, teamModel{m, file})
		} else if b.models[i].NamedModel != m {
			taken[m.Name] = b.models[i].from
		}
	}
	for _, a := range t.Agents {
		a.Permissions.Allow = b.known(a.Permissions.Allow)
		a.Permissions.Ask = b.known(a.Permissions.Ask)
		a.Permissions.Deny = b.known(a.Permissions.Deny)
		a.Tools.V = b.known(a.Tools.V)
		b.knownModels(a, taken)
		a.Prompt = quoted(a.Prompt)
		b.agents = append(b.agents, &draft{a, file})
	}
}

// known keeps the rules about tools that exist here; the others are told.
func (b *builder) known(refs []config.Ref) []config.Ref {
	out := []config.Ref{}
	for _, r := range refs {
		rule, err := tools.ParseRule(r.V, tools.Native, r.At)
		_, exists := b.tools[rule.Tool]
		if err != nil || !exists && rule.Tool != "*" {
			b.left.Add(diag.New("W-NOT-CARRIED", r.At, "%s names no tool that every workspace has", r.V))
			continue
		}
		if !slices.ContainsFunc(out, func(o config.Ref) bool { return o.V == r.V }) {
			out = append(out, r)
		}
	}
	return out
}

// knownModels keeps the models that are known. taken are names that mean another model here, each with the file that says so.
func (b *builder) knownModels(a *config.Agent, taken map[string]string) {
	a.Model.V = slices.DeleteFunc(a.Model.V, func(r config.Ref) bool {
		from, other := taken[r.V]
		switch {
		case other:
			b.left.Add(diag.New("W-NOT-CARRIED", r.At, "the model %q is another one in %s, which is imported", r.V, from).
				Suggest("give it a name of its own under models: in %s", loader.SettingsFile))
		case !b.hasModel(r.V):
			b.left.Add(diag.New("W-NOT-CARRIED", r.At, "the model %q is not known here", r.V).Suggest("name it under models: in %s", loader.SettingsFile))
		default:
			return false
		}
		return true
	})
	if len(a.Model.V) == 0 {
		a.Model = config.Value[[]config.Ref]{}
	}
}

func (b *builder) hasModel(name string) bool {
	if name == "inherit" || slices.ContainsFunc(b.models, func(m teamModel) bool { return m.Name == name }) {
		return true
	}
	provider, model, ok := strings.Cut(name, "/")
	if !ok {
		_, current := providers.Current(name)
		return current
	}
	for _, e := range b.env.Endpoints {
		if e.Name == provider {
			_, listed := providers.Lookup(provider, model)
			return listed || !providers.Covers(provider)
		}
	}
	return false
}
