package loader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/cassette"
)

// clients makes the models of a graph, each client once. Chains are asked for while runs go on, so it is safe for
// concurrent use.
type clients struct {
	table   *modelTable
	env     *Environment
	limits  *providers.Limits
	lookup  func(string) (string, bool)
	retry   *config.Retry // of the workspace
	mu      sync.Mutex
	clients map[string]providers.Model // by candidate
	chains  map[string]providers.Model // by candidates and policy
}

func newClients(w *world, o *settled) *clients {
	return &clients{
		table: w.models, env: o.env, limits: o.env.processLimits(), lookup: o.lookup, retry: w.settings.Retry,
		clients: map[string]providers.Model{}, chains: map[string]providers.Model{},
	}
}

// named resolves a reference that is known only at run time.
func (c *clients) named(ref string) (providers.Model, error) {
	chain, ds := c.table.chain([]config.Ref{{V: ref, At: diag.Range{File: ref}}}, false)
	for _, d := range ds {
		if d.Severity == diag.Error {
			return nil, fmt.Errorf("%w: %s; %s", agents.ErrNoModel, d.Summary, d.Suggestion)
		}
	}
	for _, m := range chain {
		if m.script != nil && m.script.model == nil {
			return nil, &diag.ListError{List: errorsOf(m.script.diags)}
		}
	}
	if len(chain) == 0 {
		return nil, fmt.Errorf("%w: the chain of %q is invalid, see swarmrun validate", agents.ErrNoModel, ref)
	}
	return c.chain(chain, c.retry), nil
}

// chain is the model of a chain of candidates under a retry block (nil = the defaults), nil for none: what a cassette replays stands in front of
// what repeats and advances, and that in front of the clients.
func (c *clients) chain(candidates []candidate, own *config.Retry) providers.Model {
	if len(candidates) == 0 {
		return nil
	}
	p := policy(own)
	key := []string{fmt.Sprintf("%+v", p)}
	for _, m := range candidates {
		key = append(key, m.id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := fingerprint(key)
	if m, ok := c.chains[k]; ok {
		return m
	}
	members := make([]providers.Model, 0, len(candidates))
	for _, m := range candidates {
		members = append(members, c.client(m))
	}
	p.Limits = c.limits
	m := cassette.Wrap(providers.Fallback(p, members...))
	c.chains[k] = m
	return m
}

// client is the one-shot client of a candidate. c.mu is held.
func (c *clients) client(m candidate) providers.Model {
	if made, ok := c.clients[m.id]; ok {
		return made
	}
	made := c.build(m)
	c.clients[m.id] = made
	return made
}

func (c *clients) build(m candidate) providers.Model {
	if m.script != nil {
		if m.script.model == nil {
			return unbuilt{m.label(), errors.New("its rule file did not load")}
		}
		return m.script.model
	}
	p, _ := c.table.provider(m)
	family := c.env.Families[p.Family]
	if family == nil {
		return unbuilt{m.label(), fmt.Errorf("this program has no client for %s", p.Family)}
	}
	transport := c.env.HTTP
	if transport == nil {
		transport = http.DefaultTransport
	}
	cand := providers.Candidate{
		Label: m.label(), Provider: m.provider, Model: m.model, BaseURL: c.baseURL(m, p), Limits: m.caps, Transport: transport,
		Headers: headers(m, p),
	}
	if p.entry != nil {
		cand.APIVersion = p.entry.APIVersion.V
	}
	if e := m.entry; e != nil {
		cand.APIVersion = e.APIVersion.Or(cand.APIVersion)
		cand.Parameters = bodyKeys(e.Parameters.V)
		cand.Window, cand.MaxOutput = e.ContextWindow.V, e.MaxOutput.V
	}
	k := c.key(m, p)
	cand.Key, cand.KeyID = k.get, k.id()
	made, err := family(cand)
	if err != nil {
		return unbuilt{m.label(), err}
	}
	return made
}

// baseURL is where a candidate is reached: as its entry says, its provider's, a variable, or the built-in place.
func (c *clients) baseURL(m candidate, p provider) string {
	if at := written(m, p); at.Set() {
		return at.V
	}
	if p.BaseURLVar != "" {
		if v, ok := c.lookup(p.BaseURLVar); ok && v != "" {
			return v
		}
	}
	return p.BaseURL
}

// bodyKeys are request settings under the names that they have in request bodies.
func bodyKeys(p config.Parameters) map[string]json.RawMessage {
	out := maps.Clone(p.Extra)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	put := func(key string, v any) {
		if b, err := json.Marshal(v); err == nil { // numbers and texts always are
			out[key] = b
		}
	}
	if p.Temperature != nil {
		put("temperature", *p.Temperature)
	}
	if p.TopP != nil {
		put("top_p", *p.TopP)
	}
	if p.MaxTokens > 0 {
		put("max_tokens", p.MaxTokens)
	}
	if len(p.Stop) > 0 {
		put("stop", p.Stop)
	}
	return out
}

// policy is a retry block as the chain wants it. A nil block is the default.
func policy(r *config.Retry) providers.Policy {
	p := providers.DefaultPolicy()
	if r == nil {
		return p
	}
	if r.Preset.V == "swarmsdk-v2" {
		p = providers.SwarmSDKv2Policy()
	}
	p.Attempts = r.Attempts.Or(p.Attempts)
	p.Deadline = r.Deadline.Or(p.Deadline)
	p.ChildDeadline = r.ChildDeadline.Or(p.ChildDeadline)
	p.AnswerDeadline = r.AnswerDeadline.Or(p.AnswerDeadline)
	p.AttemptTimeout = r.AttemptTimeout.Or(p.AttemptTimeout)
	p.IdleTimeout = r.IdleTimeout.Or(p.IdleTimeout)
	p.StrictIdle = r.StrictIdle.Or(p.StrictIdle)
	if r.Backoff.Set() {
		p.Fixed = r.Backoff.V == "fixed"
	}
	p.Base = r.Base.Or(p.Base)
	p.MaxWait = r.MaxWait.Or(p.MaxWait)
	p.Jitter = r.Jitter.Or(p.Jitter)
	for _, k := range r.FallbackOn.V {
		p.FallbackOn = append(p.FallbackOn, providers.Kind(k.V))
	}
	return p
}

// unbuilt stands for a client that cannot be made: its calls say why, and the rest of the workspace works.
type unbuilt struct {
	name string
	err  error
}

func (u unbuilt) Name() string { return u.name }

func (u unbuilt) Generate(context.Context, *providers.Request, func(providers.Delta) error) (*providers.Response, error) {
	return nil, &providers.Error{Kind: providers.KindInvalidRequest, Candidate: u.name, Hint: u.err.Error()}
}

// secrets are the values of all keys that the settings and the environment hold.
func (c *clients) secrets() []string {
	var out []string
	add := func(v string) {
		if len(v) >= minSecret && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, e := range c.table.entries {
		add(e.APIKey.V)
	}
	for _, p := range c.table.providers {
		if p.entry != nil {
			add(p.entry.APIKey.V)
		}
		for _, name := range p.KeyVars {
			v, _ := c.lookup(name)
			add(v)
		}
	}
	slices.Sort(out)
	return out
}

// minSecret is the shortest value that is taken for a key: "none" and the like stand in settings of servers without one,
// and blanking them would blank ordinary words.
const minSecret = 8
