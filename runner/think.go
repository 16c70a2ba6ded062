package runner

import (
	"context"
	"sync"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
)

// answer is the record of a model call, its failure included.
type answer struct {
	Message    providers.Message `json:"message"`
	Finish     providers.Finish  `json:"finish,omitempty"`
	Usage      event.Usage       `json:"usage"`
	Candidate  string            `json:"candidate,omitempty"`
	Attempts   int               `json:"attempts,omitempty"`
	Incomplete bool              `json:"incomplete,omitempty"`
	Kind       string            `json:"kind,omitempty"`

	Repaired []providers.Message `json:"repaired,omitempty"` // the conversation, when the call mended it
	Problem  string              `json:"problem,omitempty"`

	cause error // of Problem, in the process that saw it
}

// think makes a model call of a turn, in a step of that kind, and tells of the answer. It counts as so many turns.
func (x *exchange) think(ctx context.Context, kind string, turns int) (*answer, *failure) {
	a := &answer{}
	if err := x.now(ctx, x.step(kind), a, func(ctx context.Context) error { return x.generate(ctx, a) }); err != nil {
		return nil, broken(err)
	}
	x.run.link.meter.charge(x.agent.Name, a.Candidate, turns, a.Attempts, a.Usage)
	if a.Repaired != nil {
		x.conv.Messages = a.Repaired
	}
	if len(a.Message.Parts) > 0 {
		x.conv.Messages = append(x.conv.Messages, a.Message)
	}
	if a.Kind != "" {
		if a.Kind == event.KindCancelled || a.Kind == event.KindDeadline {
			x.interrupted("model", a.Incomplete)
		}
		return nil, failed(a.Kind, "%s", a.Problem).because(a.cause)
	}
	x.finish = string(a.Finish)
	for _, w := range x.tellStep(a) {
		if f := x.warnHooks(ctx, w); f != nil {
			return nil, f
		}
	}
	return a, nil
}

// generate sends the conversation to the model and writes the answer to the session: with calls in it, it is on disk before
// the first of them starts.
func (x *exchange) generate(ctx context.Context, a *answer) error {
	if err := x.flush(); err != nil {
		return err
	}
	x.send(ctx, x.model, x.request(a), x.agent.Streaming, a)
	if len(a.Message.Parts) == 0 {
		return nil
	}
	a.Message.Role = providers.Assistant
	if err := x.store(session.Record{Type: session.Message, Message: &a.Message, Incomplete: a.Incomplete}); err != nil {
		return err
	}
	if len(a.Message.ToolCalls()) == 0 {
		return nil
	}
	if err := x.run.session.Sync(); err != nil {
		return &storeError{err}
	}
	return nil
}

// send makes one model call and fills its record.
func (x *exchange) send(ctx context.Context, m providers.Model, req *providers.Request, streaming bool, a *answer) {
	ears := &listener{x: x}
	resp, err := m.Generate(providers.WithSink(ctx, ears.lower), req, ears.emit(streaming))
	x.run.learn()
	ears.flush()
	if resp != nil {
		a.Message, a.Finish, a.Candidate, a.Attempts = resp.Message, resp.Finish, resp.Candidate, resp.Attempts
		a.Usage, a.Incomplete = ears.price(resp.Usage, capabilities(m).Price), resp.Incomplete
	}
	if a.Candidate == "" {
		a.Candidate = m.Name()
	}
	if err != nil {
		a.fail(ctx, err, ears.attempts)
	}
}

// caller says in whose name a model is called.
func (x *exchange) caller() providers.Caller {
	return providers.Caller{Run: x.run.id, Agent: x.agent.Name, Turn: x.turn, Depth: x.run.voice.head.Depth}
}

// fail keeps of an answer that was cut short what can stand in a conversation: its text, never a call.
func (a *answer) fail(ctx context.Context, err error, attempts int) {
	f := ended(ctx)
	if f == nil {
		f = modelFailure(err)
	}
	a.Kind, a.Problem, a.cause = f.kind, f.message, err
	if f.cause != nil {
		a.cause = f.cause
	}
	a.Attempts = max(a.Attempts, attempts)
	var kept []providers.Part
	for _, p := range a.Message.Parts {
		if t, ok := p.(providers.Text); ok && t.Text != "" {
			kept = append(kept, t)
		}
	}
	a.Message.Parts, a.Incomplete = kept, len(kept) > 0
}

// request is what the model is sent for the answer a. The messages are shared with the conversation, which only grows.
func (x *exchange) request(a *answer) *providers.Request {
	d := &x.agent.Request
	n := len(x.conv.Messages)
	req := &providers.Request{
		System: x.system, Messages: x.conv.Messages[:n:n], Tools: x.specs(),
		MaxOutput: d.MaxOutput, Temperature: d.Temperature, TopP: d.TopP, Stop: d.Stop, Thinking: x.thinking,
		Parameters: d.Parameters, Headers: d.Headers,
		Caller:  x.caller(),
		Journal: &journal{x, a},
	}
	if x.output != nil {
		req.Output = x.output.raw
	}
	return req
}

// tellStep tells of a complete answer, and of a window that fills up, of which hooks are told too.
func (x *exchange) tellStep(a *answer) (warnings []*event.ContextWarning) {
	if n := a.Usage.Tokens(); n > 0 {
		x.room.used, x.room.counted = n, len(x.conv.Messages)
	}
	calls := a.Message.ToolCalls()
	step := &event.AgentStep{
		Turn: x.turn, Model: a.Candidate, Content: x.redact(a.Message.Text()), ToolCalls: make([]event.Request, len(calls)),
		FinishReason: string(a.Finish), Usage: a.Usage,
		Context: event.Context{Used: a.Usage.Tokens(), Limit: x.room.window},
	}
	for i, c := range calls {
		step.ToolCalls[i] = event.Request{ID: c.ID, Name: c.Name, Arguments: redactJSON(x.run.link.redact, c.Args)}
	}
	if x.room.window > 0 {
		step.Context.Percentage = float64(step.Context.Used) * 100 / float64(x.room.window)
	}
	x.say(step)
	for _, threshold := range [...]int{60, 80, 90} {
		if threshold <= x.conv.Warned || step.Context.Percentage < float64(threshold) {
			continue
		}
		x.conv.Warned = threshold
		w := &event.ContextWarning{
			Threshold: threshold, Percentage: step.Context.Percentage, TokensUsed: step.Context.Used,
			TokensRemaining: max(x.room.window-step.Context.Used, 0),
		}
		x.say(w)
		warnings = append(warnings, w)
	}
	return warnings
}

// listener hears what comes out of one model call: pieces of the answer and events of providers.
type listener struct {
	x               *exchange
	text, reasoning *providers.RedactStream
	end             *providers.CallEnd
	attempts        int
}

// emit is the receiver of a streamed answer; nil asks for a whole one.
func (l *listener) emit(streaming bool) func(providers.Delta) error {
	if !streaming {
		return nil
	}
	l.text, l.reasoning = l.x.run.link.redact.Stream(), l.x.run.link.redact.Stream()
	learn := sync.OnceFunc(l.x.run.learn)
	return func(d providers.Delta) error {
		learn()
		if d.Reasoning != "" {
			l.thought(l.reasoning.Write(d.Reasoning))
		}
		if d.Text != "" {
			l.said(l.text.Write(d.Text))
		}
		return nil
	}
}

// flush gives out what was kept back because it could have been the beginning of a secret.
func (l *listener) flush() {
	if l.text != nil {
		l.thought(l.reasoning.Flush())
		l.said(l.text.Flush())
	}
}

func (l *listener) said(text string) {
	if text != "" {
		l.x.say(&event.ContentChunk{ChunkType: "content", Content: text})
	}
}

func (l *listener) thought(text string) {
	if text != "" {
		l.x.say(&event.ThinkingChunk{Content: text})
	}
}

// lower carries an event of providers.
func (l *listener) lower(e providers.Event) {
	if end, ok := e.(providers.CallEnd); ok {
		l.end, l.attempts = &end, end.Attempts
	}
	l.x.say(&event.Lower{Note: e})
}

// price is the usage with its cost: by the candidate that answered where the call's end says it, else by the model.
func (l *listener) price(u providers.Usage, p *providers.Price) event.Usage {
	if l.end != nil && l.end.Usage != nil && l.end.Usage.CostKnown && l.end.Usage.CostUSD != nil {
		return event.Usage{Usage: u, Cost: *l.end.Usage.CostUSD}
	}
	return event.Priced(u, p)
}
