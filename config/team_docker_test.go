package config_test

import (
	"testing"

	"github.com/swarmrun/swarmrun/config"
)

// TestDockerWithoutModels: most files name provider and model in the agent and have no models of their own.
func TestDockerWithoutModels(t *testing.T) {
	team, ds := config.ReadDockerAgents([]byte("agents:\n  root:\n    model: openai/gpt-5\n    instruction: Help.\n"), "team.yaml")
	if ds.HasErrors() || len(team.Agents) != 1 {
		t.Fatal(team, ds)
	}
	if got := team.Agents[0].Model.V; len(got) != 1 || got[0].V != "openai/gpt-5" {
		t.Errorf("the model is %v", got)
	}
}
