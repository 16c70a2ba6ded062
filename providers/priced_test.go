package providers_test

import (
	"context"
	"testing"

	"github.com/swarmrun/swarmrun/providers"
)

type priced struct{ price *providers.Price }

func (priced) Name() string { return "test/priced" }

func (priced) Generate(context.Context, *providers.Request, func(providers.Delta) error) (*providers.Response, error) {
	return nil, &providers.Error{Kind: providers.KindUnknown}
}

func (p priced) Capabilities() providers.Capabilities {
	return providers.Capabilities{Price: p.price}
}

func TestPriced(t *testing.T) {
	cheap, dear, unknown := priced{&providers.Price{}}, priced{&providers.Price{Input: 3}}, priced{}
	for _, tc := range []struct {
		name string
		m    providers.Model
		want bool
	}{
		{"known", dear, true},
		{"unknown", unknown, false},
		{"free is known", cheap, true},
		{"a chain of different prices", providers.Fallback(providers.DefaultPolicy(), cheap, dear), true},
		{"a chain with an unknown one", providers.Fallback(providers.DefaultPolicy(), cheap, unknown), false},
	} {
		if got := providers.Priced(tc.m); got != tc.want {
			t.Errorf("%s: got %v", tc.name, got)
		}
	}
}
