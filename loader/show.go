package loader

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// Detail is the effective form of one definition: what counts, and where it comes from.
type Detail struct {
	Definition   config.Definition
	Fields       []Field // sorted by key
	Prompt       string  // of an agent, with what it includes; of a skill, what a model is given
	PromptTokens int     // estimated
	Models       []ModelDetail
	Tools        []ToolDetail
	Hooks        []HookDetail // of an agent, in the order in which they run; of a hook, itself
	Diagnostics  diag.List    // about its file, and why starting it is refused
}

// Field is one setting as it counts. Origin is where it comes from: workspace, user or the name of a tree; default where
// nobody wrote it.
type Field struct {
	Key    string
	Value  any // text, number, boolean, or a list or map of them
	Origin string
	At     diag.Range // zero for a default
}

// ModelDetail is one model of a chain.
type ModelDetail struct {
	Reference     string // as -m takes it: a name of models:, or provider/model
	Provider      string
	Model         string
	ContextWindow int // tokens; 0 = unknown
	Price         *providers.Price
}

// ToolDetail says whether an agent has a tool, and which rules decide it.
type ToolDetail struct {
	Name   string
	Source string // builtin, delegate, or the file that defines it
	Effect string // granted, narrowed, asks, withheld (by the mode), removed
	By     []tools.Rule
	Except []tools.Rule // answers "always": of a tool that asks, the calls that are not asked about
}

// Shown tells whether the model sees the tool.
func (t ToolDetail) Shown() bool { return t.Effect != "removed" && t.Effect != "withheld" }

// Show is the effective form of a definition; false when there is none of that kind and name.
func (r *Report) Show(kind config.Kind, name string) (*Detail, bool) {
	i := slices.IndexFunc(r.List(kind), func(d config.Definition) bool { return d.Name == name })
	if i < 0 {
		return nil, false
	}
	d := &Detail{Definition: r.List(kind)[i]}
	for _, x := range r.Diagnostics {
		if d.Definition.File != "" && d.Definition.File != SettingsFile && x.Range.File == d.Definition.File {
			d.Diagnostics.Add(x)
		}
	}
	switch kind {
	case config.KindAgent:
		if a := r.world.byName[name]; a != nil {
			r.showAgent(d, a)
		}
	case config.KindSkill, config.KindCommand:
		r.showSkill(d)
	case config.KindHook:
		r.showHook(d)
	case config.KindTool:
		r.showTool(d)
	case config.KindMCP:
		r.showServer(d)
	case config.KindJob:
		r.showJob(d)
	case config.KindModel:
		d.Models = models(r.world.models.chains[name])
	}
	slices.SortFunc(d.Fields, func(a, b Field) int { return cmp.Compare(a.Key, b.Key) })
	return d, true
}

func (r *Report) showAgent(d *Detail, a *agent) {
	d.Prompt = a.prompt
	if a.file.brief {
		if whole := reread(a.file.file); whole.agent != nil {
			d.Prompt = whole.agent.Prompt
		}
	}
	d.PromptTokens = tokens(d.Prompt)
	d.Models = models(a.chain)
	d.Tools = r.world.toolDetails(a)
	d.Hooks = hookDetails(a.hooks)
	d.Fields = agentFields(a)
	for _, x := range append(slices.Clone(a.refused), a.unpriced...) {
		d.Diagnostics.Add(x)
	}
	d.Diagnostics = d.Diagnostics.Sort()
}

// tokens estimates a text: four characters are about one token.
func tokens(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }

func models(chain []candidate) []ModelDetail {
	out := make([]ModelDetail, 0, len(chain))
	for _, c := range chain {
		reference := c.id
		if c.entry != nil {
			reference = c.entry.Name.V
		}
		out = append(out, ModelDetail{
			Reference: reference, Provider: c.provider, Model: c.model, ContextWindow: c.caps.ContextWindow, Price: c.caps.Price,
		})
	}
	return out
}

// toolDetails are the tools that a rule of the agent speaks of, and all that it is offered.
func (w *world) toolDetails(a *agent) []ToolDetail {
	var out []ToolDetail
	brought := a.rules.WithAll()
	add := func(s tools.Spec, source string, rules *tools.Rules) {
		if offer := rules.Offers(s); offer.Effect != tools.NotNamed {
			t := ToolDetail{Name: s.Name, Source: source}
			if t.Effect, t.By = a.effect(s, offer); t.Effect == "asks" {
				t.Except = a.rules.Answered(s.Name)
			}
			out = append(out, t)
		}
	}
	for _, name := range w.tools.names {
		t := w.tools.byName[name]
		source := string(config.Builtin)
		if t.file != nil {
			source = t.file.name
		}
		if t.Tool != nil {
			add(t.Spec(), source, &a.rules)
		}
	}
	w.serverDetails(a, add)
	for _, d := range a.delegates {
		add(tools.Spec{Name: d.Tool(), ReadOnly: true, Agents: []string{d.Agent}}, "delegate", brought)
	}
	if slices.ContainsFunc(a.skills, func(k *skills.Skill) bool { return !slices.Contains(a.whole, k) }) {
		add(tools.Spec{Name: skillTools[0], ReadOnly: true}, "skills", brought)
	}
	if len(a.team) > 0 {
		add(tools.Spec{Name: teamTool, ReadOnly: true, Agents: a.team}, "delegate", brought)
	}
	slices.SortFunc(out, func(a, b ToolDetail) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// effect is the word for what rules make of a tool, with the rules that do.
func (a *agent) effect(s tools.Spec, o tools.Offer) (string, []tools.Rule) {
	asks := a.rules.Asks(s.Name)
	switch {
	case o.Effect == tools.Withheld:
		return "withheld", []tools.Rule{{Text: "mode " + string(a.rules.Mode), At: a.PermissionMode.At}}
	case !o.OK():
		return "removed", o.By
	case asks != nil:
		return "asks", []tools.Rule{*asks}
	case o.Effect == tools.Narrowed:
		return "narrowed", o.By
	case a.rules.Asking && !s.ReadOnly && len(o.By) == 0 && a.rules.Mode != tools.ModeBypass:
		return "asks", nil
	}
	return "granted", o.By
}

func (r *Report) showTool(d *Detail) {
	t := r.world.tools.byName[d.Definition.Name]
	if t == nil || t.Tool == nil {
		return
	}
	s := t.Spec()
	f := fields{origin: string(d.Definition.Origin), file: d.Definition.File}
	c := &config.Tool{} // of a built-in tool nothing is written
	if t.file != nil {
		c = t.file.tool
	}
	show(&f, "parameters", c.Parameters, s.Schema, func(json.RawMessage) any { return s.Schema })
	show(&f, "read_only", c.ReadOnly, s.ReadOnly, same)
	show(&f, "run", c.Run, nil, same)
	show(&f, "env", c.Env, nil, func(env map[string]string) any { return slices.Sorted(maps.Keys(env)) })
	show(&f, "timeout", c.Timeout, nil, duration)
	show(&f, "output", c.JSON, nil, func(is bool) any { return map[bool]string{true: "json", false: "text"}[is] })
	d.Fields = append(d.Fields, f.list...)
	d.Prompt, d.PromptTokens = c.Notes, tokens(c.Notes)
}

func same[T any](v T) any          { return v }
func duration(d time.Duration) any { return d.String() }
func texts(refs []config.Ref) any {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.V
	}
	return out
}
