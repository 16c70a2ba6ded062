package loader

import (
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// general and looking are the agents that Claude Code brings, and that every agent can stand in for: as it is, or changing
// nothing.
var (
	general = [...]string{"general-purpose"}
	looking = [...]string{"Explore", "Plan"}
)

// resolveTurn finds the model of a skill, who works on it in a conversation of its own, and the files that it is for.
func (w *world) resolveTurn(k *skill, foreign bool) diag.List {
	var ds diag.List
	if k.Model.Set() && !isInherit(k.Model.V) {
		k.chain, ds = w.models.chain(k.Model.V, foreign)
		for i := range ds {
			if ds[i].Code == "W-MODEL-UNKNOWN" && ds[i].Detail != "" {
				ds[i].Detail = "the agent keeps its own model"
			}
		}
	}
	k.made.Effort = k.Effort.V
	for _, r := range k.Paths.V {
		if !doublestar.ValidatePattern(r.V) {
			ds.Add(diag.New("E-PATTERN", r.At, "%q is no pattern of paths", r.V).Suggest("write such as src/**/*.ts"))
		}
	}
	if k.Paths.Set() && len(k.Paths.V) > 0 {
		patterns := k.Paths.V
		k.made.Match = func(path string) bool {
			return slices.ContainsFunc(patterns, func(r config.Ref) bool { return fitsBelow(r.V, path) })
		}
	}
	if k.Fork.V == "" {
		return ds
	}
	k.made.Fork = true
	name := k.Agent.V
	switch {
	case !k.Agent.Set() || w.exists(name):
		k.made.Agent = name
	case slices.Contains(general[:], name):
	case slices.Contains(looking[:], name):
		k.made.ReadOnly = true
	default:
		ds.Add(suggest(diag.New("E-DELEGATE-UNKNOWN", k.Agent.At, "there is no agent named %q to work on the skill", name), name, w.agentNames(), "Agents here"))
	}
	return ds
}
