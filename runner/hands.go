package runner

import (
	"context"
	"encoding/json"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

// Hands are the tools of an agent for a caller that has a model of its own. A call goes the way of every call, through hooks,
// rules, sandbox and bounds, with nobody to ask; what one call leaves for the next, such as which files were read, is kept. Calls
// are not stored. Hands are safe for concurrent use.
type Hands struct {
	r      *Runner
	target string
	state  tools.State
	held   *session.Handle
	sink   func(event.Event)
}

// Hands makes hands with nothing kept yet. They work as the agent of the newest graph says at each call. sink hears of the calls,
// one event at a time for each; nil = nobody.
func (r *Runner) Hands(target string, sink func(event.Event)) *Hands {
	held, _ := session.New(nil, session.Head{ID: r.o.NewID(), Target: target}) // without a store nothing fails
	return &Hands{r: r, target: target, held: held, sink: sink}
}

// Specs are the tools that the agent is offered in a graph, sorted by name. An agent that cannot be started gives a
// *diag.ListError or agents.ErrNoTarget.
func (h *Hands) Specs(ctx context.Context, g *agents.Graph) ([]tools.Spec, error) {
	a, err := g.StartWithModel(h.target)
	if err != nil {
		return nil, err
	}
	all, release, err := Offer(ctx, g, a, tools.Roots{})
	if err != nil {
		return nil, err
	}
	defer release()
	var specs []tools.Spec
	for _, t := range all {
		if t.Offer.OK() {
			specs = append(specs, t.Tool.Spec())
		}
	}
	return specs, nil
}

// Call makes one call. What the tool says, its failure and a refusal included, is the result; the error is a *RunError.
func (h *Hands) Call(ctx context.Context, tool string, input json.RawMessage) (providers.ToolResult, error) {
	r := &run{r: h.r, req: Request{Target: h.target}, started: h.r.o.Now(), w: RunOptions{Steps: direct{h.r}}, session: h.held}
	r.link = h.r.newLink(h.sink)
	r.link.session, r.w.link = h.held, r.link
	result, f := h.call(ctx, r, providers.ToolCall{ID: h.r.o.NewID(), Name: tool, Args: input})
	if f == nil {
		return result, nil
	}
	return result, &RunError{Kind: f.kind, Message: r.link.redact.Text(f.message), Agent: h.target, Err: f.cause}
}

func (h *Hands) call(ctx context.Context, r *run, c providers.ToolCall) (none providers.ToolResult, f *failure) {
	r.id = h.r.o.NewID()
	g, release, err := h.r.source.Acquire()
	if err != nil {
		return none, refusal(err)
	}
	defer release()
	r.graph = g
	r.learn()
	if r.target, err = g.StartWithModel(h.target); err != nil {
		return none, refusal(err)
	}
	r.voice = &voice{stream: r.link.stream, head: event.Header{Run: r.id, Agent: r.target.Name, Generation: g.Generation()}}
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	x := &exchange{run: r, agent: r.target, hooks: r.target.Hooks}
	if f := x.prepare(ctx); f != nil {
		return none, f
	}
	defer func() {
		x.endAside()
		x.offered.close()
	}()
	h.held.Release(x.conv)
	x.conv = &session.Conversation{Agent: r.target.Name, State: &h.state, Apart: true}
	results, f := x.calls(ctx, []providers.ToolCall{c})
	return results[0], f
}
