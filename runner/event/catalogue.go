package event

import (
	"fmt"
	"reflect"
	"strings"
)

// section is a part of the catalogue.
type section struct {
	title string
	rows  []row
}

// row is one type of event. Its fields come from the struct, or are told where a lower package owns the struct.
type row struct {
	event   Event  // nil for what Lower carries
	name    string // of what Lower carries
	fields  string // of what Lower carries
	emitted string
}

// catalogue is every event that a run can tell; a test holds the types of this package against it.
func catalogue() []section {
	return []section{
		{"Runner", []row{
			{event: &RunStart{}, emitted: "first event of a run"},
			{event: &RunStop{}, emitted: "last event of a run, exactly once, whatever happened"},
			{event: &AgentStart{}, emitted: "an agent begins to work in a run"},
			{event: &AgentStop{}, emitted: "it is done"},
			{event: &UserPrompt{}, emitted: "a prompt enters a conversation"},
			{event: &ContentChunk{}, emitted: "streamed text"},
			{event: &ThinkingChunk{}, emitted: "streamed reasoning"},
			{event: &AgentStep{}, emitted: "each complete model answer"},
			{event: &ToolCall{}, emitted: "before permissions; always followed by one tool_result"},
			{event: &ToolResult{}, emitted: "in call order"},
			{event: &OutputRepair{}, emitted: "the one repair turn of `output:` begins"},
			{event: &LimitWarning{}, emitted: "at 80 % of a limit, once each"},
			{event: &AgentInterrupted{}, emitted: "cancelled"},
			{event: &SteeringQueued{}, emitted: "a message was queued for the agent at work"},
			{event: &SteeringDelivered{}, emitted: "messages that waited were given to it"},
			{name: "todo_changed", fields: "todos [{content, status, activeForm}]", emitted: "TodoWrite"},
			{name: "finding", fields: "file?, line?, end_line?, severity: error, warning, note; rule?, message", emitted: "Report"},
			{event: &Warning{}, emitted: "what is not worth an event of its own"},
		}},
		{"Teams", []row{
			{event: &Delegation{}, emitted: "in place of tool_call"},
			{event: &DelegationResult{}, emitted: "in place of tool_result"},
			{event: &CircularDependency{}, emitted: "refused by the guard; then delegation_result with is_error"},
		}},
		{"Providers and context", []row{
			{name: "provider.attempt", fields: "call, n, candidate, provider, model, resend?, queued_ms?", emitted: "a send begins"},
			{name: "provider.attempt_failed", fields: "call, n, candidate, kind, status?, code?, retry_after_ms?, committed, resend?", emitted: "it failed"},
			{name: "provider.retry_wait", fields: "call, round, ms, source: backoff, retry_after, ratelimit_reset, kind (of the failure just seen), n (of the attempt that follows), of (attempts allowed)", emitted: "before a wait"},
			{name: "provider.fallback", fields: "call, from, to, kind", emitted: "the next attempt is at another candidate"},
			{name: "provider.stream_committed", fields: "call, n", emitted: "from here on nothing is repeated"},
			{name: "provider.skipped", fields: "call, candidate, reason: open", emitted: "its breaker is open"},
			{name: "provider.late_output_dropped", fields: "call, bytes", emitted: "an abandoned attempt still sent"},
			{name: "provider.call_end", fields: "call, ok, kind?, attempts, candidate, usage?, duration_ms, replayed?, rule?", emitted: "exactly once for each call"},
			{event: &OrphansPruned{}, emitted: "calls without a result were taken out of a conversation"},
			{event: &ContextWarning{}, emitted: "once for each threshold"},
			{event: &ContextOverflow{}, emitted: "a request did not fit"},
			{event: &ContextCompacted{}, emitted: "a conversation was made smaller"},
		}},
		{"MCP servers and tools", []row{
			{name: "mcp_server_init_start", fields: "server_name, transport_type: stdio, http, sse", emitted: "a server is being started"},
			{name: "mcp_server_init_complete", fields: "server_name, transport_type, ok, tool_count, tools, message?, duration_ms", emitted: "how that ended"},
			{name: "mcp_server_stopped", fields: "server_name, reason: exit, closed, error; restart_in_ms?", emitted: "a server ended that nobody asked to"},
			{name: "mcp_tools_changed", fields: "server_name, added, removed, changed", emitted: "the next run sees other tools"},
			{name: "agent_lazy_initialization", fields: "what: mcp, name, duration_ms", emitted: "a call needed something lazy"},
			{name: "tool_progress", fields: "tool_call_id, tool, progress, total?, message?", emitted: "how far a call is, at most ten a second"},
		}},
		{"Hooks, permissions", []row{
			{event: &HookExecuted{}, emitted: "once for each hook and event"},
			{event: &PermissionAsked{}, emitted: "a person is asked"},
			{event: &PermissionDenied{}, emitted: "a call was refused"},
		}},
		{"Skills", []row{
			{event: &SkillsLoaded{}, emitted: "an agent with skills begins"},
			{event: &SkillActivated{}, emitted: "a skill was loaded"},
		}},
		{"CI", []row{
			{event: &CIStart{}, emitted: "jobs begin to run"},
			{event: &CaseStart{}, emitted: "an attempt of a case begins"},
			{event: &CaseStop{}, emitted: "a case ended"},
			{event: &CIStop{}, emitted: "all of them are done"},
		}},
		{"Workspace", []row{
			{event: &GraphLoaded{}, emitted: "once at start of a long-running command"},
			{event: &GraphReloaded{}, emitted: "a save was published; also a hook"},
			{event: &GraphRejected{}, emitted: "a save brought an error that the served generation does not have"},
		}},
	}
}

// blank is a new event of a type; nil for one that no struct of this package has, or that is not read back as one:
// diagnostics are written only.
func blank(name string) Event {
	switch name {
	case (*GraphLoaded)(nil).Type(), (*GraphReloaded)(nil).Type(), (*GraphRejected)(nil).Type():
		return nil
	}
	for _, s := range catalogue() {
		for _, r := range s.rows {
			if r.event != nil && r.event.Type() == name {
				return reflect.New(reflect.TypeOf(r.event).Elem()).Interface().(Event)
			}
		}
	}
	return nil
}

// Reference is docs/events.md: the catalogue as Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, s := range catalogue() {
		fmt.Fprintf(&b, "\n## %s\n\n| type | fields | emitted |\n|---|---|---|\n", s.title)
		for _, r := range s.rows {
			name, fields := r.name, r.fields
			if r.event != nil {
				name, fields = r.event.Type(), fieldList(reflect.TypeOf(r.event).Elem())
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, fields, r.emitted)
		}
	}
	fmt.Fprintf(&b, "\n## Objects\n\n| object | fields |\n|---|---|\n")
	for _, o := range []any{usageJSON{}, resultJSON{}, AgentUsage{}, Context{}, Request{}, Counts{}, CaseFailure{}} {
		t := reflect.TypeOf(o)
		fmt.Fprintf(&b, "| %s | %s |\n", objectName(t), fieldList(t))
	}
	b.WriteString("\n## Kinds and exit codes\n\n| exit | meaning | kinds |\n|---|---|---|\n| 0 | the answer is complete | |\n")
	for _, g := range groups() {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", g.code, g.says, strings.Join(g.kinds, ", "))
	}
	return b.String()
}

const referenceHead = "# Events\n\n" + `<!-- Written by runner/event: go test ./runner/event -update -->

With ` + "`-o jsonl`" + ` every line is one event; the last line is the result object with ` + "`type: result`" + `. Fields marked ? are absent
when there is nothing to say. Durations are milliseconds, times RFC 3339 in UTC, money is US dollars.

Every event has ` + "`type`, `time`, `run`, `agent`" + ` (empty where none acts), ` + "`seq`" + ` (from 1, without gaps, for each output),
` + "`session`?, `generation`, `depth`" + ` (0 is the target), ` + "`parent_run`?" + ` (of a delegate's run), in CI ` + "`job`, `case`" + `. Events of delegates appear in the same stream;
` + "`call`" + ` joins the provider events of one model call. Within a run the order is that of happening; runs side by
side interleave. Known key values are replaced by ` + "`[redacted]`" + `.
`

// fieldList is the JSON fields of a struct with their notes.
func fieldList(t reflect.Type) string {
	var fields []string
	for f := range t.Fields() {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if opts == "omitempty" {
			name += "?"
		}
		if doc := f.Tag.Get("doc"); doc != "" {
			name += ": " + doc
		}
		fields = append(fields, name)
	}
	return strings.Join(fields, "; ")
}

func objectName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[usageJSON]():
		return "usage"
	case reflect.TypeFor[resultJSON]():
		return "result"
	case reflect.TypeFor[AgentUsage]():
		return "result.per_agent"
	case reflect.TypeFor[CaseFailure]():
		return "failures"
	case reflect.TypeFor[Request]():
		return "tool_calls"
	default:
		return strings.ToLower(t.Name())
	}
}
