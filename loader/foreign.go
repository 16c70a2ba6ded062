package loader

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// treeModel gives an agent of a foreign tree the model of the tree's settings, where nothing nearer names one.
func (w *world) treeModel(a *config.Agent, tree config.Origin) {
	for _, s := range w.treeSettings(tree) {
		fill(&a.Model, s.Model)
	}
}

// treeSettings are the settings of one foreign tree, nearest first.
func (t *tree) treeSettings(tree config.Origin) []*config.TreeSettings {
	if !tree.Foreign() {
		return nil
	}
	var out []*config.TreeSettings
	for _, s := range t.foreign {
		if s.Tree == tree {
			out = append(out, s)
		}
	}
	return out
}

// treeAgent is the default target that settings of foreign trees name; not Set = none that exists.
func (w *world) treeAgent() config.Value[string] {
	for _, s := range w.foreign {
		if s.Agent.Set() && w.exists(s.Agent.V) {
			return s.Agent
		}
	}
	return config.Value[string]{}
}

// treeTargets tells of default targets of foreign trees that are not there.
func (w *world) treeTargets() diag.List {
	var ds diag.List
	for _, s := range w.foreign {
		if s.Agent.Set() && !w.exists(s.Agent.V) {
			ds.Add(suggest(diag.New("W-TARGET-UNKNOWN", s.Agent.At, "agent: there is no agent named %q", s.Agent.V), s.Agent.V, w.agentNames(), "Agents here"))
		}
	}
	return ds
}

// treeEnv are the variables that foreign trees give to children, the nearest tree first.
func (t *tree) treeEnv() map[string]string {
	env := map[string]string{}
	for _, s := range slices.Backward(t.foreign) {
		maps.Copy(env, s.Env.V)
	}
	return env
}

// excludes are the instruction files that foreign trees leave out, as patterns of absolute paths.
func (w *world) excludes() []string {
	var out []string
	for _, s := range w.foreign {
		for _, r := range s.Excludes {
			if p := filepath.ToSlash(r.V); doublestar.ValidatePattern(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// excluded tells whether an instruction file is left out.
func excluded(patterns []string) func(string) bool {
	if len(patterns) == 0 {
		return nil
	}
	return func(path string) bool {
		path = filepath.ToSlash(path)
		return slices.ContainsFunc(patterns, func(p string) bool {
			if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "**") {
				p = "**/" + p
			}
			ok, _ := doublestar.Match(p, path)
			return ok || p == path
		})
	}
}

// guides are the files of instructions that loaded, in the order of their trees.
func (w *world) guides() []agents.Guide {
	var out []agents.Guide
	for _, f := range w.files {
		if f.rule == nil || f.def.Status == config.Broken || strings.TrimSpace(f.rule.Text) == "" {
			continue
		}
		g := agents.Guide{File: f.name, Text: strings.TrimSpace(f.rule.Text)}
		if f.rule.Paths.Set() {
			patterns := f.rule.Paths.V
			g.Match = func(path string) bool {
				return slices.ContainsFunc(patterns, func(r config.Ref) bool { return fitsBelow(r.V, path) })
			}
		}
		out = append(out, g)
	}
	return out
}

// fitsBelow matches a path relative to the root of a project: a pattern without a slash counts in every folder.
func fitsBelow(pattern, path string) bool {
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	ok, _ := doublestar.Match(pattern, path)
	return ok
}

// readRule reads a file of instructions. One that a link brings from outside the project is refused: its text would go to a
// model although nobody named it.
func (p *parsed) readRule(src []byte) {
	p.rule, p.def, p.diags = config.ReadRule(src, p.name, p.tree)
	if p.rule == nil {
		return
	}
	for _, r := range p.rule.Paths.V {
		if !doublestar.ValidatePattern(r.V) {
			p.diags.Add(diag.New("E-PATTERN", r.At, "%q is no pattern of paths", r.V).Suggest("write such as src/**/*.ts"))
			p.def.Status = config.Broken
		}
	}
}
