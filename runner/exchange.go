package runner

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// The limits of an agent that has none of its own.
const (
	defaultTurns = 50
	defaultTools = 8
)

// exchange is one agent's way from prompt to answer in a run.
type exchange struct {
	run    *run
	agent  *agents.Agent
	model  providers.Model
	source string // of the prompt

	conv     *session.Conversation
	system   string
	offered  *offer
	rules    tools.Rules
	hooks    hook.Chain      // the agent's, and those of active skills
	granted  []tools.Rule    // by skills, for this exchange
	passed   []tools.Rule    // by the person, for the rest of it
	called   *skills.Skill   // by the person, as /name
	active   []*skills.Skill // in the order of loading
	readable []tools.Rule    // the folders of active skills
	narrowed []narrowing     // by active skills
	output   *shape          // of the answer; nil = free text
	limits   agents.Limits
	room     room

	thinking *providers.Thinking // the agent's, or what a skill lends

	granting []tools.Rule     // as granted, from the next turn on
	lending  []string         // skills that bring a model or an effort from the next turn on
	nesting  []string         // folders whose skills can be loaded from the next turn on
	finding  []string         // skills that can be loaded from then on
	passing  []tools.Rule     // as passed, from the next turn on
	pending  []session.Record // written when the next model call begins
	turn     int
	finish   string
	guard    guard
	guiding  sync.Mutex // of conv.Guided
	warned   bool       // of the limit of turns
	repaired bool       // the one repair turn of an answer was taken
	cutShort bool       // and told

	aside  aside // hooks that run on
	wakes  int   // how often those kept it from stopping
	rounds int   // how often hooks of swarm_stop had it go on
	held   bool  // those were asked

	batch  []hook.Called // by the last answer, until the next model call
	added  []string      // by hooks, until the next model call
	stops  int           // how often hooks kept it from stopping
	ending *ending       // by a hook; nil = none
	looks  atomic.Int32  // agents that hooks started
}

// work prepares the agent, runs its turns and tells when it is done.
func (x *exchange) work(ctx context.Context) (json.RawMessage, *failure) {
	if f := x.prepare(ctx); f != nil {
		return nil, f
	}
	defer x.run.session.Release(x.conv)
	x.run.working = x
	prompt, f := x.begin(ctx)
	var output json.RawMessage
	if f == nil {
		_, f = x.steer(ctx, false) // what an earlier run left
	}
	for again := true; f == nil && again; {
		if output, f = x.turns(ctx); f == nil {
			again, f = x.hold(ctx, output)
		}
	}
	if f == nil {
		_, f = x.fire(ctx, hook.AfterAsk, func(in *hook.Input) { in.Prompt, in.Response = prompt, textOf(output) })
	}
	if err := x.flush(); err != nil && f == nil {
		output, f = nil, broken(err)
	}
	if f != nil && (f.kind == event.KindCancelled || f.kind == event.KindDeadline) {
		x.interrupted("model", false)
	}
	stop := &event.AgentStop{FinishReason: x.finish, Usage: x.run.link.meter.of(x.agent.Name), Turns: x.turn}
	if f != nil {
		stop.FinishReason = f.kind
	} else {
		stop.Output = output
	}
	x.say(stop)
	return output, f
}

// prepare finds out with what the agent works.
func (x *exchange) prepare(ctx context.Context) *failure {
	a, req := x.agent, &x.run.req
	x.limits, x.rules, x.thinking = a.Limits, a.Rules, a.Request.Thinking
	if req.MaxTurns > 0 {
		x.limits.MaxTurns = req.MaxTurns
	}
	if x.limits.MaxTurns == 0 {
		x.limits.MaxTurns = defaultTurns
	}
	if x.limits.MaxConcurrentTools == 0 {
		x.limits.MaxConcurrentTools = defaultTools
	}
	if req.Mode != "" {
		x.rules.Mode = req.Mode
	}
	wanted := a.Output
	if len(req.Output) > 0 {
		wanted = req.Output
	}
	if len(wanted) > 0 {
		s, err := newShape(wanted)
		if err != nil {
			return failed(event.KindDefinitions, "the schema of the output: %s", err).because(err)
		}
		x.output = s
	}
	if x.room.window = a.Context.Window; x.room.window == 0 {
		x.room.window = capabilities(x.model).ContextWindow
	}
	roots := rootsOf(a, x.run.graph, req.Roots)
	o, err := openOffer(tools.WithReport(ctx, x.report), x.run.graph, a, &x.rules, roots)
	if err != nil {
		if f := ended(ctx); f != nil {
			return f
		}
		if errors.Is(err, tools.ErrRequired) {
			return failed(event.KindMCPRequired, "%s", err).because(err)
		}
		return failed(event.KindInternal, "%s", err).because(err)
	}
	x.offered = o
	o.prepare()
	o.bind(x.load)
	x.take()
	if x.system, err = x.prompt(ctx); err == nil {
		return nil
	}
	stored := x.flush() // what was taken of the conversation is taken on disk too
	x.run.session.Release(x.conv)
	x.offered.close()
	if stored != nil {
		return broken(stored)
	}
	if f := ended(ctx); f != nil {
		return f
	}
	return failed(event.KindDefinitions, "%s", err).because(err)
}

// close ends what works beside the agent, once hooks have heard how the run ended.
func (x *exchange) close(ctx context.Context, res *Result) {
	x.runStop(ctx, res)
	x.endAside()
	x.offered.close()
}

// take gets the conversation that the prompt goes into.
func (x *exchange) take() {
	p := x.run.req.Parent
	x.conv = x.run.session.Take(instance(x.agent.Name, p), p != nil && !p.Keep || p == nil && x.run.req.Fork)
	switch {
	case x.conv.Apart:
		x.later(session.Record{Type: session.Cleared, Apart: true})
	case p != nil && p.Reset:
		x.conv.Clear()
		x.later(session.Record{Type: session.Cleared})
	}
}

// begin tells that the agent works and puts the prompt into its conversation, as hooks leave it.
func (x *exchange) begin(ctx context.Context) (string, *failure) {
	start := &event.AgentStart{
		Model: x.model.Name(), Provider: providerOf(x.model.Name()), Directory: x.offered.roots.Dir, Tools: x.offered.names(),
		Skills: x.skillNames(), DelegatesTo: x.offered.delegates(), PromptDigest: digest(x.system),
	}
	if x.run.req.Parent != nil {
		start.Instance = x.conv.Agent
	}
	x.say(start)
	x.tellSkills()
	text, f := x.input(ctx)
	if f != nil {
		return "", f
	}
	if x.run.req.Parent == nil && len(x.conv.Messages) == 0 && x.agent.Opening != "" {
		text = strings.TrimSpace(x.agent.Opening + "\n\n" + text)
	}
	prompt, f := x.opening(ctx, text)
	if f != nil {
		return "", f
	}
	m := providers.UserText(prompt)
	for _, b := range x.run.req.Attachments {
		m.Parts = append(m.Parts, b)
	}
	x.ask(m, x.source, text)
	x.settleSkills()
	return prompt, nil
}

// ask puts a user message into the conversation. said is what the event tells of it; "" = its text.
func (x *exchange) ask(m providers.Message, source, said string) {
	if said == "" {
		said = m.Text()
	}
	x.say(&event.UserPrompt{Prompt: x.redact(said), Source: source, MessageCount: len(x.conv.Messages)})
	x.conv.Messages = append(x.conv.Messages, m)
	x.later(session.Record{Type: session.Message, Message: &m})
}

// interrupted tells once that the agent was cut short.
func (x *exchange) interrupted(phase string, partial bool) {
	if !x.cutShort {
		x.cutShort = true
		x.say(&event.AgentInterrupted{Phase: phase, Partial: partial})
	}
}

// say tells an event of this agent.
func (x *exchange) say(e event.Event) { x.run.voice.say(e) }

func (x *exchange) redact(s string) string { return x.run.link.redact.Text(s) }

func (x *exchange) step(kind string, n ...int) string {
	var room [32]byte
	name := strconv.AppendInt(append(append(room[:0], kind...), ' '), int64(x.turn), 10)
	for _, i := range n {
		name = strconv.AppendInt(append(name, '.'), int64(i)+1, 10)
	}
	return string(name)
}
