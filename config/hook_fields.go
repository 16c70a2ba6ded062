package config

import (
	"encoding/json"
	"time"

	"gopkg.in/yaml.v3"
)

// hookTable is the fields of a hook file.
var hookTable = lazyTable[Hook]{New: func() *table[Hook] {
	names := list("list of names", false, false)
	return newTable(
		value("name", text(), func(h *Hook) *Ref { return &h.NameRef }).
			or("file name").like("no-keys").means("what agents list it by"),
		value("description", text(), func(h *Hook) *Value[string] { return &h.Summary }).
			or("first paragraph of the body").like("Refuses to write keys.").means("what it is for; lists show it"),
		value("event", list("name, or list of names", false, false), func(h *Hook) *Value[[]Ref] { return &h.Events }).guarded().needed().
			like("before_tool").means("when it runs; names of SwarmSDK and Claude Code are understood"),
		value("match", patterns(), func(h *Hook) *Value[string] { return &h.Match }).guarded().
			or("everything").like("\"Write|Edit\"").means("tools: exact name, list, or regular expression (RE2, unanchored)"),
		value("if", one("write one permission rule"), func(h *Hook) *Ref { return &h.If }).guarded().
			like("\"Edit(src/**)\"").means("permission rule that a call must fit besides match"),
		value("run", one(commandLine), func(h *Hook) *Value[string] { return &h.Run }).guarded().
			or("the first fenced block").like("./check.sh").means("command line; the event is JSON on stdin"),
		value("http", one("write one address"), func(h *Hook) *Value[string] { return &h.HTTP }).guarded().
			like("\"https://example.com/hook\"").means("URL that the event is posted to"),
		value("headers", textMap(), func(h *Hook) *Value[map[string]string] { return &h.Headers }).
			or("{}").like("{authorization: \"Bearer $HOOK_TOKEN\"}").means("of http; $NAME stands for a variable that allowed_env names"),
		value("allowed_env", names, func(h *Hook) *Value[[]Ref] { return &h.AllowedEnv }).also("allowedEnvVars").
			or("[]").like("[HOOK_TOKEN]").means("variables that headers may hold"),
		value("prompt", text(), func(h *Hook) *Value[string] { return &h.Prompt }).
			like("Is this command harmless? $ARGUMENTS").means("yes/no question to a model; $ARGUMENTS is the event"),
		value("model", text(), func(h *Hook) *Ref { return &h.Model }).
			or("the agent's").like("fast").means("of prompt"),
		value("go", one("write one name"), func(h *Hook) *Ref { return &h.Go }).guarded().
			like("audit").means("hook that the program itself brings, for embedders"),
		value("timeout", span(bounds{above: true}), func(h *Hook) *Value[time.Duration] { return &h.Timeout }).
			or("60s").like("10s").means("time of one run of it"),
		value("on_error", word(nil, "deny", "allow"), func(h *Hook) *Value[string] { return &h.OnError }).guarded().
			or("deny for before_*, else allow").like("allow").means("what a crash, a missing program or a timeout means"),
		value("scope", word(nil, "workspace", "listed"), func(h *Hook) *Value[string] { return &h.Scope }).guarded().
			or("workspace").like("listed").means("workspace: every agent; listed: agents that name it"),
		value("env", textMap(), func(h *Hook) *Value[map[string]string] { return &h.Env }).
			or("{}").like("{LIMIT: \"400\"}").means("more variables of the command"),
	).labelled()
}}

// patterns is one matcher, or a list of names.
func patterns() shape[string] {
	many := list("matcher, or list of names", false, true)
	return shape[string]{words: many.words, schema: many.schema, read: func(d *decoder, n *yaml.Node) (string, bool) {
		refs, ok := many.read(d, n)
		joined := ""
		for i, r := range refs {
			if i > 0 {
				joined += "|"
			}
			joined += r.V
		}
		return joined, ok && d.matcher(n, joined)
	}}
}

// handlerTable is the fields of a handler in a hook group, in all spellings that are met.
var handlerTable = lazyTable[HookHandler]{New: func() *table[HookHandler] {
	str := func(key string, to func(*HookHandler) *string) field[HookHandler] {
		return with(key, text(), func(h *HookHandler, v Value[string]) { *to(h) = v.V })
	}
	strs := func(key string, to func(h *HookHandler, refs []Ref)) field[HookHandler] {
		return with(key, list("list of texts", false, true), func(h *HookHandler, v Value[[]Ref]) { to(h, v.V) })
	}
	t := newTable(
		with("type", word(nil, "command", "http", "mcp_tool", "prompt", "agent"), func(h *HookHandler, v Value[string]) { h.Type = v.V }),
		value("if", text(), func(h *HookHandler) *Ref { return &h.If }),
		with("timeout", span(bounds{above: true}), func(h *HookHandler, v Value[time.Duration]) { h.Timeout = v.V }).also("timeoutSec"),
		with("command", text(), func(h *HookHandler, v Value[string]) { h.Command, h.CommandAt = v.V, v.At }),
		str("bash", func(h *HookHandler) *string { return &h.bash }),
		str("powershell", func(h *HookHandler) *string { return &h.powershell }),
		str("windows", func(h *HookHandler) *string { return &h.windows }),
		str("linux", func(h *HookHandler) *string { return &h.linux }),
		str("osx", func(h *HookHandler) *string { return &h.osx }),
		strs("args", func(h *HookHandler, refs []Ref) { h.Args = append([]string{}, texts(refs)...) }),
		with("shell", word(nil, "bash", "powershell", "sh"), func(h *HookHandler, v Value[string]) { h.Shell = v.V }),
		str("cwd", func(h *HookHandler) *string { return &h.Dir }),
		with("env", textMap(), func(h *HookHandler, v Value[map[string]string]) { h.Env = v.V }),
		str("url", func(h *HookHandler) *string { return &h.URL }),
		with("headers", textMap(), func(h *HookHandler, v Value[map[string]string]) { h.Headers = v.V }),
		strs("allowedEnvVars", func(h *HookHandler, refs []Ref) { h.AllowedEnv = refs }),
		str("server", func(h *HookHandler) *string { return &h.Server }),
		str("tool", func(h *HookHandler) *string { return &h.Tool }),
		with("input", anyJSON(), func(h *HookHandler, v Value[json.RawMessage]) { h.Input = v.V }),
		str("prompt", func(h *HookHandler) *string { return &h.Prompt }),
		value("model", text(), func(h *HookHandler) *Ref { return &h.Model }),
		with("async", boolean(), func(h *HookHandler, v Value[bool]) { h.Async = v }),
		with("asyncRewake", boolean(), func(h *HookHandler, v Value[bool]) { h.Rewake = v }),
		with("once", boolean(), func(h *HookHandler, v Value[bool]) { h.Once = v.V }),
	)
	t.silent = map[string]bool{
		"statusMessage": true, "continueOnBlock": true, "description": true, "comment": true,
		"matcher": true, // of a group that is its own handler
	}
	return t
}}

// anyJSON is any value, as JSON.
func anyJSON() shape[json.RawMessage] {
	return shape[json.RawMessage]{
		words: "any value", schema: func() schema { return schema{} },
		read: func(d *decoder, n *yaml.Node) (json.RawMessage, bool) { return d.toJSON(n) },
	}
}
