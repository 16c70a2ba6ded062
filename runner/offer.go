package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
)

// Offered is a tool that an agent reaches, and what the agent's rules make of it.
type Offered struct {
	Tool   tools.Tool
	Source string // agent:NAME of a delegate, else as its toolset says; "" when it says nothing
	Offer  tools.Offer
	rules  *tools.Rules // that decide on calls
}

// Sourced is a Toolset or a Tool that can say where it comes from, such as mcp:github.
type Sourced interface{ Source() string }

// Offer opens everything that an agent reaches and tells what its rules make of each tool, sorted by name: what is shown
// to the model and what is not. The tools work until release is called. Tools that come with a field of the agent, such as
// its delegates, need no entry in its tools setting; rules that remove or deny act on them too.
func Offer(ctx context.Context, g *agents.Graph, a *agents.Agent, at tools.Roots) (all []Offered, release func(), err error) {
	rules := a.Rules
	o, err := openOffer(ctx, g, a, &rules, rootsOf(a, g, at))
	if err != nil {
		return nil, nil, err
	}
	return o.all, o.close, nil
}

// offer is the open tools of an exchange.
type offer struct {
	all      []Offered
	shown    map[string]*Offered
	specs    []providers.ToolSpec
	roots    tools.Roots
	ground   *tools.Ground // of roots
	releases []func()
	brought  *tools.Rules // that decide on tools which come with a field of the agent
}

func openOffer(ctx context.Context, g *agents.Graph, a *agents.Agent, rules *tools.Rules, at tools.Roots) (*offer, error) {
	o := &offer{roots: at, ground: tools.NewGround(at), shown: map[string]*Offered{}}
	o.brought = rules.WithAll()
	if err := o.open(ctx, a.Tools, rules, o.brought); err != nil {
		o.close()
		return nil, err
	}
	for _, t := range delegateTools(g, a, o.brought) {
		o.all = append(o.all, Offered{Tool: t, Source: t.source(), Offer: o.brought.Offers(t.spec), rules: o.brought})
	}
	if t := newLoadTool(a.Skills.All(), o.brought, at); t != nil {
		o.all = append(o.all, Offered{Tool: t, Source: "skills", Offer: o.brought.Offers(t.spec), rules: o.brought})
	}
	slices.SortStableFunc(o.all, func(a, b Offered) int { return cmp.Compare(a.Tool.Spec().Name, b.Tool.Spec().Name) })
	for i := range o.all {
		t := &o.all[i]
		spec := t.Tool.Spec()
		if _, twice := o.shown[spec.Name]; twice || !t.Offer.OK() {
			continue
		}
		o.shown[spec.Name] = t
		o.specs = append(o.specs, providers.ToolSpec{Name: spec.Name, Description: spec.Description, Schema: spec.Schema})
	}
	return o, nil
}

// prepare has the tools begin what their first calls would wait for, while the model is asked.
func (o *offer) prepare() {
	for _, t := range o.shown {
		if p, ok := t.Tool.(tools.Preparer); ok {
			p.Prepare()
		}
	}
}

// open opens toolsets side by side; their tools stand in the order of the sets. Those that a field of the agent brings are
// held to the rules of brought.
func (o *offer) open(ctx context.Context, sets []tools.Toolset, rules, brought *tools.Rules) error {
	opened := make([][]tools.Tool, len(sets))
	releases := make([]func(), len(sets))
	errs := make([]error, len(sets))
	var wg sync.WaitGroup
	for i, s := range sets {
		wg.Go(func() {
			defer func() {
				if fault := recover(); fault != nil {
					errs[i] = fmt.Errorf("a toolset broke down while it was opened: %v", fault)
				}
			}()
			opened[i], releases[i], errs[i] = s.Open(ctx, o.roots)
		})
	}
	wg.Wait()
	for i, ts := range opened {
		if releases[i] != nil {
			o.releases = append(o.releases, releases[i])
		}
		source := ""
		if s, ok := sets[i].(Sourced); ok {
			source = s.Source()
		}
		for _, t := range ts {
			own, from := rules, source
			if b, ok := t.(tools.Brought); ok && b.Brought() {
				own = brought
			}
			if s, ok := t.(Sourced); ok {
				from = s.Source()
			}
			o.all = append(o.all, Offered{Tool: t, Source: from, Offer: own.Offers(t.Spec()), rules: own})
		}
	}
	return errors.Join(errs...)
}

// close releases what was opened; a second time it does nothing.
func (o *offer) close() {
	for _, f := range slices.Backward(o.releases) {
		f()
	}
	o.releases = nil
}

// names are the tools that the model is shown.
func (o *offer) names() []string {
	names := make([]string, len(o.specs))
	for i, s := range o.specs {
		names[i] = s.Name
	}
	return names
}

// delegates are the agents that shown tools start.
func (o *offer) delegates() []string {
	names := []string{}
	for _, s := range o.specs {
		if d, ok := o.shown[s.Name].Tool.(*delegateTool); ok {
			names = append(names, d.agents...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unknown is what the model is told about a tool that it was not shown.
func (o *offer) unknown(name string) string {
	names := o.names()
	var b strings.Builder
	b.WriteString("There is no tool named " + quote(name) + ".")
	if best, ok := diag.Closest(name, names); ok {
		b.WriteString(" Did you mean " + best + "?")
	}
	if len(names) == 0 {
		b.WriteString(" You have no tools.")
	} else {
		b.WriteString(" Your tools: " + strings.Join(names, ", ") + ".")
	}
	return b.String()
}

// rootsOf is where an agent works: its directory, relative to the workspace of the run.
func rootsOf(a *agents.Agent, g *agents.Graph, at tools.Roots) tools.Roots {
	if at.Workspace == "" {
		at.Workspace = g.Root()
	}
	base := cmp.Or(at.Dir, at.Workspace)
	dir := base
	if a.Directory != "" {
		dir = resolve(at.Workspace, a.Directory)
	}
	dirs := slices.Clone(at.Dirs)
	for _, d := range a.Dirs {
		dirs = append(dirs, resolve(at.Workspace, d))
	}
	return tools.Roots{Workspace: at.Workspace, Dir: dir, Dirs: dirs}
}

func resolve(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
