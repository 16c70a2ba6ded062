package agents

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/skills"
)

// Spec is what New makes a Graph of.
type Spec struct {
	Name       string // of the workspace
	Root       string // absolute folder of the workspace; runs may bring roots of their own
	Generation int
	Agents     []*Agent
	Complete   func(*Agent) // adds what an agent has of this graph alone to a copy of it, when it is first asked for; nil = nothing
	Jobs       []*Job
	Broken     map[string]diag.List                      // names that stand in files which failed to load, and what was wrong with them
	Faults     diag.List                                 // errors that reach every target: swarmrun.yaml and the like
	Default    string                                    // target of a run that names none; "" = the only agent
	Commands   *skills.Set                               // what a person may call as /name; nil = nothing
	Budget     Budget                                    // of one run with all its children
	Hooks      hook.Chain                                // of the workspace, for moments without an agent
	Skills     *skills.Set                               // all of them and all commands, also those that no person may call; nil = nothing
	SkillUses  map[*skills.Skill]SkillUse                // what of the graph comes with skills
	Models     func(ref string) (providers.Model, error) // a reference known only at run time: -m, matrix, judge
	Secrets    func() []string                           // values to redact wherever they turn up, as far as known by now
	Closers    []func() error                            // run once, in reverse order, by Close
}

// SkillUse is what of the graph comes with a skill.
type SkillUse struct {
	Hooks hook.Chain      // that run besides an agent's while it is active
	Model providers.Model // instead of the agent's from its loading to the end of the exchange; nil = none
}

// Graph is a compiled workspace. It is immutable and safe for concurrent use; its parts may be shared with other
// generations.
type Graph struct {
	spec   Spec
	agents map[string]*Agent
	closed sync.Once
	err    error

	mu       sync.Mutex
	complete map[string]*Agent // those that were asked for; Spec.Complete runs under mu
}

// New checks that names are unique and that references hold: every delegate of an agent that can be started is an agent of
// the graph or a broken name.
func New(s Spec) (*Graph, error) {
	g := &Graph{spec: s, agents: make(map[string]*Agent, len(s.Agents))}
	for _, a := range s.Agents {
		if _, twice := g.agents[a.Name]; twice {
			return nil, fmt.Errorf("agents: two agents are named %q", a.Name)
		}
		g.agents[a.Name] = a
	}
	for _, a := range s.Agents {
		if err := g.check(a); err != nil {
			return nil, err
		}
	}
	if s.Default != "" && !g.known(s.Default) {
		return nil, fmt.Errorf("agents: the default agent %q does not exist", s.Default)
	}
	return g, nil
}

// check tells whether the names that an agent refers to exist, and its tools for them have names of their own.
func (g *Graph) check(a *Agent) error {
	asTool := map[string]string{}
	for _, d := range a.Delegates {
		if !g.known(d.Agent) {
			return fmt.Errorf("agents: %q delegates to %q, which does not exist", a.Name, d.Agent)
		}
		if other, twice := asTool[d.Tool()]; twice {
			return fmt.Errorf("agents: %q would have two tools named %s, for %q and %q", a.Name, d.Tool(), other, d.Agent)
		}
		asTool[d.Tool()] = d.Agent
	}
	for _, n := range a.Team {
		if !g.known(n) {
			return fmt.Errorf("agents: %q may start %q, which does not exist", a.Name, n)
		}
	}
	return nil
}

// known tells whether a name stands for an agent, be it a broken one.
func (g *Graph) known(name string) bool {
	_, broken := g.spec.Broken[name]
	return broken || g.agents[name] != nil
}

// Name is the workspace's name.
func (g *Graph) Name() string { return g.spec.Name }

// Root is the workspace's folder, absolute.
func (g *Graph) Root() string { return g.spec.Root }

// Generation counts published graphs of a workspace, from 1.
func (g *Graph) Generation() int { return g.spec.Generation }

// Budget is the limit of one run with all its children.
func (g *Graph) Budget() Budget { return g.spec.Budget }

// Commands are the skills and slash commands that a person may call as /name.
func (g *Graph) Commands() *skills.Set { return g.spec.Commands }

// Skills are all skills and commands, also those that no person may call.
func (g *Graph) Skills() *skills.Set { return g.spec.Skills }

// SkillUse is what of the graph comes with a skill.
func (g *Graph) SkillUse(k *skills.Skill) SkillUse { return g.spec.SkillUses[k] }

// Hooks are those of the workspace, for moments without an agent.
func (g *Graph) Hooks() hook.Chain { return g.spec.Hooks }

// Agents are all agents that loaded, sorted by name.
func (g *Graph) Agents() []*Agent {
	var out []*Agent
	for _, name := range slices.Sorted(maps.Keys(g.agents)) {
		out = append(out, g.whole(name))
	}
	return out
}

// Jobs are the CI jobs, sorted by name.
func (g *Graph) Jobs() []*Job {
	return slices.SortedFunc(slices.Values(g.spec.Jobs), func(a, b *Job) int { return cmp.Compare(a.Name, b.Name) })
}

// Agent finds an agent by name; "" is the default one.
func (g *Graph) Agent(name string) (*Agent, bool) {
	if name == "" {
		name = g.Default()
	}
	a := g.whole(name)
	return a, a != nil
}

// whole is an agent with all that it has of this graph; nil = there is none.
func (g *Graph) whole(name string) *Agent {
	a := g.agents[name]
	if a == nil || g.spec.Complete == nil {
		return a
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if done := g.complete[name]; done != nil {
		return done
	}
	done := new(Agent)
	*done = *a
	g.spec.Complete(done)
	if g.complete == nil {
		g.complete = map[string]*Agent{}
	}
	g.complete[name] = done
	return done
}

// Default is the target of a run that names none: the default agent, else the only one, else "".
func (g *Graph) Default() string {
	if g.spec.Default != "" {
		return g.spec.Default
	}
	if len(g.agents)+len(g.spec.Broken) != 1 {
		return ""
	}
	for name := range g.agents {
		return name
	}
	for name := range g.spec.Broken {
		return name
	}
	return ""
}

// ErrNoModel is the error of Model for a reference that stands for nothing.
var ErrNoModel = errors.New("no such model")

// Model resolves a reference that is known only at run time: a name of the workspace or provider/model. One that stands for
// nothing gives ErrNoModel.
func (g *Graph) Model(ref string) (providers.Model, error) {
	if g.spec.Models == nil {
		return nil, fmt.Errorf("%w: %q, since none are configured", ErrNoModel, ref)
	}
	return g.spec.Models(ref)
}

// Secrets are the values to redact wherever they turn up, as far as they are known by now.
func (g *Graph) Secrets() []string {
	if g.spec.Secrets == nil {
		return nil
	}
	return g.spec.Secrets()
}

// Close gives back what the graph holds, once; later calls return the first result. Whoever leases graphs calls it after
// the last lease.
func (g *Graph) Close() error {
	g.closed.Do(func() {
		var errs []error
		for _, c := range slices.Backward(g.spec.Closers) {
			errs = append(errs, c())
		}
		g.err = errors.Join(errs...)
	})
	return g.err
}
