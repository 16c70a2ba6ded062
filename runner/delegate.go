package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// deepest is how many agents may work above a delegate.
const deepest = 8

// delegation is one call of a delegate on its way.
type delegation struct {
	x     *exchange
	call  providers.ToolCall
	tool  *delegateTool
	order order
	began time.Time
	meter *meter
	out   outcome
	usage event.Usage
	kind  string
}

// delegate starts the agent behind a call and returns; what it answers, or why it failed, is the result of the call.
func (x *exchange) delegate(ctx context.Context, i int, c providers.ToolCall, t *Offered, d *delegateTool) func() (providers.ToolResult, *failure) {
	g := &delegation{x: x, call: c, tool: d, began: x.run.r.o.Now()}
	faulty := d.spec.Check(c.Args)
	g.order, _ = d.order(c.Args) // what is wrong with it, the check says
	g.tellStart()
	if faulty != nil {
		g.out.Result = tools.Result{Content: faulty.Error(), IsError: true}
		return g.settled
	}
	if err := g.permit(ctx, i, t); err != nil {
		return func() (providers.ToolResult, *failure) { return g.tellEnd(), broken(err) }
	}
	if g.out.Changed != nil {
		g.order, _ = d.order(g.out.Changed) // it fits the schema
	}
	if g.out.Settled || g.circular() || g.withheld() {
		return g.settled
	}
	if err := x.store(session.Record{Type: session.Started, ToolCallID: c.ID, Tool: c.Name}); err != nil {
		return func() (providers.ToolResult, *failure) { return g.tellEnd(), broken(err) }
	}
	wait := x.run.w.Steps.Child(ctx, g.request(ctx, i), g.options())
	return func() (providers.ToolResult, *failure) {
		res, err := wait()
		if err != nil {
			g.out.Result = tools.Result{Content: notRun, IsError: true}
			return g.tellEnd(), broken(err)
		}
		g.take(res)
		if f := g.after(ctx, i, t); f != nil {
			return g.tellEnd(), f
		}
		return g.settled()
	}
}

// settled ends a call whose result is known.
func (g *delegation) settled() (providers.ToolResult, *failure) {
	g.x.addTexts(&g.out)
	if err := g.x.cut(g.call, &g.out); err != nil {
		return g.tellEnd(), broken(err)
	}
	if err := g.x.keepResult(g.call, &g.out); err != nil {
		return g.tellEnd(), broken(err)
	}
	g.x.remember(&g.out)
	result := g.tellEnd()
	g.x.heed(&g.out)
	return result, nil
}

// after lets hooks see what the agent answered, in a step of their own.
func (g *delegation) after(ctx context.Context, i int, t *Offered) *failure {
	x := g.x
	call := x.newCall(g.call, t)
	if g.out.Changed != nil {
		call.Input = g.out.Changed
	}
	ev := hook.AfterDelegation
	if g.tool.skill != nil {
		ev = hook.AfterTool
	}
	res, f := x.fire(ctx, ev, func(in *hook.Input) {
		about(in, call, t)
		in.Result, in.IsError, in.Duration = g.out.Result.Content, g.out.Result.IsError, x.run.r.o.Now().Sub(g.began)
	}, i)
	if f != nil {
		return f
	}
	g.out.Added = append(g.out.Added, res.Context...)
	g.out.amend(res)
	return nil
}

// permit asks the rules, in a step where a person answers.
func (g *delegation) permit(ctx context.Context, i int, t *Offered) error {
	x := g.x
	call := x.newCall(g.call, t)
	if x.hooks.Has(before(t)) || t.rules.Decide(t.Tool, call, x.approved()).Verdict == tools.Ask && !x.passes(call, t) {
		wait := x.run.w.Steps.Go(ctx, x.step("permit", i), &g.out, func(ctx context.Context) error {
			x.permit(ctx, call, t, &g.out)
			return nil
		})
		if err := wait(); err != nil {
			return err
		}
	} else {
		x.permit(ctx, call, t, &g.out)
	}
	switch {
	case g.out.Denied != nil:
		g.kind = event.KindPermissionDenied
	case g.out.Blocked == blockedByHook:
		g.kind = event.KindHookBlocked
	}
	return nil
}

// withheld refuses the work on a skill to an agent that this one cannot start.
func (g *delegation) withheld() bool {
	if g.tool.skill == nil {
		return false
	}
	why := g.mayFork()
	if why == "" {
		return false
	}
	g.out.Blocked, g.kind = blockedByPermission, event.KindPermissionDenied
	g.out.Result = tools.Result{Content: why, IsError: true}
	return true
}

// circular refuses an agent that is at work above, and a chain that is too deep.
func (g *delegation) circular() bool {
	path := g.x.path()
	var why string
	switch {
	case g.tool.skill == nil && slices.Contains(path, g.order.target):
		why = fmt.Sprintf("The agent %s is already at work on this (%s): it cannot be asked again from below.", g.order.target, strings.Join(path, " → "))
	case len(path) > deepest:
		why = fmt.Sprintf("No agent can be asked from here: %d agents are at work above (%s).", len(path), strings.Join(path, " → "))
	default:
		return false
	}
	g.x.say(&event.CircularDependency{Target: g.order.target, Path: path})
	g.out.Result = tools.Result{Content: why, IsError: true}
	return true
}

// path is the agents at work, this one last.
func (x *exchange) path() []string {
	var above []string
	if p := x.run.req.Parent; p != nil {
		above = p.Path
	}
	return append(slices.Clone(above), x.agent.Name)
}

// request is the child's.
func (g *delegation) request(ctx context.Context, i int) Request {
	x := g.x
	req := Request{
		ID: fmt.Sprintf("%s/%d.%d", x.run.id, x.turn, i+1), Target: g.order.target, Input: g.order.message,
		Vars: x.run.req.Vars, Session: x.run.sessionID(), Roots: x.run.req.Roots, Mode: x.run.req.Mode,
		Budget: x.run.link.meter.left(),
		Parent: &Parent{Run: x.run.id, Agent: x.conv.Agent, Path: x.path(), Keep: g.tool.keep, Reset: g.order.reset},
	}
	if k := g.tool.skill; k != nil {
		req.Command, req.Fork = k.Name, true
	}
	if x.rules.Mode == tools.ModePlan || g.tool.skill != nil && g.tool.skill.ReadOnly {
		req.Mode = tools.ModePlan // read only stays read only below
	}
	if at, ok := ctx.Deadline(); ok {
		req.Deadline = at
	}
	return req
}

// options are what the child shares with this run.
func (g *delegation) options() *RunOptions {
	x := g.x
	below := x.run.below(x.model)
	g.meter = below.meter
	return &RunOptions{Source: agents.Static(x.run.graph), Ask: x.run.w.Ask, link: below}
}

// take makes the result of the call of how the child ended.
func (g *delegation) take(res *Result) {
	g.x.run.link.meter.settle(g.meter, res)
	g.usage, g.kind = res.Usage, res.Kind
	if res.OK {
		g.out.Result = tools.Result{Content: res.Text()}
		if res.FinishedBy != "" {
			g.out.finish(hook.Result{Decision: hook.FinishRun, Message: res.Text(), Hook: res.FinishedBy})
		}
		return
	}
	g.out.Result = tools.Result{IsError: true, Content: fmt.Sprintf("The agent %s failed (%s): %s", g.order.target, res.Kind, res.Message)}
}

func (g *delegation) tellStart() {
	how := "fresh"
	if g.tool.keep && !g.order.reset {
		how = "keep"
	}
	g.x.say(&event.Delegation{
		ToolCallID: g.call.ID, DelegateTo: g.order.target, Message: g.x.redact(g.order.message), Context: how,
		Instance: g.order.target + "@" + g.x.conv.Agent,
	})
}

func (g *delegation) tellEnd() providers.ToolResult {
	x, r := g.x, &g.out.Result
	if d := g.out.Denied; d != nil {
		x.say(&event.PermissionDenied{ToolCallID: g.call.ID, Tool: g.call.Name, Rule: d.Rule, Place: d.Place, Why: d.Why})
	}
	x.say(&event.DelegationResult{
		ToolCallID: g.call.ID, DelegateFrom: g.order.target, Result: x.redact(r.Content), IsError: r.IsError, Kind: g.kind,
		Usage: g.usage, DurationMS: x.run.r.o.Now().Sub(g.began).Milliseconds(), File: g.out.File,
	})
	return providers.ToolResult{CallID: g.call.ID, Name: g.call.Name, Content: r.Content, IsError: r.IsError}
}
