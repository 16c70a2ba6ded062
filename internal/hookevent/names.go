package hookevent

import "strings"

// Dialect is whose name an event has.
type Dialect int

// The dialects.
const (
	Native Dialect = iota
	SwarmSDK
	Claude
)

// Subject is what a matcher is held against. None: the event takes no matcher.
type Subject string

// The subjects.
const (
	None    Subject = ""
	Tool    Subject = "tool"
	Source  Subject = "source"
	Agent   Subject = "agent"
	Trigger Subject = "trigger"
	Command Subject = "command"
	Reason  Subject = "reason"
)

// Name is one name of an event.
type Name struct {
	Text    string
	Dialect Dialect
	On      []string // the native events that it stands for; none = it never happens here
	Gate    bool     // it comes before something that it can stop
	Subject Subject
	Runs    Handlers // of groups as Claude Code writes them
}

// Handlers are the types of handlers that an event of Claude Code runs.
type Handlers int

// The sets of types.
const (
	Every  Handlers = iota
	Silent          // none that asks a model or an agent
	Local           // a command, or a tool of a server
)

// Has tells whether a type of handlers is among them.
func (h Handlers) Has(handler string) bool {
	switch handler {
	case "prompt", "agent":
		return h == Every
	case "http":
		return h != Local
	}
	return true
}

// names is every name. Native ones come first, in the order of the reference.
var names = []Name{
	{Text: "run_start", On: []string{"run_start"}},
	{Text: "run_stop", On: []string{"run_stop"}},
	{Text: "first_message", On: []string{"first_message"}},
	{Text: "before_ask", On: []string{"before_ask"}, Gate: true},
	{Text: "after_ask", On: []string{"after_ask"}},
	{Text: "before_model", On: []string{"before_model"}, Gate: true},
	{Text: "after_model", On: []string{"after_model"}},
	{Text: "before_tool", On: []string{"before_tool"}, Gate: true, Subject: Tool},
	{Text: "after_tool", On: []string{"after_tool"}, Subject: Tool},
	{Text: "tool_error", On: []string{"tool_error"}, Subject: Tool},
	{Text: "before_delegation", On: []string{"before_delegation"}, Gate: true, Subject: Tool},
	{Text: "after_delegation", On: []string{"after_delegation"}, Subject: Tool},
	{Text: "on_stop", On: []string{"on_stop"}},
	{Text: "context_warning", On: []string{"context_warning"}},
	{Text: "before_compaction", On: []string{"before_compaction"}, Gate: true},
	{Text: "after_compaction", On: []string{"after_compaction"}},
	{Text: "graph_reloaded", On: []string{"graph_reloaded"}},

	{Text: "swarm_start", Dialect: SwarmSDK, On: []string{"run_start"}},
	{Text: "swarm_stop", Dialect: SwarmSDK, On: []string{"run_stop"}},
	{Text: "user_prompt", Dialect: SwarmSDK, On: []string{"before_ask"}, Gate: true},
	{Text: "agent_step", Dialect: SwarmSDK, On: []string{"after_model"}},
	{Text: "agent_stop", Dialect: SwarmSDK, On: []string{"on_stop"}},
	{Text: "pre_tool_use", Dialect: SwarmSDK, On: []string{"before_tool"}, Gate: true, Subject: Tool},
	{Text: "post_tool_use", Dialect: SwarmSDK, On: []string{"after_tool"}, Subject: Tool},
	{Text: "pre_delegation", Dialect: SwarmSDK, On: []string{"before_delegation"}, Gate: true, Subject: Tool},
	{Text: "post_delegation", Dialect: SwarmSDK, On: []string{"after_delegation"}, Subject: Tool},

	{Text: "SessionStart", Dialect: Claude, On: []string{"run_start"}, Subject: Source, Runs: Local},
	{Text: "SessionEnd", Dialect: Claude, On: []string{"run_stop"}, Subject: Reason, Runs: Silent},
	{Text: "SubagentStart", Dialect: Claude, On: []string{"first_message"}, Subject: Agent, Runs: Silent},
	{Text: "UserPromptSubmit", Dialect: Claude, On: []string{"before_ask"}, Gate: true},
	{Text: "UserPromptExpansion", Dialect: Claude, On: []string{"before_ask"}, Gate: true, Subject: Command},
	{Text: "PostToolBatch", Dialect: Claude, On: []string{"before_model"}, Gate: true},
	{Text: "PreToolUse", Dialect: Claude, On: []string{"before_tool", "before_delegation"}, Gate: true, Subject: Tool},
	{Text: "PermissionRequest", Dialect: Claude, On: []string{"before_tool", "before_delegation"}, Gate: true, Subject: Tool},
	{Text: "PostToolUse", Dialect: Claude, On: []string{"after_tool", "after_delegation"}, Subject: Tool},
	{Text: "PostToolUseFailure", Dialect: Claude, On: []string{"tool_error", "after_delegation"}, Subject: Tool},
	{Text: "Stop", Dialect: Claude, On: []string{"on_stop"}},
	{Text: "SubagentStop", Dialect: Claude, On: []string{"on_stop"}, Subject: Agent},
	{Text: "PreCompact", Dialect: Claude, On: []string{"before_compaction"}, Gate: true, Subject: Trigger, Runs: Silent},
	{Text: "PostCompact", Dialect: Claude, On: []string{"after_compaction"}, Subject: Trigger, Runs: Silent},
	{Text: "ConfigChange", Dialect: Claude, On: []string{"graph_reloaded"}, Subject: Source, Runs: Silent},
	{Text: "Setup", Dialect: Claude}, {Text: "InstructionsLoaded", Dialect: Claude}, {Text: "PermissionDenied", Dialect: Claude},
	{Text: "StopFailure", Dialect: Claude}, {Text: "Notification", Dialect: Claude}, {Text: "MessageDisplay", Dialect: Claude},
	{Text: "TaskCreated", Dialect: Claude}, {Text: "TaskCompleted", Dialect: Claude}, {Text: "TeammateIdle", Dialect: Claude},
	{Text: "CwdChanged", Dialect: Claude}, {Text: "FileChanged", Dialect: Claude}, {Text: "DirectoryAdded", Dialect: Claude},
	{Text: "WorktreeCreate", Dialect: Claude}, {Text: "WorktreeRemove", Dialect: Claude},
	{Text: "Elicitation", Dialect: Claude}, {Text: "ElicitationResult", Dialect: Claude},
}

// spelling is the name that Claude Code has for an event of another program, where camelCase alone does not lead to it.
func spelling(text string) string {
	switch text {
	case "userPromptSubmitted":
		return "UserPromptSubmit"
	case "agentStop":
		return "Stop"
	case "errorOccurred":
		return "StopFailure"
	case "postToolUseError":
		return "PostToolUseFailure"
	}
	return ""
}

// Lookup finds an event by a name. Other spellings of Claude Code's names, such as preToolUse, are found too: Text then
// differs from text.
func Lookup(text string) (Name, bool) {
	if other := spelling(text); other != "" {
		text = other
	}
	if text == "" {
		return Name{}, false
	}
	claude := strings.ToUpper(text[:1]) + text[1:]
	for _, n := range names {
		if n.Text == text || n.Dialect == Claude && n.Text == claude {
			return n, true
		}
	}
	return Name{}, false
}

// All are the names of events in one dialect, in the order of the reference.
func All(d Dialect) []string {
	var out []string
	for _, n := range names {
		if n.Dialect == d {
			out = append(out, n.Text)
		}
	}
	return out
}
