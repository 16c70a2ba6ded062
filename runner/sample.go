package runner

import (
	"context"
	"errors"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
)

// sampler answers tools with the calling agent's own model, on the run's budget.
type sampler struct{ x *exchange }

// sampler is nil where no model works.
func (x *exchange) sampler() tools.Sampler {
	if x.model == nil {
		return nil
	}
	return sampler{x}
}

// Sample makes one model call without tools.
func (s sampler) Sample(ctx context.Context, system, prompt string) (string, error) {
	return s.x.sample(ctx, s.x.model, system, prompt)
}

// sample asks a model without tools, on the run's budget.
func (x *exchange) sample(ctx context.Context, m providers.Model, system, prompt string) (string, error) {
	if f := x.run.link.meter.over(); f != nil {
		return "", errors.New(f.message)
	}
	ears := &listener{x: x}
	resp, err := m.Generate(providers.WithSink(ctx, ears.lower), &providers.Request{
		System: system, Messages: []providers.Message{providers.UserText(prompt)},
		Caller: x.caller(),
	}, nil)
	if resp != nil {
		u := ears.price(resp.Usage, capabilities(m).Price)
		x.run.link.meter.charge(x.agent.Name, resp.Candidate, 0, max(resp.Attempts, ears.attempts), u)
	}
	if err != nil {
		return "", err
	}
	return resp.Message.Text(), nil
}
