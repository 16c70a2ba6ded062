package loader

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/dag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

var toolWord = lazy.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// resolveDelegates turns delegates_to: into edges, each with a tool name of its own.
func (w *world) resolveDelegates(a *agent) diag.List {
	var ds diag.List
	written := a.Delegates.V
	a.delegates = make([]agents.Delegate, 0, len(written))
	had := taken{make(map[string]int, len(written)), make(map[string]int, len(written))}
	var kept []config.Delegate // nil while all are
	for i, d := range written {
		edge := agents.Delegate{Agent: d.Agent.V, As: d.As.V, When: d.When.V, Keep: d.Keep}
		if edge.As == "" {
			edge.As = w.delegateTool(edge)
		}
		found, drop := w.checkDelegate(a, d, edge.As, had)
		ds.Add(found...)
		if drop && kept == nil {
			kept = append(make([]config.Delegate, 0, len(written)), written[:i]...)
		}
		if drop {
			continue
		}
		if kept != nil {
			kept = append(kept, d)
		}
		had.agents[edge.Agent], had.tools[edge.As] = len(a.delegates), len(a.delegates)
		a.delegates = append(a.delegates, edge)
	}
	if kept != nil {
		a.Change().Delegates.V = kept
	}
	return ds
}

// taken are the delegates that an agent has already, by their names and by those of their tools.
type taken struct{ agents, tools map[string]int }

// delegateTool is the tool of a delegate that gives it no name; all who delegate to an agent share the text.
func (w *world) delegateTool(d agents.Delegate) string {
	name, ok := w.called[d.Agent]
	if !ok {
		name = d.Tool()
		w.called[d.Agent] = name
	}
	return name
}

// checkDelegate tells what is wrong with a delegate whose tool is called as, beside those that the agent has already, and
// whether to leave it out.
func (w *world) checkDelegate(a *agent, d config.Delegate, as string, had taken) (diag.List, bool) {
	name := d.Agent.V
	at := d.Agent.At
	if d.As.Set() {
		at = d.As.At
	}
	_, twice := had.agents[name]
	rival, clash := had.tools[as]
	var fault diag.Diagnostic
	switch {
	case name == a.Name && d.Agent.At.File != a.File:
		return nil, true // defaults: name it for everybody else
	case name == a.Name:
		fault = diag.New("E-DELEGATE-SELF", d.Agent.At, "%q delegates to itself", name).
			Suggest("an agent that needs a copy of itself has subtasks: true")
	case !w.exists(name):
		fault = suggest(diag.New("E-DELEGATE-UNKNOWN", d.Agent.At, "there is no agent named %q", name), name, w.agentNames(), "Agents here")
	case twice:
		fault = diag.New("W-DELEGATE-TWICE", d.Agent.At, "%q is a delegate already; this one is left out", name).
			Note(a.written(name), "the one that counts")
	case d.As.Set() && (!toolWord.Get().MatchString(as) || len(as) > agents.MaxToolName):
		fault = diag.New("E-NAME", at, "%q is no name for a tool", as).
			Suggest("letters, digits, _ and -, at most %d characters", agents.MaxToolName)
	case clash:
		fault = diag.New("E-DELEGATE-CLASH", at, "the tools for %q and %q would both be named %s", a.delegates[rival].Agent, name, as).
			Note(a.written(a.delegates[rival].Agent), "the other one").Suggest("give one of them a name with as:")
	case w.tools.byName[as] != nil || ours(as):
		fault = diag.New("E-DELEGATE-CLASH", at, "%s is the name of another tool", as).Suggest("give the delegate another name with as:")
	default:
		return nil, false
	}
	return diag.List{fault}, true
}

// written is where an agent names a delegate first.
func (a *agent) written(name string) diag.Range {
	i := slices.IndexFunc(a.Delegates.V, func(d config.Delegate) bool { return d.Agent.V == name })
	return a.Delegates.V[i].Agent.At
}

// delegateAt is where the i-th delegate stands.
func (a *agent) delegateAt(i int) diag.Range { return a.Delegates.V[i].Agent.At }

func (a *agent) hasDelegateTool(name string) bool {
	return slices.ContainsFunc(a.delegates, func(d agents.Delegate) bool { return d.As == name })
}

// resolveCycles finds delegations that lead back to where they began. Where a basis had none, and all delegate as they did in it,
// there are none.
func (w *world) resolveCycles(before *world) diag.List {
	if w.acyclic = before != nil && before.acyclic && slices.EqualFunc(w.agents, before.agents, (*agent).delegatesAs); w.acyclic {
		return nil
	}
	var g dag.Graph[string]
	for _, a := range w.agents {
		for _, d := range a.delegates {
			g.Edge(a.Name, d.Agent)
		}
	}
	var ds diag.List
	for _, path := range g.Cycles() {
		first := w.byName[path[0]]
		d := diag.New("E-DELEGATE-CYCLE", first.written(path[1]), "delegation leads back to its beginning: %s", strings.Join(path, " → "))
		for i := 1; i+1 < len(path); i++ {
			d = d.Note(w.byName[path[i]].written(path[i+1]), "%q delegates to %q here", path[i], path[i+1])
		}
		d = d.Suggest("take one of these delegates out, or pass the conversation on with handoffs:")
		ds.Add(d)
		for _, name := range path[:len(path)-1] {
			w.byName[name].fault(d)
		}
	}
	w.acyclic = len(ds) == 0
	return ds
}

// delegatesAs tells whether an agent is called as another one is, and delegates to the same ones.
func (a *agent) delegatesAs(o *agent) bool {
	return a.own == o.own || a.Name == o.Name &&
		slices.EqualFunc(a.delegates, o.delegates, func(d, e agents.Delegate) bool { return d.Agent == e.Agent })
}
