package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
)

// host is the run around a hook.
type host struct{ x *exchange }

// Sample asks a model on the run's budget.
func (h host) Sample(ctx context.Context, m providers.Model, system, prompt string) (string, error) {
	if m == nil {
		m = h.x.model
	}
	return h.x.sample(ctx, m, system, prompt)
}

const lookTask = "You look into a question about the work of another agent. Use your tools, which only read, as far as the question needs it."

// lookTurns is how many model calls an agent of a hook has.
const lookTurns = 20

// RunAgent lets an agent that has the reading tools of this one look into a question, in a run below this one. It has no
// hooks, so that none can start itself.
func (h host) RunAgent(ctx context.Context, m providers.Model, prompt string) (string, error) {
	x := h.x
	if m == nil {
		m = x.model
	}
	rules := x.rules
	rules.Mode = tools.ModePlan
	looker := &agents.Agent{
		Name: x.agent.Name + "/hook", Prompt: lookTask, Model: m, Tools: x.agent.Tools, Rules: rules, Directory: x.agent.Directory, Dirs: x.agent.Dirs,
		Limits: agents.Limits{MaxTurns: lookTurns}, Origin: x.agent.Origin,
	}
	g, err := agents.New(agents.Spec{
		Name: x.run.graph.Name(), Root: x.run.graph.Root(), Generation: x.run.graph.Generation(), Agents: []*agents.Agent{looker}, Default: looker.Name,
		Secrets: x.run.graph.Secrets,
	})
	if err != nil {
		return "", err
	}
	below := x.run.below(m)
	req := Request{
		ID: fmt.Sprintf("%s/hook-%d", x.run.id, x.looks.Add(1)), Input: prompt, Roots: x.run.req.Roots, Budget: x.run.link.meter.left(),
		Parent: &Parent{Run: x.run.id, Agent: x.conv.Agent, Path: x.path()},
	}
	res, err := x.run.r.Do(ctx, req, &RunOptions{Source: agents.Static(g), link: below})
	x.run.link.meter.settle(below.meter, res)
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

// remote is a tool of a server, whatever models call it.
type remote interface{ Remote() string }

// CallTool calls a tool of a server that the agent has, by the names that both have where they are written.
func (h host) CallTool(ctx context.Context, server, tool string, input []byte) (string, error) {
	for i := range h.x.offered.all {
		t := &h.x.offered.all[i]
		if r, ok := t.Tool.(remote); !ok || r.Remote() != tool || t.Source != "mcp:"+server {
			continue
		}
		name := t.Tool.Spec().Name
		res, err := t.Tool.Call(ctx, h.x.newCall(providers.ToolCall{ID: "hook", Name: name, Args: input}, t))
		switch {
		case err != nil:
			return "", err
		case res.IsError:
			return "", errors.New(res.Content)
		}
		return res.Content, nil
	}
	return "", fmt.Errorf("the agent has no tool %s of a server %s, which must be among its mcp", tool, server)
}
