package serve

import (
	"context"
	"fmt"

	"github.com/swarmrun/swarmrun/agents"
)

// offer is what a client is told of an agent, or of a tool as it is.
type offer struct {
	agent, description, input, output string // agent "" = a tool as it is
	readOnly                          bool
}

// Follow makes the list of tools that of another generation. Clients are told where it changed; calls that go on keep the
// generation they began with, and every other call has the one that its runner serves. With an error the list stays as it was:
// a target that cannot be started gives a *diag.ListError or agents.ErrNoTarget.
func (s *Server) Follow(g *agents.Graph) error {
	now := map[string]offer{}
	if err := s.offerAgents(g, now); err != nil {
		return err
	}
	if err := s.offerTools(g, now); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []string
	for tool := range s.tools {
		if _, stays := now[tool]; !stays {
			gone = append(gone, tool)
		}
	}
	if gone != nil {
		s.mcp.RemoveTools(gone...)
	}
	for tool, o := range now {
		if s.tools[tool] != o {
			s.add(tool, o)
		}
	}
	s.tools = now
	return nil
}

func (s *Server) offerAgents(g *agents.Graph, now map[string]offer) error {
	if len(s.chosen) == 0 && s.caller != "" {
		return nil
	}
	all, err := choose(g, s.chosen)
	if err != nil {
		return err
	}
	for _, a := range all {
		tool := toolName(a.Name)
		if other, twice := now[tool]; twice {
			return fmt.Errorf("the agents %q and %q would both be the tool %s; serve one of them", other.agent, a.Name, tool)
		}
		o := offer{agent: a.Name, description: a.Description, input: promptSchema}
		if isObject(a.Output) {
			o.output = string(a.Output)
		}
		now[tool] = o
	}
	return nil
}

func (s *Server) offerTools(g *agents.Graph, now map[string]offer) error {
	if s.caller == "" {
		return nil
	}
	specs, err := s.runner.Hands(s.caller, nil).Specs(context.Background(), g)
	if err != nil {
		return err
	}
	for _, spec := range specs {
		if other, twice := now[spec.Name]; twice {
			return fmt.Errorf("the agent %q and the tool %s would have the same name; serve one of them", other.agent, spec.Name)
		}
		now[spec.Name] = offer{description: spec.Description, input: string(spec.Schema), readOnly: spec.ReadOnly}
	}
	return nil
}
