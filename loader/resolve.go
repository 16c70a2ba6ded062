package loader

import (
	"cmp"
	"maps"
	"os"
	"slices"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// world is a project whose names stand for definitions.
type world struct {
	*project
	sources *sources
	models  *modelTable
	tools   *toolTable
	clients *clients
	skills  *skillTable
	servers *serverTable
	hooks   *hookTable
	shell   *settled             // where programs are looked for
	jobs    []*job               // that were read, sorted by name; broken ones are among them
	defs    []config.Definition  // of files, as in a Report
	agents  []*agent             // that hold their name, sorted by it; broken ones are among them
	byName  map[string]*agent    // the same
	acyclic bool                 // no delegation leads back to where it began
	broken  map[string]diag.List // names of agents that did not load, and why
	called  map[string]string    // tools of delegates by agent, as far as they were asked for
	root    rules                // what the workspace and foreign trees say about every agent

	launcher sandbox.Launcher // of children
	home     string           // as in settled
}

// agent is an agent on its way into the graph.
type agent struct {
	*own
	file      *parsed   // where it is written
	faults    diag.List // errors: not empty = it is not loaded
	unpriced  diag.List // as agents.Agent.Unpriced
	team      []string
	skills    []*skills.Skill
	whole     []*skills.Skill // of skills, those that stand whole in its prompt
	nests     bool            // sees those of folders too
	unskilled []string        // names of skills that it lists and does not get
	hooks     []*boundHook    // in order
}

// own is what an agent has of its own definition, the names of the others and what all have in common. Where none of these
// changed it is taken over from the load before, so nothing is written to it once settleOwn was called.
type own struct {
	*config.Agent             // as it counts: defaults filled in
	refused       diag.List   // errors of what it refers to: it is loaded and cannot be started
	chain         []candidate // its models in order
	inherits      bool        // model: inherit
	inherited     bool        // tools: has what the settings of its tree leave, since it names none
	rules         tools.Rules
	delegates     []agents.Delegate
	prompt        string // the body with what it includes
	uses          []*serverUse

	looked bool          // other files were looked at, or servers claimed: it is resolved in every load
	told   diag.List     // what is wrong with it; nil = it was not resolved yet
	wrong  diag.List     // of that, the errors
	mates  []string      // its team, with those that turn out to be broken
	made   *agents.Agent // as it was compiled, for the next load
}

// claude tells whether the agent counts by the rules of Claude Code: one of a foreign tree, whose words were turned into those.
func (a *agent) claude() bool { return a.file.tree.Foreign() }

// fault records errors: with them the agent does not load.
func (a *agent) fault(ds ...diag.Diagnostic) {
	for _, d := range ds {
		if d.Severity == diag.Error {
			a.faults.Add(d)
		}
	}
}

// resolve settles who holds a name, and turns every reference into what it stands for.
func resolve(p *project, o *settled) (*world, diag.List) {
	w := &world{project: p, sources: o.sources, broken: map[string]diag.List{}, called: map[string]string{}}
	before := w.basis()
	var ds, more diag.List
	if p.distinct = before != nil && before.distinct; !p.distinct {
		ds = p.settleNames()
	}
	w.launcher, w.home = launcher(p.tree, o), o.home
	w.tools, more = resolveTools(p, o, w.launcher)
	ds.Add(more...)
	w.tools.keep(before)
	w.skills, more = resolveSkills(p)
	ds.Add(more...)
	w.servers, more = resolveServers(p, o)
	ds.Add(more...)
	for _, f := range p.files {
		ds.Add(f.buildScript()...)
	}
	w.models, more = resolveModels(p, o)
	ds.Add(more...)
	p.faults.Add(errorsOf(more)...)
	w.clients = newClients(w, o)
	if before != nil {
		w.models, w.clients = before.models, before.clients
	}
	ds.Add(w.resolveHooks(o)...)
	ds.Add(w.missingServers()...)
	w.collect(before)
	w.addCaller(o.caller)
	ds.Add(w.resolveWorkspace()...)
	for _, a := range w.agents {
		if a.told == nil {
			w.resolveAgent(a)
		}
		ds.Add(a.told...)
		more := w.resolveAgentHooks(a)
		a.fault(more...)
		ds.Add(more...)
	}
	ds.Add(w.checkSkills()...)
	w.skills.see()
	for _, a := range w.agents {
		more := w.resolveAgentSkills(a)
		a.fault(more...)
		ds.Add(more...)
	}
	ds.Add(w.idleGrants()...)
	ds.Add(w.resolveCycles(before)...)
	ds.Add(w.settleBroken()...)
	ds.Add(w.resolveJobs()...)
	return w, ds
}

// collect makes an agent of every file of which something could be read, and notes the names of the others. The faults of a
// file are those of its agent.
func (w *world) collect(before *world) {
	w.agents, w.byName = make([]*agent, 0, len(w.files)), make(map[string]*agent, len(w.files))
	for i, f := range w.files {
		if f.kind != config.KindAgent || f.def.Status == config.Skipped {
			continue
		}
		if f.agent == nil {
			w.broken[f.def.Name] = errorsOf(f.diags)
			continue
		}
		a := before.takeOver(i, f)
		if a == nil {
			if f.was != nil {
				f.agent = copied(f.agent)
			}
			settle(f.agent, w.settings)
			w.treeModel(f.agent, f.tree)
			a = &agent{own: &own{Agent: f.agent, prompt: f.agent.Prompt}, file: f, faults: errorsOf(f.diags)}
		}
		f.on = a
		w.agents = append(w.agents, a)
		w.byName[a.Name] = a
	}
	for _, f := range w.files { // a broken file stands for its file name too, unless another agent has it
		if f.kind != config.KindAgent || f.def.Status != config.Broken {
			continue
		}
		if name := stem(f.file); w.byName[name] == nil {
			w.broken[name] = append(slices.Clip(w.broken[name]), errorsOf(f.diags)...)
		}
	}
	slices.SortFunc(w.agents, func(a, b *agent) int { return cmp.Compare(a.Name, b.Name) })
}

// resolveWorkspace resolves what the settings say about all agents. Errors reach every target.
func (w *world) resolveWorkspace() diag.List {
	var ds diag.List
	w.root, ds = w.workspaceRules()
	if d := w.settings.DefaultAgent; d.Set() && !w.exists(d.V) {
		ds.Add(suggest(diag.New("E-TARGET-UNKNOWN", d.At, "default_agent: there is no agent named %q", d.V), d.V, w.agentNames(), "Agents here"))
	}
	ds.Add(w.treeTargets()...)
	ds.Add(inactive(w.settings.Inactive, false)...)
	ds.Add(checkSandbox(w.settings.Sandbox, w.home)...)
	w.faults.Add(errorsOf(ds)...)
	return ds
}

// resolveAgent resolves one agent's references.
func (w *world) resolveAgent(a *agent) {
	ds := w.resolvePrompt(a)
	ds.Add(w.resolveModel(a)...)
	ds.Add(w.resolveDelegates(a)...)
	ds.Add(w.resolveUses(a)...)
	ds.Add(w.resolveRules(a)...)
	ds.Add(w.resolveDirectories(a)...)
	ds.Add(inactive(a.Inactive, a.claude())...)
	for _, d := range a.Delegates.V {
		ds.Add(inactive(d.Inactive, a.claude())...)
	}
	a.fault(ds...)
	a.settleOwn(ds)
}

// settleBroken moves agents with errors out of the way; whoever needs one is told.
func (w *world) settleBroken() diag.List {
	for _, a := range w.agents {
		if len(a.faults) > 0 {
			a.file.def.Status = config.Broken
			w.broken[a.Name] = a.faults
		}
	}
	var ds diag.List
	for _, a := range w.agents {
		for _, d := range a.Delegates.V {
			if _, lost := w.broken[d.Agent.V]; lost && len(a.faults) == 0 {
				ds.Add(brokenRef(d.Agent.At, config.KindAgent, d.Agent.V))
			}
		}
		if lost := func(n string) bool { _, lost := w.broken[n]; return lost }; slices.ContainsFunc(a.team, lost) {
			a.team = slices.DeleteFunc(slices.Clone(a.team), lost) // what it was is taken over
		}
	}
	return ds
}

// exists tells whether a name stands for an agent, be it a broken one.
func (w *world) exists(name string) bool {
	_, lost := w.broken[name]
	return lost || w.byName[name] != nil
}

// agentNames are the names that a reference may mean, sorted.
func (w *world) agentNames() []string {
	names := slices.Collect(maps.Keys(w.byName))
	for n := range w.broken {
		if w.byName[n] == nil {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// resolveDirectories tells of folders that are not there. It is a warning, since a run may bring a root of its own.
func (w *world) resolveDirectories(a *agent) diag.List {
	var ds diag.List
	if a.claude() {
		for _, s := range w.treeSettings(a.file.tree) {
			if len(s.Directories) > 0 {
				x := a.Change()
				x.Directories.V = append(slices.Clip(x.Directories.V), s.Directories...)
			}
		}
	}
	for _, r := range append([]config.Ref{a.Directory}, a.Directories.V...) {
		if !r.Set() || r.V == "" {
			continue
		}
		a.looked = true
		if info, err := os.Stat(within(w.tree.root, r.V)); err != nil || !info.IsDir() {
			ds.Add(diag.New("W-DIR-MISSING", r.At, "there is no folder %q", r.V).
				Suggest("paths start at the workspace's folder; make the folder, or mend the path"))
		}
	}
	return ds
}

// effect is what it means that a setting is not acted on, where that is more than nothing.
func effect(key string) string {
	switch key {
	case "memory":
		return "Long-term memory does not exist yet: nothing is remembered from run to run, and no tool is added for it."
	case "background":
		return "Whoever asks waits for the answer. Agents that are asked in one turn work side by side."
	case "isolation":
		return "No worktree is made: what the agent writes, it writes into the workspace itself."
	case "color":
		return "It is for lists of other programs."
	case "share", "shared_across_delegations":
		return "Each agent that asks has a conversation of its own with the one that it asks."
	case "shell":
		return "Commands of the text run in bash."
	}
	return ""
}

// inactive tells of settings that are understood and not acted on. One that keeps an agent away from the files of the workspace
// is a warning wherever it stands.
func inactive(keys []config.Ref, claude bool) diag.List {
	var ds diag.List
	for _, k := range keys {
		code := diag.Code("W-INACTIVE")
		if claude && k.V != "isolation" {
			code = "I-INACTIVE"
		}
		ds.Add(diag.New(code, k.At, "this version does not act on %s", k.V).Explain("%s", effect(k.V)))
	}
	return ds
}

// brokenRef says that something refers to a definition which did not load.
func brokenRef(at diag.Range, kind config.Kind, name string) diag.Diagnostic {
	return diag.New("W-REF-BROKEN", at, "the %s %q did not load, so whatever needs it is refused", kind, name)
}

// needs has the start of a native agent refused for the errors of something that it names. One of a Claude location goes
// without, as it does there.
func (a *agent) needs(ref config.Ref, kind config.Kind, errors diag.List) diag.Diagnostic {
	if a.claude() {
		return diag.New("W-REF-BROKEN", ref.At, "the %s %q did not load, so %q starts without it", kind, ref.V, a.Name)
	}
	a.refused.Add(errors...)
	return brokenRef(ref.At, kind, ref.V)
}

// suggest adds the nearest name, and the names that there are.
func suggest(d diag.Diagnostic, name string, names []string, title string) diag.Diagnostic {
	var help string
	if near, ok := diag.Closest(name, names); ok {
		help = "did you mean " + quoted(near) + "? "
	}
	if len(names) == 0 {
		return d.Suggest("%s%s: none", help, title)
	}
	return d.Suggest("%s%s: %s", help, title, diag.Enumerate(names))
}
