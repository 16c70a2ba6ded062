package hook

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/internal/hookevent"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// Input is what happens. A field that an event does not have is zero.
type Input struct {
	Event                     Event
	Agent, Run, Session, Name string // Name is the workspace's
	Depth                     int    // 0 = the target of the request
	Roots                     tools.Roots
	Mode                      tools.Mode
	Effort                    string                // of thinking; "" = as the model has it
	Access                    func() sandbox.Access // what a child may do; nil = nothing besides the base

	Prompt, Source, Response string
	MessageCount, Turn       int
	Opens                    string // the session begins with this run: startup, or resume
	Closes                   bool   // it ends with it
	Ends                     string // the session ends outside of its runs: why, in Claude Code's words
	Holds                    bool   // the run has not ended: hooks that may ask for more work are asked
	Held                     bool   // those were asked already
	Command                  string // that the prompt was made of; "" = none
	Typed                    string // the command as it was given, with its arguments

	Tool    tools.Tool
	Call    *tools.Call
	Target  string // of a delegation
	Message string // of a delegation
	Asks    bool   // the call waits for an approval
	Result  string
	IsError bool

	ToolCalls  []Called
	Finish     string
	Usage      any // marshals as usage does in events
	StopActive bool
	OK         bool
	Kind       string
	Duration   time.Duration

	Threshold, TokensUsed, TokensRemaining int
	Percentage                             float64
	Trigger                                string
	Tokens, Before, After                  int

	Generation              int
	Added, Changed, Removed []string

	as      string // the name that the entry listens by
	changed string // the hook that changed the input of the call
}

// Called is a call that a model asked for, or that was made.
type Called struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Result    string          `json:"-"` // of a call that was made
}

// made is a call that was made, in native words and in those of Claude Code.
type made struct {
	Called
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	UseID    string          `json:"tool_use_id"`
	Response string          `json:"tool_response"`
}

func inBothWords(calls []Called) []made {
	out := make([]made, len(calls))
	for i, c := range calls {
		out[i] = made{Called: c, Tool: c.Name, Input: c.Arguments, UseID: c.ID, Response: c.Result}
	}
	return out
}

// hears tells whether an event has this name.
func hears(name string, ev Event) bool {
	n, ok := hookevent.Lookup(name)
	return ok && slices.Contains(n.On, string(ev))
}

// subjects are what a matcher is held against.
func (in *Input) subjects(s hookevent.Subject) []string {
	switch s {
	case hookevent.Tool:
		if in.Call == nil {
			return nil
		}
		if in.Target != "" {
			return []string{in.Call.Tool, "Agent", "Task"}
		}
		return []string{in.Call.Tool}
	case hookevent.Source:
		return []string{in.opened()}
	case hookevent.Agent:
		return []string{in.Agent}
	case hookevent.Trigger:
		return []string{in.trigger()}
	case hookevent.Command:
		return []string{in.Command}
	case hookevent.Reason:
		return []string{in.reason()}
	}
	return []string{""}
}

// opened is Claude Code's source of a session.
func (in *Input) opened() string {
	if in.Event == GraphReloaded {
		return "project_settings"
	}
	return in.Opens
}

// reason is Claude Code's word for why a session ends.
func (in *Input) reason() string { return cmp.Or(in.Ends, "other") }

// trigger is Claude Code's word for why a conversation is made smaller.
func (in *Input) trigger() string {
	if in.Trigger == "manual" {
		return "manual"
	}
	return "auto"
}

// JSON is what a hook reads on stdin: native names, and those of SwarmSDK and Claude Code for the same.
func (in *Input) JSON() ([]byte, error) {
	o := map[string]any{
		"event": in.Event, "agent": in.Agent, "run": in.Run, "session": in.Session, "session_id": in.Session,
		"cwd": in.Roots.Dir, "depth": in.Depth, "permission_mode": claudeMode(in.Mode), "transcript_path": "",
	}
	o["hook_event_name"] = in.foreign()
	if in.Effort != "" {
		o["effort"] = map[string]string{"level": in.Effort}
	}
	if in.Depth > 0 {
		o["agent_id"], o["agent_type"] = in.Run, in.Agent
	}
	if in.Name != "" {
		o["swarm"] = in.Name
	}
	in.moment(o)
	if in.Call != nil {
		in.call(o)
	}
	return json.Marshal(o)
}

// foreign is the name that Claude Code has for what happens: the one that the entry listens by, or that its scripts expect.
// Where it has none, it is the native one.
func (in *Input) foreign() string {
	if n, ok := hookevent.Lookup(in.as); ok && n.Dialect == hookevent.Claude && in.Event != OnStop {
		return n.Text
	}
	for _, text := range hookevent.All(hookevent.Claude) {
		if hears(text, in.Event) && in.means(text) {
			return text
		}
	}
	return string(in.Event)
}

// claudeMode is Claude Code's word for a permission mode.
func claudeMode(m tools.Mode) string {
	switch m {
	case "", tools.ModeDefault:
		return "default"
	case tools.ModeAcceptEdits:
		return "acceptEdits"
	case tools.ModePlan:
		return "plan"
	case tools.ModeDenyAsks:
		return "dontAsk"
	case tools.ModeBypass:
		return "bypassPermissions"
	}
	return ""
}

// moment adds the fields of events that are about no call.
func (in *Input) moment(o map[string]any) {
	put := func(kv ...any) {
		for i := 0; i < len(kv); i += 2 {
			o[kv[i].(string)] = kv[i+1]
		}
	}
	switch in.Event {
	case RunStart:
		put("prompt", in.Prompt, "source", in.Source)
		if in.as == "SessionStart" {
			put("source", in.Opens)
		}
	case RunStop:
		put("ok", in.OK, "success", in.OK, "usage", in.Usage, "duration_ms", in.Duration.Milliseconds(), "duration", in.Duration.Seconds(),
			"last_agent", in.Agent, "reason", in.reason())
		if in.OK {
			put("output", in.Response, "content", in.Response)
		} else {
			put("kind", in.Kind)
		}
	case FirstMessage:
		put("prompt", in.Prompt)
	case BeforeAsk:
		put("prompt", in.Prompt, "source", in.Source, "message_count", in.MessageCount)
		if in.Command != "" {
			_, args, _ := strings.Cut(in.Typed, " ")
			put("expansion_type", "slash_command", "command_name", in.Command, "command_args", args)
		}
		if in.as == "UserPromptExpansion" {
			put("prompt", in.Typed)
		}
	case AfterAsk:
		put("prompt", in.Prompt, "response", in.Response)
	case BeforeModel:
		put("turn", in.Turn, "message_count", in.MessageCount)
		if len(in.ToolCalls) > 0 {
			put("tool_calls", inBothWords(in.ToolCalls))
		}
	case AfterModel:
		put("content", in.Response, "tool_calls", in.ToolCalls, "finish_reason", in.Finish, "usage", in.Usage)
	case OnStop:
		put("response", in.Response, "content", in.Response, "last_assistant_message", in.Response, "usage", in.Usage,
			"finish_reason", in.Finish, "stop_hook_active", in.StopActive)
	case ContextWarning:
		put("threshold", in.Threshold, "percentage", in.Percentage, "tokens_used", in.TokensUsed, "tokens_remaining", in.TokensRemaining)
	case BeforeCompaction:
		put("trigger", in.Trigger, "tokens", in.Tokens)
		if in.as == "PreCompact" {
			put("trigger", in.trigger())
		}
	case AfterCompaction:
		put("before", in.Before, "after", in.After, "trigger", in.trigger())
	case GraphReloaded:
		put("generation", in.Generation, "added", in.Added, "changed", in.Changed, "removed", in.Removed, "source", "project_settings")
	}
}

// call adds the fields of events of tools and delegations.
func (in *Input) call(o map[string]any) {
	c := in.Call
	o["tool_name"], o["tool"], o["tool_call_id"], o["tool_use_id"] = c.Tool, c.Tool, c.ID, c.ID
	o["tool_input"], o["parameters"] = object(c.Input), object(c.Input)
	if in.Target != "" {
		o["target"], o["delegation_target"], o["message"], o["task"] = in.Target, in.Target, in.Message, in.Message
	}
	switch in.Event {
	case AfterTool, ToolError, AfterDelegation:
		o["tool_result"], o["result"], o["tool_response"] = in.Result, in.Result, in.Result
		o["is_error"], o["success"], o["duration_ms"] = in.IsError, !in.IsError, in.Duration.Milliseconds()
		if in.IsError {
			o["error"] = in.Result
		}
	}
}

// object is an input as it is; one that is no JSON is nothing.
func object(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage(`{}`)
	}
	return raw
}
