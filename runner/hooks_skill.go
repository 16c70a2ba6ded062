package runner

import (
	"context"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/tools"
)

// listen collects who is asked from now on: the agent's hooks, then those of the active skills.
func (x *exchange) listen() {
	x.hooks = slices.Clip(x.agent.Hooks)
	for _, k := range x.inForce() {
		for _, e := range x.run.graph.SkillUse(k).Hooks {
			if e.Once {
				ran := tools.Of[onceRun](x.conv.State)
				if ran.has(e.Name) {
					continue
				}
				e.Hook = &once{e.Hook, e.Name, ran}
			}
			x.hooks = append(x.hooks, e)
		}
	}
}

// onceRun are the hooks of a conversation that had their one time.
type onceRun struct {
	mu   sync.Mutex
	done map[string]bool
}

func (r *onceRun) has(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done[name]
}

// first tells whether a hook has its time now.
func (r *onceRun) first(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done[name] {
		return false
	}
	if r.done == nil {
		r.done = map[string]bool{}
	}
	r.done[name] = true
	return true
}

// once is a hook that runs the first time only, also where calls stand side by side.
type once struct {
	hook.Hook
	name string
	ran  *onceRun
}

// Run runs the hook, or continues.
func (o *once) Run(ctx context.Context, in *hook.Input, host hook.Host) (hook.Result, error) {
	if !o.ran.first(o.name) {
		return hook.Result{}, nil
	}
	return o.Hook.Run(ctx, in, host)
}
