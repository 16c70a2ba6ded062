package config

import (
	"math"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// trees are the names of foreign trees that include may list.
var trees = []string{"claude", "mcp.json", "agents-skills", "copilot", "gemini", "opencode"}

// settingsTable is the fields of swarmrun.yaml.
var settingsTable = lazyTable[Settings]{New: func() *table[Settings] {
	return newTable(
		with("version", count(1, 1), func(*Settings, Value[int]) {}).or("1").like("1").means("of this format"),
		value("name", text(), func(s *Settings) *Value[string] { return &s.Name }).or("the folder's name").like("support").means("of the workspace"),
		value("root", text(), func(s *Settings) *Value[string] { return &s.Root }).or(".").like("ai").means("folder that holds agents, tools and the other folders"),
		value("default_agent", text(), func(s *Settings) *Ref { return &s.DefaultAgent }).like("triage").means("agent that runs where none is named"),
		value("models", entries("map of names to models", modelEntry(), nameModel),
			func(s *Settings) *Value[[]ModelEntry] { return &s.models }).
			like("{smart: [anthropic/claude-sonnet-4-5, openai/gpt-5], local: {provider: openai, model: qwen3}}").
			means("names for models: a reference, a chain of them, or a model with settings of its own"),
		value("providers", entries("map of names to providers", mapping("map", providerTable.Get), func(_ *decoder, e *ProviderEntry, name Ref, read, _ bool) {
			if e.Name = name; !read {
				e.BaseURL.Key = name.Key
			}
		}),
			func(s *Settings) *Value[[]ProviderEntry] { return &s.providers }).
			like("{openai: {api_key: \"${OPENAI_API_KEY}\"}}").means("keys, addresses and limits of providers"),
		with("defaults", defaultAgent(), func(s *Settings, v Value[Agent]) { s.Defaults = &v.V }).
			like("{model: smart, max_turns: 50}").means("fields of every agent that leaves them out"),
		with("retry", mapping("map", retryTable.Get), func(s *Settings, v Value[Retry]) { s.Retry = &v.V }).
			like("{attempts: 4, deadline: 90s}").means("how model calls are tried again"),
		with("permissions", permissions(), func(s *Settings, v Value[Permissions]) { s.Permissions = v.V; s.Permissions.At = v.KeyAt() }).guarded().
			like("{deny: [\"Bash(rm *)\"]}").means("rules added to every agent's"),
		value("budget", budget(), func(s *Settings) *Value[Budget] { return &s.Budget }).
			like("{cost: 2.00, tokens: 500000}").means("money and tokens of one run with all its children"),
		with("sandbox", mapping("map", sandboxTable.Get), func(s *Settings, v Value[Sandbox]) { s.Sandbox = v.V }).guarded().
			like("{mode: require, network: none}").means("how children of the program are confined"),
		value("include", kinds(trees...), func(s *Settings) *Value[[]Ref] { return &s.Include }).
			or("all that exist").like("[claude]").means("trees of other programs that are read; [] is none"),
		idle("memory", "settings", func(s *Settings) *[]Ref { return &s.Inactive }).means("defaults of long-term memory"),
	)
}}

// defaultAgent is the fields of an agent, without those that make it the one it is.
func defaultAgent() shape[Agent] {
	m := mapping("fields of an agent", agentTable.Get)
	return shape[Agent]{
		words: m.words,
		schema: func() schema {
			s := m.schema()
			delete(s, "required")
			for _, own := range []string{"name", "description"} {
				s["properties"].(schema)[own] = schema{"not": schema{}}
			}
			return s
		},
		read: func(d *decoder, n *yaml.Node) (Agent, bool) {
			f := newAgentFile()
			if n.Kind != yaml.MappingNode {
				d.wrong(n, "a map")
				return f.Agent, false
			}
			d.inside(func() { decode(d, n, agentTable.Get(), f) })
			eachPair(n, func(k, _ *yaml.Node) {
				if k.Value == "name" || k.Value == "description" {
					d.add(diag.New("E-KEY-UNKNOWN", d.at(k), "agents cannot share their name or description").Suggest("remove the line"))
				}
			})
			d.combineFields(f)
			return f.Agent, true
		},
	}
}

// nameModel gives a model its name, which must not look like a reference to a provider's model.
func nameModel(d *decoder, e *ModelEntry, name Ref, _, sound bool) {
	e.Name, e.broken = name, !sound
	if strings.Contains(name.V, "/") {
		d.add(diag.New("E-NAME", name.At, "the name of a model cannot hold a slash: %s", shown(name.V)).
			Suggest("write %q", strings.ReplaceAll(name.V, "/", "-")))
		e.broken = true
	}
}

// modelEntry is a reference, a chain of them, or a model with settings of its own.
func modelEntry() shape[ModelEntry] {
	chain := list("references", false, true)
	return shape[ModelEntry]{
		words: "reference, list of references, or map",
		schema: func() schema {
			return schema{"anyOf": []schema{{"type": "string"}, {"type": "array", "items": schema{"type": "string"}}, modelTable.Get().object()}}
		},
		read: func(d *decoder, n *yaml.Node) (ModelEntry, bool) {
			if n.Kind != yaml.MappingNode {
				refs, ok := chain.read(d, n)
				if ok && len(refs) == 0 {
					ok = false
					d.add(diag.New("E-VALUE-TYPE", d.at(n), "a chain needs at least one model").Suggest("write provider/model"))
				}
				return ModelEntry{Chain: refs}, ok
			}
			e, ok := mapping("map", modelTable.Get).read(d, n)
			for _, key := range []string{"provider", "model"} {
				switch {
				case !d.lacks(n, key):
				case d.absent[n]:
					ok = false
				default:
					d.add(diag.New("E-KEY-MISSING", d.at(n), "the model has no %s", key).Suggest("add %s:", key))
				}
			}
			return e, ok
		},
	}
}

var modelTable = lazyTable[ModelEntry]{New: func() *table[ModelEntry] {
	return newTable(
		value("provider", text(), func(e *ModelEntry) *Ref { return &e.Provider }).needed().like("openai").means("name of a provider"),
		value("model", text(), func(e *ModelEntry) *Value[string] { return &e.Model }).needed().like("qwen3").means("the provider's name of the model"),
		value("base_url", address(), func(e *ModelEntry) *Value[string] { return &e.BaseURL }).like("http://127.0.0.1:8000/v1").means("address instead of the provider's"),
		secret(func(e *ModelEntry) (*Value[string], *string) { return &e.APIKey, &e.KeyVar }).like("\"${LOCAL_KEY:-none}\"").means("key instead of the provider's"),
		value("api_version", text(), func(e *ModelEntry) *Value[string] { return &e.APIVersion }).like("2025-01-01").means("of the protocol, where there are several"),
		with("headers", placedMap(), func(e *ModelEntry, v Value[map[string]Ref]) { e.Headers = v.V }).like("{x-team: docs}").means("request headers"),
		value("parameters", parameters(), func(e *ModelEntry) *Value[Parameters] { return &e.Parameters }).like("{temperature: 0}").means("request settings"),
		value("context_window", count(1, 0), func(e *ModelEntry) *Value[int] { return &e.ContextWindow }).like("32768").means("tokens that it takes"),
		value("max_output", count(1, 0), func(e *ModelEntry) *Value[int] { return &e.MaxOutput }).like("8192").means("tokens that it answers with at most"),
		value("price", mapping("map", priceTable.Get), func(e *ModelEntry) *Value[Price] { return &e.Price }).like("{input: 0.5, output: 1.5}").
			means("US dollars per million tokens"),
	)
}}

var priceTable = lazyTable[Price]{New: func() *table[Price] {
	set := func(key string, to func(*Price) *float64) field[Price] {
		return with(key, number(0, math.Inf(1)), func(p *Price, v Value[float64]) { *to(p) = v.V }).like("0.5")
	}
	return newTable(
		set("input", func(p *Price) *float64 { return &p.Input }).means("tokens sent"),
		set("output", func(p *Price) *float64 { return &p.Output }).means("tokens received"),
		set("cached_input", func(p *Price) *float64 { return &p.CachedInput }).means("tokens read from the provider's cache"),
		set("cache_write", func(p *Price) *float64 { return &p.CacheWrite }).means("tokens written into it"),
	)
}}

var providerTable = lazyTable[ProviderEntry]{New: func() *table[ProviderEntry] {
	return newTable(
		value("type", word(nil, "openai", "anthropic"), func(e *ProviderEntry) *Value[string] { return &e.Type }).or("openai").like("anthropic").
			means("protocol of a provider that is not built in"),
		secret(func(e *ProviderEntry) (*Value[string], *string) { return &e.APIKey, &e.KeyVar }).or("the provider's variable").
			like("\"${OPENAI_API_KEY}\"").means("key; write a variable, never the key itself"),
		value("base_url", address(), func(e *ProviderEntry) *Value[string] { return &e.BaseURL }).like("https://models.example.org/v1").
			means("address; with the version segment, but for anthropic"),
		with("headers", placedMap(), func(e *ProviderEntry, v Value[map[string]Ref]) { e.Headers = v.V }).like("{x-team: docs}").means("request headers"),
		value("api_version", text(), func(e *ProviderEntry) *Value[string] { return &e.APIVersion }).like("2025-01-01").means("of the protocol"),
		value("limits", mapping("map", limitsTable.Get), func(e *ProviderEntry) *Value[Limits] { return &e.Limits }).
			like("{concurrency: 8, requests_per_minute: 500}").means("shared by all agents of the process"),
		value("breaker", mapping("map", breakerTable.Get), func(e *ProviderEntry) *Value[Breaker] { return &e.Breaker }).
			like("{failures: 5, open_for: 30s}").means("a provider that keeps failing is left alone for a while"),
	)
}}

var limitsTable = lazyTable[Limits]{New: func() *table[Limits] {
	set := func(key string, to func(*Limits) *int) field[Limits] {
		return with(key, count(1, 0), func(l *Limits, v Value[int]) { *to(l) = v.V }).like("60")
	}
	return newTable(
		set("concurrency", func(l *Limits) *int { return &l.Concurrency }).means("calls at a time"),
		set("requests_per_minute", func(l *Limits) *int { return &l.RequestsPerMinute }).means("calls in a minute"),
		set("tokens_per_minute", func(l *Limits) *int { return &l.TokensPerMinute }).means("tokens in a minute"),
	)
}}

var breakerTable = lazyTable[Breaker]{New: func() *table[Breaker] {
	return newTable(
		with("failures", count(1, 0), func(b *Breaker, v Value[int]) { b.Failures = v.V }).like("5").means("transient failures in a row that open it"),
		with("open_for", span(bounds{above: true}), func(b *Breaker, v Value[time.Duration]) { b.OpenFor = v.V }).like("30s").means("time until it is tried again"),
	)
}}

var sandboxTable = lazyTable[Sandbox]{New: func() *table[Sandbox] {
	return newTable(
		value("mode", word(nil, "auto", "require", "off"), func(s *Sandbox) *Value[string] { return &s.Mode }).guarded().or("auto").like("require").
			means("auto: as far as the system can; require: refuse without"),
		value("network", word(nil, "host", "none"), func(s *Sandbox) *Value[string] { return &s.Network }).guarded().or("host").like("none").means("what children reach"),
		value("sockets", boolean(), func(s *Sandbox) *Value[bool] { return &s.Sockets }).guarded().or("false").like("true").
			means("children may speak to daemons (docker, ssh-agent, databases) through socket files"),
		with("read", list("list of paths", false, false), func(s *Sandbox, v Value[[]Ref]) { s.Read = v.V }).guarded().like("[~/.cache/models]").means("more paths that children may read"),
		with("write", list("list of paths", false, false), func(s *Sandbox, v Value[[]Ref]) { s.Write = v.V }).guarded().like("[~/.npm]").means("more paths that children may read and write"),
		with("env", list("list of names", false, false), func(s *Sandbox, v Value[[]Ref]) { s.Env = v.V }).guarded().like("[GOPROXY]").means("more variables that children get"),
	)
}}

// secret is the field of a key; variable gets the name of the variable that the value is alone.
func secret[T any](to func(*T) (key *Value[string], variable *string)) field[T] {
	f := with("api_key", text(), func(*T, Value[string]) {})
	f.read = func(d *decoder, out *T, k, n *yaml.Node) {
		d.hiding(func() {
			if v, ok := text().read(d, n); ok {
				key, variable := to(out)
				*key, *variable = Value[string]{V: v, At: d.at(n), Key: d.at(k).Span()}, d.from[n]
			}
		})
	}
	return f
}

// address is the URL of an HTTP server.
func address() shape[string] {
	return checked(text(), "URL", func(d *decoder, n *yaml.Node, v string) bool {
		if !strings.HasPrefix(v, "http://") && !strings.HasPrefix(v, "https://") {
			d.wrong(n, "a URL that begins with http:// or https://")
			return false
		}
		return true
	})
}
