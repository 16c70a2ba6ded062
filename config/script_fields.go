package config

import (
	"encoding/json"
	"regexp"
	"strings"
	"text/template"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// scriptFile is the top of a rule file.
type scriptFile struct {
	version Value[int]
	rules   Value[[]ScriptRule]
}

var scriptTable = lazyTable[scriptFile]{New: func() *table[scriptFile] {
	return newTable(
		value("version", count(1, 1), func(f *scriptFile) *Value[int] { return &f.version }).or("1").like("1").means("of this format"),
		value("rules", listOf("list of rules", mapping("rule", ruleTable.Get), func(d *decoder, n *yaml.Node, r *ScriptRule) bool {
			r.At = d.at(n)
			if d.lacks(n, "reply") {
				d.add(diag.New("E-KEY-MISSING", r.At, "the rule has no reply").Suggest("add reply: {text: …}"))
			}
			return true
		}), func(f *scriptFile) *Value[[]ScriptRule] { return &f.rules }).needed().
			like("[{when: {agent: reviewer, turn: 1}, reply: {text: Done.}}]").means("the first rule whose when holds answers"),
	)
}}

var ruleTable = lazyTable[ScriptRule]{New: func() *table[ScriptRule] {
	return newTable(
		with("name", text(), func(r *ScriptRule, v Value[string]) { r.Name = v.V }).or("rule N").like("reads the file").means("named in messages and events"),
		with("when", conditions(), func(r *ScriptRule, v Value[[]ScriptWhen]) { r.When = v.V }).or("always").
			like("{agent: reviewer, turn: 1}").means("conditions that must all hold; of a list, one"),
		with("times", count(1, 0), func(r *ScriptRule, v Value[int]) { r.Times = v.V }).like("1").means("it answers at most so often in a run"),
		with("reply", mapping("map", replyTable.Get), func(r *ScriptRule, v Value[ScriptReply]) { r.Reply = v.V }).needed().
			like("{text: Done.}").means("what it answers"),
	)
}}

var turnForm = lazy.MustCompile(`^((>=|<=|>|<)? *[0-9]+|[0-9]+ *\.\. *[0-9]+)$`)

var whenTable = lazyTable[ScriptWhen]{New: func() *table[ScriptWhen] {
	set := func(key string, s shape[string], to func(*ScriptWhen) *string) field[ScriptWhen] {
		return with(key, s, func(w *ScriptWhen, v Value[string]) { *to(w) = v.V })
	}
	turn := checked(text(), "number, \">=3\" or \"2..4\"", func(d *decoder, n *yaml.Node, v string) bool {
		if !turnForm.Get().MatchString(v) {
			d.wrong(n, `a number, ">=3" or "2..4"`)
			return false
		}
		return true
	})
	t := newTable(
		set("agent", text(), func(w *ScriptWhen) *string { return &w.Agent }).like("reviewer").means("the agent that asks"),
		set("model", text(), func(w *ScriptWhen) *string { return &w.Model }).like("script/review").means("the model of a chain that is asked"),
		set("turn", turn, func(w *ScriptWhen) *string { return &w.Turn }).like("\">=3\"").means("model calls of this agent in this run, from 1"),
		set("prompt_matches", pattern(), func(w *ScriptWhen) *string { return &w.Prompt }).like("(?i)review").means("the last user message"),
		set("system_matches", pattern(), func(w *ScriptWhen) *string { return &w.System }).like("strict").means("the system text"),
		set("tool_result_matches", pattern(), func(w *ScriptWhen) *string { return &w.ToolResult }).like("return nil").means("any result since the last answer"),
		set("tool", text(), func(w *ScriptWhen) *string { return &w.Tool }).like("Read").means("a tool that has a result since the last answer"),
		with("tool_error", boolean(), func(w *ScriptWhen, v Value[bool]) { w.ToolError = &v.V }).like("true").means("whether a result since the last answer is an error"),
		set("offered", text(), func(w *ScriptWhen) *string { return &w.Offered }).like("Write").means("a tool that the request offers"),
	)
	not := with("not", shape[ScriptWhen]{
		words:  "map of the same keys",
		schema: func() schema { return schema{"type": "object"} },
		read:   func(d *decoder, n *yaml.Node) (ScriptWhen, bool) { return d.condition(n, t) },
	}, func(w *ScriptWhen, v Value[ScriptWhen]) { w.Not = &v.V }).like("{agent: tester}").means("must not hold")
	t = newTable(append(t.fields, not)...)
	return t
}}

func (d *decoder) condition(n *yaml.Node, t *table[ScriptWhen]) (ScriptWhen, bool) {
	w, ok := mapping("map", func() *table[ScriptWhen] { return t }).read(d, n)
	w.At = d.at(n)
	return w, ok
}

// conditions is one map, or a list of maps of which one must hold.
func conditions() shape[[]ScriptWhen] {
	return shape[[]ScriptWhen]{
		words: "map, or list of maps",
		schema: func() schema {
			one := whenTable.Get().object()
			return schema{"anyOf": []schema{one, {"type": "array", "items": one}}}
		},
		read: func(d *decoder, n *yaml.Node) ([]ScriptWhen, bool) {
			nodes := []*yaml.Node{n}
			if n.Kind == yaml.SequenceNode {
				nodes = n.Content
			}
			before := len(d.ds)
			var out []ScriptWhen
			for _, c := range nodes {
				if w, ok := d.condition(c, whenTable.Get()); ok {
					out = append(out, w)
				}
			}
			return out, d.draft(len(out), before)
		},
	}
}

// pattern is a regular expression that compiles.
func pattern() shape[string] {
	return checked(text(), "regular expression (RE2)", func(d *decoder, n *yaml.Node, v string) bool {
		if _, err := regexp.Compile(v); err != nil {
			d.add(diag.New("E-PATTERN", d.at(n), "no regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: ")).
				Suggest("patterns are RE2: no look-around, no back-references"))
			return false
		}
		return true
	})
}

// templateFunctions are the names that templates of replies may call. Only their names count here: the script provider
// has the functions.
var templateFunctions = lazy.Value[template.FuncMap]{New: func() template.FuncMap {
	f := template.FuncMap{}
	for _, name := range []string{"join", "lines", "grep", "first", "last", "trim", "replace", "json", "quote", "raw"} {
		f[name] = func(...any) (any, error) { return nil, nil }
	}
	return f
}}

// templated is text that parses as a template.
func templated() shape[string] {
	return checked(text(), "template", func(d *decoder, n *yaml.Node, v string) bool { return d.parsesAsTemplate(n, v) })
}

func (d *decoder) parsesAsTemplate(n *yaml.Node, v string) bool {
	if !strings.Contains(v, "{{") {
		return true
	}
	_, err := template.New("reply").Funcs(templateFunctions.Get()).Parse(v)
	if err == nil {
		return true
	}
	_, message, _ := strings.Cut(strings.TrimPrefix(err.Error(), "template: reply:"), ": ")
	d.add(diag.New("E-TEMPLATE", d.at(n), "the template does not parse: %s", message).
		Suggest("it is a Go text/template over .Prompt, .System, .Agent, .Turn, .Match, .Results, .AllResults and .Messages"))
	return false
}

// errorKinds are the kinds of failure of the providers' reference that a reply may play.
var errorKinds = []string{
	"transport", "timeout", "rate_limit", "overloaded", "server", "quota", "auth", "permission", "not_found", "invalid_request",
	"orphan_tool_calls", "context_overflow", "content_filter", "truncated", "contract", "unknown",
}

var replyTable = lazyTable[ScriptReply]{New: func() *table[ScriptReply] {
	return newTable(
		value("text", templated(), func(r *ScriptReply) *Value[string] { return &r.Text }).like("Done.").means("the answer; with output: it is JSON"),
		value("thinking", templated(), func(r *ScriptReply) *Value[string] { return &r.Thinking }).like("I need the file.").means("reasoning before the answer"),
		with("tool_calls", listOf("list of calls", mapping("call", callTable.Get), func(d *decoder, n *yaml.Node, c *ScriptCall) bool {
			c.At = d.at(n)
			if c.Name == "" && !d.unread(n, "name") {
				d.add(diag.New("E-KEY-MISSING", c.At, "the call names no tool").Suggest("add name: TOOL"))
			}
			return true
		}), func(r *ScriptReply, v Value[[]ScriptCall]) { r.ToolCalls = v.V }).like("[{name: Read, input: {file_path: go.mod}}]").means("calls, which are carried out for real"),
		with("finish", word(nil, "stop", "tool_calls", "length", "content_filter"), func(r *ScriptReply, v Value[string]) { r.Finish = v.V }).
			like("length").means("why the answer ends"),
		with("usage", mapping("map", usageTable.Get), func(r *ScriptReply, v Value[ScriptUsage]) { r.Usage = &v.V }).
			or("estimated from the texts").like("{input: 120, output: 30}").means("tokens that it reports"),
		with("delay", span(bounds{}), func(r *ScriptReply, v Value[time.Duration]) { r.Delay = v.V }).like("50ms").means("time before the first word"),
		with("chunk_delay", span(bounds{}), func(r *ScriptReply, v Value[time.Duration]) { r.ChunkDelay = v.V }).like("5ms").means("time between the words of a stream"),
		with("error", mapping("map", failureTable.Get), func(r *ScriptReply, v Value[ScriptError]) { r.Error = &v.V }).
			like("{kind: rate_limit, status: 429, retry_after: 2s}").means("a failure instead of an answer"),
	)
}}

var callTable = lazyTable[ScriptCall]{New: func() *table[ScriptCall] {
	return newTable(
		with("name", text(), func(c *ScriptCall, v Value[string]) { c.Name = v.V }).needed().like("Read").means("the tool"),
		with("id", text(), func(c *ScriptCall, v Value[string]) { c.ID = v.V }).like("call_1").means("of the call; made when absent"),
		with("input", templatedJSON(), func(c *ScriptCall, v Value[json.RawMessage]) { c.Input = v.V }).or("{}").
			like("{file_path: go.mod}").means("its arguments; texts inside are templates"),
	)
}}

// templatedJSON is a map whose texts are templates.
func templatedJSON() shape[json.RawMessage] {
	return shape[json.RawMessage]{
		words:  "map",
		schema: func() schema { return schema{"type": "object"} },
		read: func(d *decoder, n *yaml.Node) (json.RawMessage, bool) {
			if n.Kind != yaml.MappingNode {
				d.wrong(n, "a map")
				return nil, false
			}
			raw, ok := d.toJSON(n)
			return raw, ok && d.leavesParse(n)
		},
	}
}

func (d *decoder) leavesParse(n *yaml.Node) bool {
	ok := n.Kind != yaml.ScalarNode || d.parsesAsTemplate(n, n.Value)
	for _, c := range n.Content {
		ok = d.leavesParse(c) && ok
	}
	return ok
}

var usageTable = lazyTable[ScriptUsage]{New: func() *table[ScriptUsage] {
	set := func(key string, to func(*ScriptUsage) *int) field[ScriptUsage] {
		return with(key, count(0, 0), func(u *ScriptUsage, v Value[int]) { *to(u) = v.V }).like("10")
	}
	return newTable(
		set("input", func(u *ScriptUsage) *int { return &u.Input }).means("tokens sent"),
		set("cached_input", func(u *ScriptUsage) *int { return &u.CachedInput }).means("of these, read from a cache"),
		set("cache_write", func(u *ScriptUsage) *int { return &u.CacheWrite }).means("of these, written into a cache"),
		set("output", func(u *ScriptUsage) *int { return &u.Output }).means("tokens received"),
		set("reasoning", func(u *ScriptUsage) *int { return &u.Reasoning }).means("of these, reasoning"),
	)
}}

var failureTable = lazyTable[ScriptError]{New: func() *table[ScriptError] {
	return newTable(
		with("kind", word(nil, errorKinds...), func(e *ScriptError, v Value[string]) { e.Kind = v.V }).needed().like("rate_limit").means("of failure"),
		with("status", count(100, 599), func(e *ScriptError, v Value[int]) { e.Status = v.V }).like("429").means("HTTP status"),
		with("code", text(), func(e *ScriptError, v Value[string]) { e.Code = v.V }).like("slow_down").means("the provider's own code"),
		with("retry_after", span(bounds{}), func(e *ScriptError, v Value[time.Duration]) { e.RetryAfter = v.V }).like("2s").means("the server's hint"),
		with("after", count(0, 0), func(e *ScriptError, v Value[int]) { e.After = v.V }).like("12").means("characters of text that are sent before it"),
	)
}}
