package runner

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// skillTool is the name of the tool that loads skills; rules may call it Skill, as Claude Code does.
const skillTool = "LoadSkill"

// loadTool loads a skill for an agent.
type loadTool struct {
	spec tools.Spec
	all  []*skills.Skill // that the rules let it load
	// load is set by the exchange that the tool belongs to; nil = nobody uses it.
	load loading
}

// loading makes a skill active.
type loading func(ctx context.Context, k *skills.Skill, args string) (tools.Result, error)

type loadInput struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

const loadDescription = "Loads a skill: instructions for special work, and the files that belong to them. " +
	"Load one when a task fits its description, before you begin. A skill stays active: load it once."

// newLoadTool makes the tool over skills; nil = there are none, or the rules let none be loaded. What the rules refuse is left
// out and not refused later.
func newLoadTool(all []*skills.Skill, rules *tools.Rules, at tools.Roots) *loadTool {
	t := &loadTool{all: slices.Clone(all)}
	if !rules.Offers(tools.Spec{Name: skillTool, ReadOnly: true}).OK() {
		return nil
	}
	if mentionsSkills(rules) {
		t.all = slices.DeleteFunc(t.all, func(k *skills.Skill) bool {
			input, err := json.Marshal(loadInput{Name: k.Name})
			return err != nil || rules.Decide(t.named(nil), &tools.Call{Tool: skillTool, Input: input, Roots: at}, nil).Verdict == tools.Deny
		})
	}
	if len(t.all) == 0 {
		return nil
	}
	names := make([]string, len(t.all))
	for i, k := range t.all {
		names[i] = k.Name
	}
	return t.named(names)
}

// named gives the tool its description.
func (t *loadTool) named(names []string) *loadTool {
	one, err := json.Marshal(names)
	if err != nil {
		one = []byte("[]")
	}
	t.spec = tools.NewSpec(skillTool, loadDescription, json.RawMessage(`{"type":"object","properties":{`+
		`"name":{"type":"string","enum":`+string(one)+`,"description":"Which skill"},`+
		`"arguments":{"type":"string","description":"What the skill is to work on, where it takes arguments"}},`+
		`"required":["name"],"additionalProperties":false}`), true)
	return t
}

// mentionsSkills tells whether a rule says something about single skills.
func mentionsSkills(r *tools.Rules) bool {
	for _, list := range [][]tools.Rule{r.Grants, r.Removed, r.Deny} {
		if slices.ContainsFunc(list, func(x tools.Rule) bool {
			return (x.Tool == "Skill" || x.Tool == skillTool) && x.Specifier != ""
		}) {
			return true
		}
	}
	return false
}

// Spec describes it.
func (t *loadTool) Spec() tools.Spec { return t.spec }

// Touches is the skill with its arguments.
func (t *loadTool) Touches(input json.RawMessage, _ tools.Roots) ([]tools.Touch, error) {
	var in loadInput
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	return []tools.Touch{{Kind: tools.TouchSkill, Value: strings.TrimSpace(in.Name + " " + in.Arguments)}}, nil
}

// Call loads a skill.
func (t *loadTool) Call(ctx context.Context, c *tools.Call) (tools.Result, error) {
	in, k := t.chosen(c.Input)
	if k == nil || t.load == nil {
		return tools.Result{}, errors.New("a skill cannot be loaded outside of a run")
	}
	return t.load(ctx, k, in.Arguments)
}

// chosen is the skill that a call loads; nil = none that there is.
func (t *loadTool) chosen(input json.RawMessage) (in loadInput, k *skills.Skill) {
	if json.Unmarshal(input, &in) != nil {
		return in, nil
	}
	if i := slices.IndexFunc(t.all, func(k *skills.Skill) bool { return k.Name == in.Name }); i >= 0 {
		k = t.all[i]
	}
	return in, k
}

// loader is the tool that loads skills; nil where the model is not shown it.
func (o *offer) loader() *loadTool {
	if t, ok := o.shown[skillTool]; ok {
		if l, ok := t.Tool.(*loadTool); ok {
			return l
		}
	}
	return nil
}

// loadable are the skills that the model can load.
func (o *offer) loadable() []*skills.Skill {
	if l := o.loader(); l != nil {
		return l.all
	}
	return nil
}

// bind lets the tool that loads skills work for an exchange.
func (o *offer) bind(load loading) {
	if l := o.loader(); l != nil {
		l.load = load
	}
}
