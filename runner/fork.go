package runner

import (
	"encoding/json"
	"fmt"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// forks is the skill with context: fork that a call loads; nil = the call loads none. Inside of such work skills are loaded
// like any other, so that no skill forks itself without end.
func (x *exchange) forks(t *Offered, c providers.ToolCall) *skills.Skill {
	l, ok := t.Tool.(*loadTool)
	if !ok || x.run.req.Fork {
		return nil
	}
	in, k := l.chosen(c.Args)
	if k == nil || !k.Fork || in.Name == "" {
		return nil
	}
	return k
}

// forked is the tool that stands for the work on a skill: an order to whoever works on it.
func (x *exchange) forked(k *skills.Skill, t *Offered) *delegateTool {
	who := k.Agent
	if who == "" {
		who = x.agent.Name
	}
	return &delegateTool{spec: t.Tool.Spec(), agents: []string{who}, skill: k}
}

// mayFork tells why the agent cannot give the work on a skill to somebody: a skill gives nobody an agent that it could not
// start otherwise.
func (g *delegation) mayFork() string {
	x, who := g.x, g.order.target
	if g.tool.skill.Agent == "" || who == x.agent.Name {
		return ""
	}
	refused := ""
	for i := range x.offered.all {
		t := &x.offered.all[i]
		d, ok := t.Tool.(*delegateTool)
		if !ok || t.Offer.Effect == tools.NotNamed { // what a rule takes away is refused below, with the rule
			continue
		}
		input, can := d.asking(who, g.order.message)
		if !can {
			continue
		}
		call := x.newCall(providers.ToolCall{ID: g.call.ID, Name: d.spec.Name, Args: input}, t)
		if why, taken := x.takes(d, call); taken {
			return why
		}
		verdict := t.rules.Decide(d, call, x.approved())
		if verdict.Verdict == tools.Allow {
			return ""
		}
		refused = verdict.Text
	}
	if refused != "" {
		return refused
	}
	return fmt.Sprintf("The skill %s is for the agent %s, which this agent cannot start.", quote(g.tool.skill.Name), quote(who))
}

// asking is the input by which a tool starts an agent; false = it does not start that one.
func (d *delegateTool) asking(who, message string) (json.RawMessage, bool) {
	for _, name := range d.agents {
		if name != who {
			continue
		}
		in := map[string]string{"message": message}
		if d.team {
			in = map[string]string{"subagent_type": who, "prompt": message}
		}
		input, err := json.Marshal(in)
		return input, err == nil
	}
	return nil, false
}

// fork makes the run that a person began with a skill of context: fork one of the agent that works on it.
func (r *run) fork() {
	if r.req.Command == "" || r.req.Fork {
		return
	}
	k, ok := r.graph.Commands().Named(r.req.Command)
	if !ok || !k.Fork {
		return
	}
	r.req.Fork = true
	if k.Agent != "" {
		r.req.Target = k.Agent
	}
	if k.ReadOnly {
		r.req.Mode = tools.ModePlan
	}
}

// command finds the skill or command that the run works on.
func (x *exchange) command(name string) (*skills.Skill, bool) {
	if x.run.req.Fork && x.run.req.Parent != nil {
		return x.run.graph.Skills().Named(name)
	}
	return x.run.graph.Commands().Named(name)
}

// lend gives the agent the model and the effort of a skill until the exchange is over.
func (x *exchange) lend(k *skills.Skill) {
	if k.Effort != "" {
		x.thinking = &providers.Thinking{Effort: k.Effort}
	}
	m := x.run.graph.SkillUse(k).Model
	if m == nil {
		return
	}
	if x.run.costs() && !providers.Priced(m) {
		x.say(&event.Warning{Code: "skill", Message: fmt.Sprintf("the skill %s asks for the model %s, whose price is unknown, and there is a cost budget: the agent keeps its model", k.Name, m.Name())})
		return
	}
	x.model = m
	if x.agent.Context.Window == 0 {
		x.room.window = capabilities(m).ContextWindow
	}
}

// lendLoaded lets count what skills bring that the calls of a turn have loaded.
func (x *exchange) lendLoaded() {
	for _, name := range x.lending {
		if k, ok := x.skillNamed(name); ok {
			x.lend(k)
		}
	}
	x.lending = nil
}
