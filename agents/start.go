package agents

import (
	"errors"
	"fmt"

	"github.com/swarmrun/swarmrun/config/diag"
)

// ErrNoTarget is the error of Start for a name that is nowhere in the workspace.
var ErrNoTarget = errors.New("no such agent")

// Start finds the agent that a run begins with; "" is the default one. A target that cannot be started, or that reaches by
// delegation one that cannot, gives a *diag.ListError; an unknown name gives ErrNoTarget.
func (g *Graph) Start(name string) (*Agent, error) { return g.start(name, false) }

// StartWithModel is Start for a run that brings a model of its own for its target: what is wrong with the target's model
// does not matter then.
func (g *Graph) StartWithModel(name string) (*Agent, error) { return g.start(name, true) }

func (g *Graph) start(name string, ownModel bool) (*Agent, error) {
	if name == "" {
		name = g.Default()
	}
	target := g.agents[name]
	if target == nil && g.spec.Broken[name] == nil {
		return nil, fmt.Errorf("%w: %q", ErrNoTarget, name)
	}
	var faults diag.List
	faults.Add(g.spec.Faults...)
	if target != nil && !ownModel && target.Model == nil && target.Alone == nil {
		faults.Add(noModel(target))
	}
	for _, n := range g.Reach(name) {
		a := g.agents[n]
		if a == nil {
			faults.Add(g.spec.Broken[n]...)
			continue
		}
		faults.Add(a.Refused...)
		if a != target || !ownModel {
			faults.Add(a.Unpriced...)
		}
	}
	if faults.HasErrors() {
		return nil, &diag.ListError{List: faults.Sort()}
	}
	return g.whole(name), nil
}

// noModel is the refusal of an agent that nobody gave a model.
func noModel(a *Agent) diag.Diagnostic {
	return diag.New("E-MODEL-NONE", a.Origin, "agent %q has no model", a.Name).
		Suggest("add model: to the agent, or defaults: {model: …} to swarmrun.yaml, or give one for this run with -m provider/model")
}

// Reach lists an agent and all that it can call by delegation, nearest first. Broken names are among them, the members of a
// Team are not: a broken one is a failed call there, not a broken target.
func (g *Graph) Reach(name string) []string {
	reach := []string{name}
	seen := map[string]bool{name: true}
	for i := 0; i < len(reach); i++ {
		a := g.agents[reach[i]]
		if a == nil {
			continue
		}
		for _, d := range a.Delegates {
			if !seen[d.Agent] {
				seen[d.Agent] = true
				reach = append(reach, d.Agent)
			}
		}
	}
	return reach
}
