package loader

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
)

// name is the workspace's name: as set, else its folder's.
func (w *world) name() string {
	if n := w.settings.Name; n.Set() && n.V != "" {
		return n.V
	}
	return filepath.Base(w.tree.root)
}

// compile makes the graph of what loaded. It makes handles only: no network, no process, no key.
func compile(w *world, o *settled, generation int) (*agents.Graph, error) {
	clients := w.clients
	spec := agents.Spec{
		Name: w.name(), Root: w.tree.root, Generation: generation,
		Broken: w.broken, Faults: w.faults, Default: w.defaultAgent(),
		Commands: w.commands(), Skills: w.everySkill(), Budget: agents.Budget(w.settings.Budget.V),
		Models: clients.named,
	}
	made := newHookMaker(w, o, clients)
	spec.Hooks = made.chain(w.hooks.shared)
	spec.SkillUses = made.skills()
	guides, without := w.guides(), excluded(w.excludes())
	spec.Complete = func(a *agents.Agent) {
		own := w.byName[a.Name]
		if a.Instructed {
			a.Guides, a.Excluded = guides, without
		}
		a.Skills, a.Hooks = w.skillSet(own), made.chain(own.hooks)
	}
	sets := toolsets{table: w.tools, made: map[string]tools.Toolset{}}
	servers := newServerClients(w, o)
	spec.Agents = make([]*agents.Agent, 0, len(w.agents))
	spec.Closers = append(spec.Closers, servers.close)
	spec.Secrets = sync.OnceValue(func() []string { return append(clients.secrets(), w.serverSecrets()...) })
	for _, a := range w.agents {
		if len(a.faults) > 0 {
			continue
		}
		if a.made == nil {
			var err error
			if a.made, err = compileAgent(a, clients, &sets); err != nil {
				return nil, err
			}
		}
		compiled := a.made // as in the generations before
		if set := servers.set(a); set != nil || len(a.team)+len(a.unpriced) > 0 {
			compiled = copied(compiled)
			compiled.Team, compiled.Unpriced, compiled.Notes = a.team, a.unpriced, a.notes()
			if set != nil {
				compiled.Tools = append(slices.Clip(compiled.Tools), set)
			}
		}
		spec.Agents = append(spec.Agents, compiled)
	}
	for _, j := range w.jobs {
		if len(j.faults) == 0 {
			spec.Jobs = append(spec.Jobs, j.made)
		}
	}
	return agents.New(spec)
}

// defaultAgent is the default target, if it exists.
func (w *world) defaultAgent() string {
	if d := w.settings.DefaultAgent; d.Set() && w.exists(d.V) {
		return d.V
	}
	return w.treeAgent().V
}

func compileAgent(a *agent, clients *clients, sets *toolsets) (*agents.Agent, error) {
	out := &agents.Agent{
		Name: a.Name, Description: a.Summary.V, Prompt: a.prompt, Vars: a.Vars.V, Opening: strings.TrimSpace(a.Opening.V),
		Request: request(a), Rules: a.rules, Delegates: a.delegates,
		Directory: a.Directory.V, Output: a.Output.V, Streaming: a.Streaming.Or(true),
		Instructed: a.Instructions.Or(a.claude()),
		Limits: agents.Limits{
			MaxTurns: a.MaxTurns.Or(defaultMaxTurns), Timeout: a.Timeout.Or(defaultTimeout),
			Budget: agents.Budget(a.Budget.V), MaxConcurrentTools: a.MaxConcurrent.Or(defaultMaxConcurrent),
		},
		Context: conversation(a.Context.V), Queue: agents.QueueMode(a.QueueMode.Or(string(agents.OneAtATime))),
		Refused: a.refused, Origin: a.At,
	}
	for _, d := range a.Directories.V {
		out.Dirs = append(out.Dirs, d.V)
	}
	if set := sets.of(a); set != nil {
		out.Tools = []tools.Toolset{set}
	}
	if a.Template.V {
		t, err := parseTemplate(a)
		if err != nil {
			return nil, err
		}
		out.Template = t
	}
	model := clients.chain(a.chain, a.Retry)
	if a.inherits {
		out.Alone = model
	} else {
		out.Model = model
	}
	return out, nil
}

// request is what goes into every model call of an agent.
func request(a *agent) agents.RequestDefaults {
	p := a.Parameters.V
	r := agents.RequestDefaults{
		MaxOutput: p.MaxTokens, Temperature: p.Temperature, TopP: p.TopP, Stop: p.Stop, Parameters: p.Extra, Headers: a.Headers.V,
	}
	if a.Thinking.Set() {
		r.Thinking = &providers.Thinking{Effort: a.Thinking.V.Effort, Budget: a.Thinking.V.Budget}
	}
	return r
}

// conversation is how the agent's conversation is kept within a window.
func conversation(c *config.Context) agents.Context {
	if c == nil {
		c = &config.Context{}
	}
	out := agents.Context{
		Window: c.Window.V, CompactAt: c.CompactAt.Or(defaultCompactAt), KeepRecent: c.KeepRecent.Or(defaultKeepRecent),
		Strategy: agents.Strategy(c.Strategy.Or(string(agents.Summarise))),
	}
	if out.KeepRecent == 0 {
		out.KeepRecent = -1
	}
	return out
}

// toolsets makes the tool sets of agents, one for all that name the same tools.
type toolsets struct {
	table *toolTable
	all   tools.Toolset
	made  map[string]tools.Toolset
}

// of is the tools that an agent's rules may offer; nil = none.
func (s *toolsets) of(a *agent) tools.Toolset {
	if a.rules.All {
		if s.all == nil {
			s.all = s.fixed(s.table.names)
		}
		return s.all
	}
	var names []string
	for _, r := range a.rules.Grants {
		if s.table.byName[r.Tool] != nil && !slices.Contains(names, r.Tool) {
			names = append(names, r.Tool)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	key := fingerprint(names)
	if s.made[key] == nil {
		s.made[key] = s.fixed(names)
	}
	return s.made[key]
}

func (s *toolsets) fixed(names []string) tools.Toolset {
	var ts []tools.Tool
	for _, name := range names {
		if t := s.table.byName[name].Tool; t != nil {
			ts = append(ts, t)
		}
	}
	return tools.Fixed(ts...)
}
