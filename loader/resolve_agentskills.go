package loader

import (
	"slices"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// resolveAgentSkills finds the skills of an agent. A native agent sees those that it lists, or all; one of a Claude location
// has those that it lists whole in its prompt, and sees the others where it has the tool for them.
func (w *world) resolveAgentSkills(a *agent) diag.List {
	listed, ds := w.listedSkills(a)
	star := slices.ContainsFunc(a.Skills.V, func(r config.Ref) bool { return r.V == "*" })
	switch {
	case a.claude():
		a.whole = listed
		if a.loadsSkills() {
			a.skills, a.nests = w.skills.visible, true
		}
		for _, k := range listed {
			if !slices.Contains(a.skills, k) {
				a.skills = append(a.skills, k)
			}
		}
	case star || !a.Skills.Set() && !(a.Tools.Set() && len(a.Tools.V) == 0):
		a.skills, a.nests = w.skills.visible, true
	default:
		a.skills = listed
	}
	return ds
}

// see notes the skills that models may load.
func (t *skillTable) see() {
	for _, k := range t.all() {
		if !k.made.Hidden && !k.made.Command {
			t.visible = append(t.visible, k.made)
		}
	}
	t.visible = slices.Clip(t.visible)
}

// listedSkills are those that an agent names. What it does not get is told, and noted.
func (w *world) listedSkills(a *agent) ([]*skills.Skill, diag.List) {
	var out []*skills.Skill
	var ds diag.List
	for _, r := range a.Skills.V {
		k := w.skills.byName[r.V]
		if r.V == "*" || k != nil && slices.Contains(out, k.made) {
			continue
		}
		switch {
		case k != nil && !k.made.Hidden:
			out = append(out, k.made)
			continue
		case k != nil:
			ds.Add(diag.New("W-SKILL-UNKNOWN", r.At, "%q is for people only (disable-model-invocation), so %q does not get it", r.V, a.Name).
				Suggest("remove the entry"))
		case w.skills.broken[r.V] != nil:
			ds.Add(a.needs(r, config.KindSkill, w.skills.broken[r.V]))
		case a.claude():
			ds.Add(suggest(diag.New("W-SKILL-UNKNOWN", r.At, "there is no skill named %q", r.V), r.V, w.skills.names, "Skills here"))
		default:
			ds.Add(suggest(diag.New("E-SKILL-UNKNOWN", r.At, "there is no skill named %q", r.V), r.V, w.skills.names, "Skills here"))
		}
		a.unskilled = append(a.unskilled, r.V)
	}
	return out, ds
}

// loadsSkills tells whether the tools of an agent of a Claude location hold the one that loads skills.
func (a *agent) loadsSkills() bool {
	if a.rules.All {
		return true
	}
	for _, r := range a.rules.Grants {
		if slices.Contains(skillTools[:], r.Tool) {
			return true
		}
	}
	return false
}

// skillSet is the agent's skills as the runner wants them.
func (w *world) skillSet(a *agent) *skills.Set {
	nests := a.nests && w.nests
	if len(a.skills) == 0 && len(a.unskilled) == 0 && !nests {
		return nil
	}
	all := nests && len(a.whole)+len(a.unskilled) == 0 && len(a.skills) == len(w.skills.visible)
	if all && w.skills.set != nil {
		return w.skills.set
	}
	set := skills.New(a.skills, nil).With(a.whole, a.unskilled)
	if nests {
		set = set.Nesting(w.below)
	}
	if all {
		w.skills.set = set
	}
	return set
}

// idleGrants tells of allowed-tools that give nobody anything: no agent that sees the skill has the tool.
func (w *world) idleGrants() diag.List {
	var ds diag.List
	for _, name := range w.skills.names {
		k := w.skills.byName[name]
		if k == nil {
			continue
		}
		for _, ref := range k.made.Allowed {
			if !w.anyHas(k.made, ref) {
				ds.Add(diag.New("I-SKILL-GRANT", ref.At, "no agent that sees %q has the tool of %s; allowed-tools pre-approves and gives nobody a tool", name, ref.Text))
			}
		}
	}
	return ds
}

// anyHas tells whether an agent that sees a skill is offered the tool of a rule.
func (w *world) anyHas(k *skills.Skill, ref skills.Rule) bool {
	r, err := tools.ParseRule(ref.Text, tools.Native, ref.At)
	if err != nil {
		return true // told already
	}
	return slices.ContainsFunc(w.agents, func(a *agent) bool {
		return slices.Contains(a.skills, k) && a.rules.Offers(tools.Spec{Name: r.Tool, ReadOnly: true}).Effect != tools.NotNamed
	})
}
