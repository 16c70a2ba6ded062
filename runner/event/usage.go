package event

import (
	"encoding/json"

	"github.com/swarmrun/swarmrun/providers"
)

// Usage is tokens and what they cost. The zero Usage is nothing, at a known price.
type Usage struct {
	providers.Usage
	Cost     float64 // US dollars; meaningless when Unpriced
	Unpriced bool    // a price in the sum is unknown
}

// Priced is a usage at a price; nil is an unknown one.
func Priced(u providers.Usage, p *providers.Price) Usage {
	if p == nil {
		return Usage{Usage: u, Unpriced: u != providers.Usage{}}
	}
	return Usage{Usage: u, Cost: p.Cost(u)}
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{Usage: u.Usage.Add(v.Usage), Cost: u.Cost + v.Cost, Unpriced: u.Unpriced || v.Unpriced}
}

// Tokens is input and output together.
func (u Usage) Tokens() int { return u.Input + u.Output }

type usageJSON struct {
	Input       int      `json:"input_tokens"`
	CachedInput int      `json:"cached_tokens"`
	CacheWrite  int      `json:"cache_creation_tokens"`
	Output      int      `json:"output_tokens"`
	Reasoning   int      `json:"reasoning_tokens"`
	Cost        *float64 `json:"cost_usd"`
	CostKnown   bool     `json:"cost_known"`
	Partial     bool     `json:"partial,omitempty"`
}

// MarshalJSON writes cost_usd as null when a price is unknown, never as 0.
func (u Usage) MarshalJSON() ([]byte, error) {
	out := usageJSON{u.Input, u.CachedInput, u.CacheWrite, u.Output, u.Reasoning, &u.Cost, !u.Unpriced, u.Partial}
	if u.Unpriced {
		out.Cost = nil
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (u *Usage) UnmarshalJSON(b []byte) error {
	var in usageJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*u = Usage{
		Usage: providers.Usage{
			Input: in.Input, CachedInput: in.CachedInput, CacheWrite: in.CacheWrite,
			Output: in.Output, Reasoning: in.Reasoning, Partial: in.Partial,
		},
		Unpriced: !in.CostKnown,
	}
	if in.Cost != nil {
		u.Cost = *in.Cost
	}
	return nil
}
