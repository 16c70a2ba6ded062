package config

import (
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Team is what a file of another program makes that has no place in a workspace as it is: docker-agent's teams and recipes
// of goose. What could not be taken over is told with W-NOT-CARRIED; with E-NOT-CARRIED an agent is left out, since it would
// be less restricted than it was.
type Team struct {
	Agents  []*Agent
	Default string // the agent that starts
	Models  []NamedModel
}

// NamedModel is a model at an address of its own.
type NamedModel struct{ Name, Provider, Model, BaseURL string }

// left tells what was not taken over.
func (d *decoder) left(n *yaml.Node, format string, args ...any) {
	d.add(diag.New("W-NOT-CARRIED", d.at(n), format, args...))
}

// lost tells what could not be taken over without loosening a restriction.
func (d *decoder) lost(n *yaml.Node, format string, args ...any) {
	d.add(diag.New("E-NOT-CARRIED", d.at(n), format, args...).Suggest("write this agent by hand"))
}

// eachPair calls f for each entry of a mapping.
func eachPair(n *yaml.Node, f func(k, v *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		f(n.Content[i], n.Content[i+1])
	}
}

// childText is the text of a key, "" when there is none.
func childText(n *yaml.Node, key string) string {
	if c := child(n, key); c != nil && c.Kind == yaml.ScalarNode {
		return c.Value
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (d *decoder) ref(n *yaml.Node) Ref { return Ref{V: n.Value, At: d.at(n), Key: d.at(n).Span()} }
