package serve

import (
	"fmt"

	"github.com/swarmrun/swarmrun/agents"
)

// offer is what a client is told of an agent.
type offer struct{ agent, description, output string }

// Follow makes the list of tools that of another generation. Clients are told where it changed; calls that go on keep the
// generation they began with, and every other call has the one that its runner serves. With an error the list stays as it was:
// a target that cannot be started gives a *diag.ListError or agents.ErrNoTarget.
func (s *Server) Follow(g *agents.Graph) error {
	all, err := choose(g, s.chosen)
	if err != nil {
		return err
	}
	now := map[string]offer{}
	for _, a := range all {
		tool := toolName(a.Name)
		if other, twice := now[tool]; twice {
			return fmt.Errorf("the agents %q and %q would both be the tool %s; serve one of them", other.agent, a.Name, tool)
		}
		o := offer{agent: a.Name, description: a.Description}
		if isObject(a.Output) {
			o.output = string(a.Output)
		}
		now[tool] = o
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
