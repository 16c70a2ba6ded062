package config

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// eventUse is what becomes of a hook.
type eventUse int

const (
	never eventUse = iota + 1 // the event does not exist here
	fires
	gates // it can stop something before it happens
)

// foreignEvents are the events of Claude Code.
var foreignEvents = map[string]eventUse{
	"SessionStart": fires, "Setup": never, "InstructionsLoaded": never, "UserPromptSubmit": gates, "UserPromptExpansion": gates,
	"PreToolUse": gates, "PermissionRequest": gates, "PermissionDenied": never, "PostToolUse": fires, "PostToolUseFailure": fires,
	"PostToolBatch": gates, "Stop": fires, "SubagentStart": fires, "SubagentStop": fires, "StopFailure": never, "Notification": never,
	"MessageDisplay": never, "TaskCreated": never, "TaskCompleted": never, "TeammateIdle": never, "ConfigChange": fires,
	"CwdChanged": never, "FileChanged": never, "DirectoryAdded": never, "WorktreeCreate": never, "WorktreeRemove": never,
	"PreCompact": gates, "PostCompact": fires, "SessionEnd": fires, "Elicitation": never, "ElicitationResult": never,
}

// nativeEvents are the events of this program.
var nativeEvents = []string{
	"run_start", "run_stop", "first_message", "before_ask", "after_ask", "before_model", "after_model", "before_tool", "after_tool",
	"tool_error", "before_delegation", "after_delegation", "on_stop", "context_warning", "before_compaction", "after_compaction",
	"graph_reloaded",
}

// hookGroups is names of hooks, or a map of events to groups as Claude Code writes them.
func hookGroups() shape[[]HookGroup] {
	return shape[[]HookGroup]{
		words: "list of names, or map of events to hooks",
		schema: func() schema {
			return schema{"anyOf": []schema{
				{"type": "string"}, {"type": "array", "items": schema{"type": "string"}},
				{"type": "object", "additionalProperties": schema{"type": "array", "items": schema{"type": "object"}}},
			}}
		},
		read: func(d *decoder, n *yaml.Node) ([]HookGroup, bool) {
			out := []HookGroup{}
			if n.Kind != yaml.MappingNode {
				var refs []Ref
				ok := d.items(n, false, false, &refs)
				for _, r := range refs {
					out = append(out, HookGroup{Name: r})
				}
				return out, ok
			}
			warned := false
			for i := 0; i+1 < len(n.Content); i += 2 {
				d.hookEvent(n.Content[i], n.Content[i+1], &out, &warned)
			}
			return out, true
		},
	}
}

// hookEvent reads the groups of one event. warned: the file has been told once that its gates fail open.
func (d *decoder) hookEvent(k, n *yaml.Node, to *[]HookGroup, warned *bool) {
	event := Ref{V: k.Value, At: d.at(k), Key: d.at(k)}
	if camel := strings.ToUpper(k.Value[:min(1, len(k.Value))]) + k.Value[min(1, len(k.Value)):]; foreignEvents[k.Value] == 0 && foreignEvents[camel] != 0 {
		d.add(diag.New("I-HOOK-FORM", event.At, "%q is read as %q", k.Value, camel).Suggest("write %s", camel))
		event.V = camel
	}
	use := foreignEvents[event.V]
	switch {
	case use == 0 && !slices.Contains(nativeEvents, event.V):
		d.unknownEvent(k)
		return
	case use == never:
		d.add(diag.New("I-HOOK-EVENT", event.At, "the event %q does not occur here, so its hooks never run", event.V))
	case use == gates && d.foreign && !*warned:
		*warned = true
		d.add(diag.New("W-HOOK-FAIL-OPEN", event.At, "a hook of %q that fails lets the action go ahead", event.V).
			Explain("Files of a Claude location keep the meaning they have there; a crash, a timeout or a missing program is no refusal.").
			Suggest("write a hook under hooks/, where a failing gate denies"))
	case event.V == "Stop":
		event.V = "SubagentStop"
	}
	if n.Kind != yaml.SequenceNode {
		d.wrong(n, "a list of groups")
		return
	}
	for _, g := range n.Content {
		if group, ok := d.hookGroup(event, g); ok {
			*to = append(*to, group)
		}
	}
}

func (d *decoder) unknownEvent(k *yaml.Node) {
	code := diag.Code("E-HOOK-EVENT")
	if d.foreign {
		code = "W-HOOK-EVENT"
	}
	x := diag.New(code, d.at(k), "there is no event %q", k.Value)
	names := slices.Clone(nativeEvents)
	for name := range foreignEvents {
		names = append(names, name)
	}
	slices.Sort(names)
	if name, ok := near(k.Value, names); ok {
		x = x.Suggest("did you mean %q?", name)
	}
	d.add(x)
}

// hookGroup is {matcher, hooks: [handler]}, or a handler alone.
func (d *decoder) hookGroup(event Ref, n *yaml.Node) (HookGroup, bool) {
	g := HookGroup{Event: event}
	if n.Kind != yaml.MappingNode {
		d.wrong(n, "a map with matcher and hooks")
		return g, false
	}
	var handlers []*yaml.Node
	flat := true
	for i := 0; i+1 < len(n.Content); i += 2 {
		v := n.Content[i+1]
		switch n.Content[i].Value {
		case "matcher":
			g.Matcher = d.written(v)
			if !d.matcher(v) {
				return g, false
			}
		case "hooks":
			flat = false
			if v.Kind != yaml.SequenceNode {
				d.wrong(v, "a list of handlers")
				return g, false
			}
			handlers = v.Content
		}
	}
	if flat {
		d.add(diag.New("I-HOOK-FORM", d.at(n), "a handler without a group around it").Suggest("put it into a list under hooks"))
		handlers = []*yaml.Node{n}
	}
	for _, h := range handlers {
		if handler, ok := d.hookHandler(h); ok {
			g.Handlers = append(g.Handlers, handler)
		}
	}
	return g, true
}

var plainMatcher = regexp.MustCompile(`^[A-Za-z0-9_,| -]*$`)

// matcher tells whether a pattern compiles; names and lists of names are no patterns.
func (d *decoder) matcher(n *yaml.Node) bool {
	if n.Value == "*" || plainMatcher.MatchString(n.Value) {
		return true
	}
	if _, err := regexp.Compile(n.Value); err != nil {
		d.add(diag.New("E-HOOK-MATCHER", d.at(n), "the matcher is no regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: ")).
			Suggest("patterns are RE2: no look-around, no back-references"))
		return false
	}
	return true
}

func (d *decoder) hookHandler(n *yaml.Node) (HookHandler, bool) {
	h := HookHandler{Type: "command"}
	if n.Kind != yaml.MappingNode {
		d.wrong(n, "a map with type and command")
		return h, false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		v := n.Content[i+1]
		switch n.Content[i].Value {
		case "type":
			h.Type = d.written(v)
		case "command", "bash", "powershell":
			h.Command = d.written(v)
		case "timeout", "timeoutSec":
			if t, ok := span(bounds{low: 0, above: true}).read(d, v); ok {
				h.Timeout = t
			}
		}
	}
	return h, h.Type != "command" || h.Command != "" || d.noCommand(n)
}

func (d *decoder) noCommand(n *yaml.Node) bool {
	d.wrong(n, "a map with type and command")
	return false
}
