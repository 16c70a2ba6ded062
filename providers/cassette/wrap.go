package cassette

import (
	"context"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

// Wrap stands in front of a chain. Under a context with a tape it answers from the tape and, when that records, asks m for
// what is missing; replaying, m is never called, so that no key and no network is needed. Without a tape it is m.
func Wrap(m providers.Model) providers.Model { return &wrapped{m} }

type wrapped struct{ model providers.Model }

func (w *wrapped) Name() string { return w.model.Name() }

// Capabilities are those of the model in the back.
func (w *wrapped) Capabilities() providers.Capabilities {
	if c, ok := w.model.(providers.Capable); ok {
		return c.Capabilities()
	}
	return providers.Capabilities{}
}

// Generate answers from the tape of ctx.
func (w *wrapped) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	t, _ := ctx.Value(tapeKey{}).(*Tape)
	if t == nil {
		return w.model.Generate(ctx, req, emit)
	}
	p := &play{tape: t, model: w, req: req, emit: emit, start: time.Now()}
	p.request, p.next = t.scrub.normalise(req)
	p.models = strings.Split(w.Name(), ", ")
	if e := t.take(p.request.key(), p.models); e != nil {
		return p.replay(ctx, e)
	}
	if !t.record {
		return p.miss(ctx)
	}
	return p.record(ctx)
}

// play is one call on a tape.
type play struct {
	tape    *Tape
	model   *wrapped
	req     *providers.Request
	emit    func(providers.Delta) error
	start   time.Time
	request *request
	next    int // number of the first tool call of the answer
	models  []string
}

func (p *play) replay(ctx context.Context, e *entry) (*providers.Response, error) {
	resp, err := p.tape.scrub.response(&e.answer)
	if err != nil {
		return p.end(ctx, nil, p.failure(providers.KindInvalidRequest, CodeBroken, "the answer recorded in "+p.tape.where(e)+" cannot be read: "+err.Error()))
	}
	if p.emit != nil {
		err = pieces(resp.Message, e.answer.Chunks, p.emit)
	}
	if err != nil || ctx.Err() != nil {
		kind := providers.KindCancelled
		if err == nil {
			kind = providers.KindOf(ctx.Err())
		}
		resp.Incomplete = true
		return p.end(ctx, resp, p.failure(kind, "", ""))
	}
	return p.end(ctx, resp, nil)
}

// record asks the model and keeps a complete answer.
func (p *play) record(ctx context.Context) (*providers.Response, error) {
	var chunks []int
	emit := p.emit
	if emit != nil {
		emit = func(d providers.Delta) error {
			if piece := d.Reasoning + d.Text; piece != "" {
				chunks = append(chunks, characters(piece))
			}
			return p.emit(d)
		}
	}
	resp, err := p.model.model.Generate(ctx, p.req, emit)
	if err != nil || resp == nil || resp.Incomplete {
		return resp, err
	}
	key := p.request.key()
	p.tape.add(&entry{
		key: key, made: key, agent: p.req.Caller.Agent, models: p.models, request: p.request,
		answer: p.tape.scrub.record(resp, chunks, p.next),
	})
	return resp, nil
}

// end reports a call that sent nothing.
func (p *play) end(ctx context.Context, resp *providers.Response, failed *providers.Error) (*providers.Response, error) {
	ev := providers.CallEnd{OK: failed == nil, DurationMS: time.Since(p.start).Milliseconds(), Replayed: true, Call: providers.NewCall(ctx)}
	if failed != nil {
		ev.Kind = failed.Kind
	}
	if resp != nil {
		ev.Candidate, ev.Rule = resp.Candidate, resp.Rule
		if resp.Usage != (providers.Usage{}) {
			priced := resp.Usage.Priced(p.price(resp))
			ev.Usage = &priced
		}
	}
	providers.Emit(ctx, ev)
	if failed != nil {
		return resp, failed
	}
	return resp, nil
}

// price is what the answer cost when it was given, as far as is known now.
func (p *play) price(resp *providers.Response) *providers.Price {
	if c := p.model.Capabilities(); c.Price != nil {
		return c.Price
	}
	c, _ := providers.Lookup(resp.Provider, resp.Model)
	return c.Price
}

func (p *play) failure(kind providers.Kind, code, hint string) *providers.Error {
	return &providers.Error{Kind: kind, Candidate: p.model.Name(), Code: code, Hint: hint, Terminal: true}
}
