package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// teamTool is the name of the one tool over the agents of a team.
const teamTool = "Agent"

// delegateTool is an agent as a tool of another one: one delegate, or any of a team. The runner runs it itself.
type delegateTool struct {
	spec   tools.Spec
	agents []string // whom it can start
	team   bool     // the call says whom
	keep   bool
	skill  *skills.Skill // the order is to work on it; nil = it is a message
}

// order is what a call of a delegateTool asks for.
type order struct {
	target, message string
	reset           bool
}

// Spec describes it.
func (d *delegateTool) Spec() tools.Spec { return d.spec }

// Call refuses: what a delegate does is a run.
func (d *delegateTool) Call(context.Context, *tools.Call) (tools.Result, error) {
	return tools.Result{}, errors.New("an agent cannot be called as a plain tool")
}

// Touches is the agent that a call starts.
func (d *delegateTool) Touches(input json.RawMessage, _ tools.Roots) ([]tools.Touch, error) {
	o, err := d.order(input)
	if err != nil {
		return nil, err
	}
	return []tools.Touch{{Kind: tools.TouchAgent, Value: o.target}}, nil
}

func (d *delegateTool) source() string {
	if d.team {
		return "team"
	}
	return "agent:" + d.agents[0]
}

// order reads the input of a call.
func (d *delegateTool) order(input json.RawMessage) (order, error) {
	var in struct {
		Message      string `json:"message"`
		ResetContext bool   `json:"reset_context"`
		SubagentType string `json:"subagent_type"`
		Prompt       string `json:"prompt"`
		Arguments    string `json:"arguments"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return order{}, err
	}
	if d.skill != nil {
		return order{target: d.agents[0], message: strings.TrimSpace(in.Arguments)}, nil
	}
	if d.team {
		return order{target: in.SubagentType, message: in.Prompt}, nil
	}
	return order{target: d.agents[0], message: in.Message, reset: in.ResetContext}, nil
}

// delegateTools are the tools that an agent's delegates and team bring.
func delegateTools(g *agents.Graph, a *agents.Agent, rules *tools.Rules) []*delegateTool {
	var all []*delegateTool
	for _, d := range a.Delegates {
		description := fmt.Sprintf("Ask the agent %s to do something and get its answer. It sees nothing of this conversation but your message.", d.Agent)
		if t, ok := g.Agent(d.Agent); ok && t.Description != "" {
			description += "\nWhat it is for: " + t.Description
		}
		if d.When != "" {
			description += "\nWhen to ask it: " + d.When
		}
		if d.Keep {
			description += "\nIt remembers what you asked before, unless reset_context is true."
		}
		all = append(all, newDelegateTool(d.Tool(), description, delegateSchema, d.Agent))
		all[len(all)-1].keep = d.Keep
	}
	if len(a.Team) > 0 {
		left, _ := rules.Startable(a.Team)
		if len(left) == 0 {
			left = a.Team // the rules take the tool itself
		}
		all = append(all, team(g, left))
	}
	return all
}

const delegateSchema = `{"type":"object","properties":{` +
	`"message":{"type":"string","minLength":1,"description":"The whole task: all that the agent must know to do it"},` +
	`"reset_context":{"type":"boolean","description":"Forget what was asked of the agent before"}},` +
	`"required":["message"],"additionalProperties":false}`

// newDelegateTool makes a tool that starts some agents.
func newDelegateTool(name, description, schema string, agents ...string) *delegateTool {
	spec := tools.NewSpec(name, description, json.RawMessage(schema), true)
	spec.Agents = agents
	return &delegateTool{spec: spec, agents: agents}
}

// team is the one tool over several agents.
func team(g *agents.Graph, members []string) *delegateTool {
	var b strings.Builder
	b.WriteString("Start an agent for a task and get its answer. It sees nothing of this conversation but your prompt. The agents:")
	for _, name := range members {
		b.WriteString("\n- " + name)
		if t, ok := g.Agent(name); ok && t.Description != "" {
			b.WriteString(": " + t.Description)
		}
	}
	names, err := json.Marshal(members)
	if err != nil {
		names = []byte("[]")
	}
	schema := `{"type":"object","properties":{` +
		`"subagent_type":{"type":"string","enum":` + string(names) + `,"description":"Which agent"},` +
		`"prompt":{"type":"string","minLength":1,"description":"The whole task: all that the agent must know to do it"},` +
		`"description":{"type":"string","description":"The task in three to five words"}},` +
		`"required":["subagent_type","prompt"]}`
	t := newDelegateTool(teamTool, b.String(), schema, members...)
	t.team = true
	return t
}
