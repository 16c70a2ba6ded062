package providers

import (
	"context"
	"strings"
	"time"
)

// Retry repeats calls of m as p says: a chain of one.
func Retry(m Model, p Policy) Model { return Fallback(p, m) }

// Fallback tries ms in order and repeats as p says. Chains among ms are flattened and their own policies ignored. With an
// invalid policy or without a model, each call is refused with invalid_request and nothing is sent.
func Fallback(p Policy, ms ...Model) Model {
	c := &chain{policy: p}
	for _, m := range ms {
		if inner, ok := m.(*chain); ok {
			c.members = append(c.members, inner.members...)
			continue
		}
		c.members = append(c.members, newMember(m))
	}
	names := make([]string, len(c.members))
	for i, m := range c.members {
		names[i] = m.who.Candidate
	}
	c.name = strings.Join(names, ", ")
	return c
}

// chain is Retry and Fallback: the one place where calls are repeated, wait and advance.
type chain struct {
	name    string
	policy  Policy
	members []*member
}

type member struct {
	model      Model
	who        Identity
	credential string
	price      *Price
}

func newMember(m Model) *member {
	out := &member{model: m, who: Identity{Candidate: m.Name()}}
	if id, ok := m.(Identified); ok {
		out.who = id.Identity()
	} else {
		out.who.Provider, out.who.Model, _ = strings.Cut(m.Name(), "/")
	}
	if c, ok := m.(Credentialed); ok {
		out.credential = c.CredentialID()
	}
	if c, ok := m.(Capable); ok {
		out.price = c.Capabilities().Price
	}
	return out
}

func (c *chain) Name() string { return c.name }

// Capabilities are what every member can do.
func (c *chain) Capabilities() Capabilities {
	var all Capabilities
	for i, m := range c.members {
		var one Capabilities
		if k, ok := m.model.(Capable); ok {
			one = k.Capabilities()
		}
		if i == 0 {
			all = one
			continue
		}
		all = all.intersect(one)
	}
	return all
}

func (a Capabilities) intersect(b Capabilities) Capabilities {
	out := Capabilities{
		ContextWindow: smaller(a.ContextWindow, b.ContextWindow), MaxOutput: smaller(a.MaxOutput, b.MaxOutput),
		Images: a.Images && b.Images, Thinking: a.Thinking && b.Thinking,
	}
	if a.Price != nil && b.Price != nil && *a.Price == *b.Price {
		out.Price = a.Price
	}
	return out
}

// smaller is the smaller of two limits of which 0 means unknown.
func smaller(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Generate makes one logical call.
func (c *chain) Generate(ctx context.Context, req *Request, emit func(Delta) error) (*Response, error) {
	start := time.Now()
	r := &call{chain: c, id: NewCall(ctx), req: req, emit: emit}
	resp, e := r.open(ctx)
	end := CallEnd{Call: r.id, OK: e == nil, Attempts: r.sends, DurationMS: time.Since(start).Milliseconds()}
	if r.last != nil {
		end.Candidate = r.last.who.Candidate
	}
	if resp != nil {
		resp.Attempts = r.sends
		end.Rule = resp.Rule
		if resp.Usage != (Usage{}) {
			priced := resp.Usage.Priced(r.last.price)
			end.Usage = &priced
		}
	}
	if e != nil {
		end.Kind = e.Kind
	}
	Emit(ctx, end)
	if e != nil {
		return resp, e
	}
	return resp, nil
}
