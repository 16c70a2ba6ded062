package config

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// agentTable is the fields of an agent file. The order is that of the reference.
var agentTable = lazyTable[agentFile]{New: func() *table[agentFile] {
	refs := func(words string) shape[[]Ref] { return list(words, false, false) }
	t := newTable(append([]field[agentFile]{
		with("name", text(), func(a *agentFile, v Ref) { a.Name, a.At, a.Named = v.V, v.At, true }).
			or("file name").like("reviewer").means("identity: what others call it by"),
		value("description", text(), func(a *agentFile) *Value[string] { return &a.Summary }).needed().
			like("Reviews Go changes.").means("when to use it; other agents see this"),
		value("model", list("reference, or list of references", false, true), func(a *agentFile) *Value[[]Ref] { return &a.Model }).
			or("defaults.model").like("[smart, openai/gpt-5]").
			means("name from models, provider/model, script/NAME or inherit (the caller's); a list is a fallback chain in order"),
		with("provider", text(), func(a *agentFile, v Value[string]) { a.say().provider = v }).like("openai").
			means("SwarmSDK v2: the provider of a model that names none"),
		value("tools", refs("list or comma string of rules"), func(a *agentFile) *Value[[]Ref] { return &a.Tools }).guarded().
			or("Read, Glob, Grep, and what other fields bring").like("[Read, \"Bash(git diff *)\"]").
			means("what it may call; [] is none, * every tool of the workspace; a specifier narrows the tool and is enforced"),
		value("disallowed_tools", refs("list or comma string of rules"), func(a *agentFile) *Value[[]Ref] { return &a.DisallowedTools }).guarded().
			also("disallowedTools").or("[]").like("[WebFetch]").means("removed; wins over tools"),
		with("permissions", permissions(), func(a *agentFile, v Value[Permissions]) { a.Permissions = v.V; a.Permissions.At = v.KeyAt() }).guarded().
			or("the workspace's").like("{allow: [Read], ask: [Write], deny: [\"Read(.env)\"]}").
			means("rules added to the workspace's; deny wins over ask, ask over allow"),
		value("permission_mode", permissionMode(),
			func(a *agentFile) *Value[string] { return &a.PermissionMode }).guarded().
			also("permissionMode").or("default").like("plan").
			means("what happens to calls that ask: plan lets only reading tools run, deny-asks refuses, bypass lets pass"),
		with("bypass_permissions", boolean(), func(a *agentFile, v Value[bool]) { a.say().bypass = v }).guarded().
			like("false").means("SwarmSDK v2: true is permission_mode bypass"),
		value("skills", refs("list of names"), func(a *agentFile) *Value[[]Ref] { return &a.Skills }).
			or("*").like("[release-notes]").means("skills it sees; * is all, [] none"),
		value("mcp", servers(), func(a *agentFile) *Value[[]MCPRef] { return &a.MCP }).guarded().
			also("mcpServers", "mcp_servers").or("[]").like("[notes, {clock: {type: stdio, command: clockd}}]").
			means("MCP servers it may use: names, or servers written in place"),
		value("hooks", hookGroups(), func(a *agentFile) *Value[[]HookGroup] { return &a.Hooks }).guarded().
			or("[]").like("{before_tool: [{matcher: Bash, hooks: [{type: command, command: ./check}]}]}").
			means("hooks besides the workspace-wide ones: names, or event to hooks"),
		value("delegates_to", delegates(), func(a *agentFile) *Value[[]Delegate] { return &a.Delegates }).
			or("[]").like("{tester: {as: AskTester, when: after a change, context: keep}}").
			means("agents it can ask; each becomes a tool, as or WorkWith and the name"),
		value("initial_prompt", text(), func(a *agentFile) *Value[string] { return &a.Opening }).also("initialPrompt").
			like("Begin with the open issues.").means("put in front of the first prompt where a conversation begins with this agent"),
		value("instructions", boolean(), func(a *agentFile) *Value[bool] { return &a.Instructions }).
			or("false").like("true").means("AGENTS.md and CLAUDE.md of the working directory are added; true by default in .claude"),
	}, slices.Concat(agentLimits(), agentIdle())...)...).labelled()
	t.lookalikes, t.noun, t.meant = lookalikes(), "an agent", agentWords()
	return t
}}

// permissionModes are Claude Code's words for the native ones.
func permissionModes() map[string]string {
	return map[string]string{
		"manual": "default", "acceptEdits": "accept-edits", "dontAsk": "deny-asks", "bypassPermissions": "bypass", "auto": "default",
	}
}

// permissionMode is one of the modes. Claude Code's auto, in which a model decides what is harmless, has no counterpart.
func permissionMode() shape[string] {
	mode := word(permissionModes(), "default", "accept-edits", "plan", "deny-asks", "bypass")
	return checked(mode, mode.words, func(d *decoder, n *yaml.Node, _ string) bool {
		if n.Value == "auto" {
			d.add(diag.New("W-MODE-AUTO", d.at(n), "the permission mode auto does not exist here; default is used").
				Suggest("write one of default, accept-edits, plan, deny-asks, bypass"))
		}
		return true
	})
}

// efforts are the words for how hard a model thinks.
var efforts = []string{"low", "medium", "high", "xhigh", "max"}

// agentLimits are the fields about a run of the agent.
func agentLimits() []field[agentFile] {
	positive := span(bounds{low: 0, above: true})
	return []field[agentFile]{
		value("directory", text(), func(a *agentFile) *Value[string] { return &a.Directory }).
			or("the workspace").like("services/api").means("working directory, relative to the workspace"),
		value("directories", list("list of paths", false, false), func(a *agentFile) *Value[[]Ref] { return &a.Directories }).
			or("[]").like("[docs]").means("more places that its file tools may reach"),
		value("output", jsonSchema(), func(a *agentFile) *Value[json.RawMessage] { return &a.Output }).
			like("{type: object, properties: {ok: {type: boolean}}}").means("JSON Schema that the final answer must match"),
		value("parameters", parameters(), func(a *agentFile) *Value[Parameters] { return &a.Parameters }).
			or("{}").like("{temperature: 0.2, max_tokens: 2000, seed: 7}").
			means("request settings; unknown keys go into the request body as they are"),
		value("thinking", mapping("map", thinkingTable.Get), func(a *agentFile) *Value[Thinking] { return &a.Thinking }).
			like("{effort: high, budget: 8000}").means("asks the model to reason"),
		with("effort", word(nil, efforts...), func(a *agentFile, v Value[string]) { a.say().effort = v }).
			like("high").means("Claude Code: the effort of thinking"),
		value("headers", textMap(), func(a *agentFile) *Value[map[string]string] { return &a.Headers }).
			or("{}").like("{x-team: docs}").means("request headers"),
		value("max_turns", count(1, 0), func(a *agentFile) *Value[int] { return &a.MaxTurns }).also("maxTurns").
			or("50").like("20").means("model calls of one run of the agent"),
		value("timeout", positive, func(a *agentFile) *Value[time.Duration] { return &a.Timeout }).also("turn_timeout").
			or("30m").like("10m").means("time of one run of the agent"),
		value("budget", budget(), func(a *agentFile) *Value[Budget] { return &a.Budget }).
			like("{cost: 0.5, tokens: 200000}").means("money and tokens of one run of the agent"),
		value("max_concurrent_tools", count(1, 0), func(a *agentFile) *Value[int] { return &a.MaxConcurrent }).
			or("8").like("4").means("tool calls of one turn that run side by side"),
		value("queue_mode", word(nil, "one_at_a_time", "all"), func(a *agentFile) *Value[string] { return &a.QueueMode }).
			or("one_at_a_time").like("all").means("how many of the messages that wait go to the agent at once, between two turns"),
		with("context", mapping("map", contextTable.Get), func(a *agentFile, v Value[Context]) { a.Context = Value[*Context]{V: &v.V, At: v.At, Key: v.Key} }).
			like("{window: 32768, compact_at: 0.7, keep_recent: 6, strategy: prune}").means("how a long conversation is kept within the model's window"),
		with("retry", mapping("map", retryTable.Get), func(a *agentFile, v Value[Retry]) { r := v.V; a.Retry = &r }).
			like("{attempts: 2, deadline: 30s}").means("merged key by key over the workspace's"),
		with("request_timeout", positive, func(a *agentFile, v Value[time.Duration]) { a.say().requestTimeout = v }).
			like("300").means("SwarmSDK v2: retry.attempt_timeout"),
		value("streaming", boolean(), func(a *agentFile) *Value[bool] { return &a.Streaming }).
			or("true").like("false").means("answers come as they are made"),
		value("template", boolean(), func(a *agentFile) *Value[bool] { return &a.Template }).
			or("false").like("true").means("the body is a Go text/template over .Vars, .Env, .Date and .Directory"),
		value("vars", textMap(), func(a *agentFile) *Value[map[string]string] { return &a.Vars }).
			or("{}").like("{audience: engineers}").means("defaults of the template's .Vars, overridden by --var"),
		with("system_prompt", text(), func(a *agentFile, v Value[string]) { a.say().prompts = append(a.say().prompts, v) }).also("prompt").
			like("You review.").means("SwarmSDK v2: the prompt of a file whose body is empty"),
	}
}

// agentIdle are the fields that are understood and have no effect in this version.
func agentIdle() []field[agentFile] {
	return []field[agentFile]{
		inactive("handoffs", "list", "agents it can pass the conversation to"),
		inactive("observers", "list of maps", "agents that react to events of its runs"),
		inactive("scratchpad", "off, run, step", "shared notes"),
		inactive("subtasks", "true, false or map", "may start copies of itself"),
		inactive("memory", "true, false or settings", "long-term memory"),
		inactive("context_management", "map", "SwarmSDK v2: write context instead"),
		inactive("context_window", "whole number", "SwarmSDK v2: write context: {window: ...} instead"),
		inactive("base_url", "URL", "SwarmSDK v2: write the model under models instead"),
		inactive("api_version", "text", "SwarmSDK v2: write the model under models instead"),
		inactive("api_key", "text", "SwarmSDK v2: write the key under providers or models instead"),
		inactive("coding_agent", "true or false", "SwarmSDK v2: adds a coding prompt"),
		inactive("disable_default_tools", "true or list", "SwarmSDK v2: leaves default tools out; write tools instead"),
		inactive("shared_across_delegations", "true or false", "SwarmSDK v2: one conversation for all callers"),
		inactive("assume_model_exists", "true or false", "SwarmSDK v2: accepted"),
		inactive("background", "true or false", "Claude Code: runs beside the caller"),
		inactive("isolation", "worktree", "Claude Code: a worktree of its own"),
		inactive("color", "text", "Claude Code: colour in lists"),
	}
}

func inactive(key, words, doc string) field[agentFile] {
	return idle(key, words, func(a *agentFile) *[]Ref { return &a.Inactive }).means("%s", doc)
}

var thinkingTable = lazyTable[Thinking]{New: func() *table[Thinking] {
	return newTable(
		with("effort", word(nil, efforts...), func(t *Thinking, v Value[string]) { t.Effort = v.V }).like("high").means("how hard it thinks"),
		with("budget", count(1, 0), func(t *Thinking, v Value[int]) { t.Budget = v.V }).like("8000").means("tokens for thinking, for providers that count them"),
	)
}}

var contextTable = lazyTable[Context]{New: func() *table[Context] {
	return newTable(
		value("window", count(1024, 0), func(c *Context) *Value[int] { return &c.Window }).
			or("the model's").like("32768").means("tokens that the model takes"),
		value("compact_at", share(), func(c *Context) *Value[float64] { return &c.CompactAt }).
			or("0.8").like("0.7").means("part of the window from which on the conversation is made smaller before the next model call"),
		value("keep_recent", count(0, 0), func(c *Context) *Value[int] { return &c.KeepRecent }).
			or("10").like("6").means("messages at the end that stay as they are"),
		value("strategy", word(nil, "summarise", "prune", "truncate-tools"), func(c *Context) *Value[string] { return &c.Strategy }).
			or("summarise").like("prune").means("what becomes of older messages: a summary, nothing, or the same with tool results cut"),
	)
}}

var budgetTable = lazyTable[Budget]{New: func() *table[Budget] {
	return newTable(
		with("cost", number(0, math.Inf(1)), func(b *Budget, v Value[float64]) { b.Cost = v.V }).like("2.5").means("US dollars"),
		with("tokens", count(0, 0), func(b *Budget, v Value[int]) { b.Tokens = v.V }).like("500000").means("tokens of input and output together"),
	)
}}

func budget() shape[Budget] { return mapping("map", budgetTable.Get) }

var permissionTable = lazyTable[Permissions]{New: func() *table[Permissions] {
	rules := list("list or comma string of rules", false, false)
	return newTable(
		with("allow", rules, func(p *Permissions, v Value[[]Ref]) { p.Allow = v.V }).guarded().like("[Read]").means("calls that go without asking"),
		with("ask", rules, func(p *Permissions, v Value[[]Ref]) { p.Ask = v.V }).guarded().like("[Write]").means("calls that ask a person"),
		with("deny", rules, func(p *Permissions, v Value[[]Ref]) { p.Deny = v.V }).guarded().like("[\"Read(.env)\"]").means("calls that are refused in every mode"),
	)
}}

func permissions() shape[Permissions] { return mapping("map", permissionTable.Get) }
