package script

import (
	"context"
	"errors"
	"time"
	"unicode"

	"github.com/swarmrun/swarmrun/providers"
)

// play is one answer on its way out.
type play struct {
	model  *model
	rule   *rule
	req    *providers.Request
	emit   func(providers.Delta) error // nil = unary
	wanted said
	sent   said // text and thinking that were emitted
}

func (p *play) run(ctx context.Context) (*providers.Response, error) {
	r := p.rule.reply
	if err := wait(ctx, r.Delay); err != nil {
		return p.stopped(ctx)
	}
	if f := r.Error; f != nil {
		if err := p.stream(ctx, "", cut(p.wanted.text, f.After)); err != nil {
			return p.stopped(ctx)
		}
		e := p.model.failure(f.Kind)
		e.Status, e.Code, e.RetryAfter = f.Status, f.Code, f.RetryAfter
		if f.RetryAfter > 0 {
			e.HintSource = "retry_after"
		}
		return p.failed(e)
	}
	if err := p.stream(ctx, p.wanted.thinking, p.wanted.text); err != nil || ctx.Err() != nil {
		return p.stopped(ctx)
	}
	switch finish := r.Finish; {
	case finish == finishLength:
		p.sent = said{text: p.wanted.text, thinking: p.wanted.thinking}
		return p.failed(p.model.failure(providers.KindTruncated))
	case finish == finishContentFilter:
		return p.failed(p.model.failure(providers.KindContentFilter))
	case finish == string(providers.FinishToolCalls) && len(p.wanted.calls) == 0:
		return p.failed(p.model.failure(providers.KindContract))
	case finish == "" && len(p.wanted.calls) > 0:
		return p.response(p.wanted.message(true), providers.FinishToolCalls), nil
	case finish == "":
		return p.response(p.wanted.message(true), providers.FinishStop), nil
	default:
		return p.response(p.wanted.message(true), providers.Finish(finish)), nil
	}
}

// stream emits words, thinking first.
func (p *play) stream(ctx context.Context, thinking, text string) error {
	if p.emit == nil {
		return nil
	}
	first := true
	send := func(word string, d providers.Delta, sent *string) error {
		if !first {
			if err := wait(ctx, p.rule.reply.ChunkDelay); err != nil {
				return err
			}
		}
		first = false
		*sent += word
		return p.emit(d)
	}
	for word := range words(thinking) {
		if err := send(word, providers.Delta{Reasoning: word}, &p.sent.thinking); err != nil {
			return err
		}
	}
	for word := range words(text) {
		if err := send(word, providers.Delta{Text: word}, &p.sent.text); err != nil {
			return err
		}
	}
	return nil
}

// stopped is the end of a call whose ctx is done or whose consumer refused a piece.
func (p *play) stopped(ctx context.Context) (*providers.Response, error) {
	kind := providers.KindCancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind = providers.KindDeadline
	}
	e := p.model.failure(kind)
	e.Terminal = true
	return p.failed(e)
}

// failed adds what was seen of the answer to a failure past the commit point.
func (p *play) failed(e *providers.Error) (*providers.Response, error) {
	if p.sent.text == "" && p.sent.thinking == "" {
		return nil, e
	}
	if p.emit != nil {
		e.Committed, e.Terminal = true, true
	}
	r := p.response(p.sent.message(false), "")
	r.Incomplete, r.Usage.Partial = true, true
	return r, e
}

func (p *play) response(m providers.Message, finish providers.Finish) *providers.Response {
	who := p.model.Identity()
	r := &providers.Response{
		Message: m, Finish: finish, Candidate: who.Candidate, Provider: who.Provider, Model: who.Model, Rule: p.rule.name,
	}
	if u := p.rule.reply.Usage; u != nil {
		r.Usage = *u
	} else {
		r.Usage = estimate(p.req, m)
	}
	return r
}

// wait sleeps unless ctx is done, and wakes when it is.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// words cuts a text after each run of blanks; the pieces joined are the text.
func words(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for s != "" {
			end, blank := len(s), false
			for i, r := range s {
				if blank && !unicode.IsSpace(r) {
					end = i
					break
				}
				blank = unicode.IsSpace(r)
			}
			if !yield(s[:end]) {
				return
			}
			s = s[end:]
		}
	}
}

// cut keeps the first n characters.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// estimate is for runs without reported usage: they still have figures, and always the same.
func estimate(req *providers.Request, answer providers.Message) providers.Usage {
	said := providers.Request{Messages: []providers.Message{answer}}
	u := providers.Usage{Input: req.EstimateTokens(), Output: said.EstimateTokens()}
	for _, p := range answer.Parts {
		if r, ok := p.(providers.Reasoning); ok {
			thought := providers.Request{System: r.Text}
			u.Reasoning += thought.EstimateTokens()
		}
	}
	return u
}
