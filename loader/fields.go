package loader

import (
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// The limits of an agent that nobody sets.
const (
	defaultMaxTurns      = 50
	defaultTimeout       = 30 * time.Minute
	defaultMaxConcurrent = 8
	defaultCompactAt     = 0.8
	defaultKeepRecent    = 10
)

// fields collects the settings of one definition with their origins.
type fields struct {
	origin string // of the definition
	file   string
	list   []Field
}

// show adds a setting: as written in the definition or in defaults:, else def; nil = a setting without default is left out.
func show[T any](f *fields, key string, v config.Value[T], def any, form func(T) any) {
	if !v.Set() {
		if def != nil {
			f.list = append(f.list, Field{Key: key, Value: def, Origin: "default"})
		}
		return
	}
	f.list = append(f.list, Field{Key: key, Value: form(v.V), Origin: f.source(v.At), At: v.At})
}

// source tells which layer a value is from: the definition's own tree, or that of the settings.
func (f *fields) source(at diag.Range) string {
	switch {
	case at.File == f.file:
		return f.origin
	case at.File == SettingsFile:
		return string(config.Workspace)
	case strings.HasPrefix(at.File, "$"):
		return "env"
	case strings.HasPrefix(at.File, "flag "):
		return "flag"
	}
	return string(config.User)
}

// agentFields are the settings of an agent.
func agentFields(a *agent) []Field {
	f := &fields{origin: string(a.file.def.Origin), file: a.file.name}
	name := config.Ref{V: a.Name}
	if a.Named {
		name.At = a.At
	}
	show(f, "name", name, a.Name, same)
	show(f, "description", a.Summary, nil, same)
	show(f, "model", a.Model, nil, texts)
	show(f, "tools", a.Tools, nil, texts)
	show(f, "disallowed_tools", a.DisallowedTools, nil, texts)
	show(f, "permission_mode", a.PermissionMode, "default", same)
	show(f, "skills", a.Skills, nil, texts)
	show(f, "delegates_to", a.Delegates, nil, delegateFields)
	show(f, "initial_prompt", a.Opening, nil, same)
	show(f, "instructions", a.Instructions, a.claude(), same)
	show(f, "directory", a.Directory, nil, same)
	show(f, "directories", a.Directories, nil, texts)
	show(f, "output", a.Output, nil, same)
	show(f, "parameters", a.Parameters, nil, parameterFields)
	show(f, "thinking", a.Thinking, nil, func(t config.Thinking) any {
		return without(map[string]any{"effort": t.Effort, "budget": t.Budget})
	})
	show(f, "headers", a.Headers, nil, func(h map[string]string) any { return headerNames(h) })
	show(f, "max_turns", a.MaxTurns, defaultMaxTurns, same)
	show(f, "timeout", a.Timeout, defaultTimeout.String(), duration)
	show(f, "budget", a.Budget, nil, func(b config.Budget) any {
		return without(map[string]any{"cost": b.Cost, "tokens": b.Tokens})
	})
	show(f, "max_concurrent_tools", a.MaxConcurrent, defaultMaxConcurrent, same)
	show(f, "queue_mode", a.QueueMode, string(agents.OneAtATime), same)
	show(f, "context", a.Context, contextFields(&config.Context{}), contextFields)
	show(f, "streaming", a.Streaming, true, same)
	show(f, "template", a.Template, false, same)
	show(f, "vars", a.Vars, nil, same)
	f.permissions(a.Permissions)
	show(f, "mcp", a.MCP, nil, func(refs []config.MCPRef) any {
		out := make([]string, len(refs))
		for i, r := range refs {
			out[i] = r.Name.V
		}
		return out
	})
	f.retry(a.Retry)
	return f.list
}

// retry adds what an agent says otherwise than the settings about its model calls, each by the path that `show config` has.
func (f *fields) retry(r *config.Retry) {
	if r == nil {
		return
	}
	show(f, "retry.preset", r.Preset, nil, same)
	show(f, "retry.attempts", r.Attempts, nil, same)
	show(f, "retry.backoff", r.Backoff, nil, same)
	show(f, "retry.strict_idle", r.StrictIdle, nil, same)
	show(f, "retry.fallback_on", r.FallbackOn, nil, texts)
	show(f, "retry.deadline", r.Deadline, nil, duration)
	show(f, "retry.child_deadline", r.ChildDeadline, nil, duration)
	show(f, "retry.answer_deadline", r.AnswerDeadline, nil, duration)
	show(f, "retry.attempt_timeout", r.AttemptTimeout, nil, duration)
	show(f, "retry.idle_timeout", r.IdleTimeout, nil, duration)
	show(f, "retry.base", r.Base, nil, duration)
	show(f, "retry.max_wait", r.MaxWait, nil, duration)
	show(f, "retry.jitter", r.Jitter, nil, duration)
}

// sandboxFields are what a definition says about the confinement of its program.
func sandboxFields(s config.Sandbox) any {
	out := without(map[string]any{"mode": s.Mode.V, "network": s.Network.V})
	for key, refs := range map[string][]config.Ref{"read": s.Read, "write": s.Write, "env": s.Env} {
		if len(refs) > 0 {
			out[key] = texts(refs)
		}
	}
	return out
}

// permissions adds the rules that an agent adds to the workspace's.
func (f *fields) permissions(p config.Permissions) {
	if p.At.IsZero() {
		return
	}
	value := map[string]any{}
	for key, refs := range map[string][]config.Ref{"allow": p.Allow, "ask": p.Ask, "deny": p.Deny} {
		if len(refs) > 0 {
			value[key] = texts(refs)
		}
	}
	show(f, "permissions", config.Value[map[string]any]{V: value, At: p.At}, nil, same)
}

func delegateFields(ds []config.Delegate) any {
	out := make([]map[string]any, len(ds))
	for i, d := range ds {
		context := "fresh"
		if d.Keep {
			context = "keep"
		}
		out[i] = without(map[string]any{"agent": d.Agent.V, "as": d.As.V, "when": d.When.V, "context": context})
	}
	return out
}

func contextFields(c *config.Context) any {
	out := without(map[string]any{
		"window": c.Window.V, "compact_at": c.CompactAt.Or(defaultCompactAt), "strategy": c.Strategy.Or(string(agents.Summarise)),
	})
	out["keep_recent"] = c.KeepRecent.Or(defaultKeepRecent)
	return out
}

func parameterFields(p config.Parameters) any {
	out := without(map[string]any{"max_tokens": p.MaxTokens})
	if p.Temperature != nil {
		out["temperature"] = *p.Temperature
	}
	if p.TopP != nil {
		out["top_p"] = *p.TopP
	}
	if len(p.Stop) > 0 {
		out["stop"] = p.Stop
	}
	for k, v := range p.Extra {
		out[k] = v
	}
	return out
}

// headerNames shows headers without their values, which may hold a secret.
func headerNames(h map[string]string) map[string]string {
	out := make(map[string]string, len(h))
	for k := range h {
		out[k] = "[redacted]"
	}
	return out
}

// without drops what is zero.
func without(m map[string]any) map[string]any {
	for k, v := range m {
		switch v {
		case "", 0, 0.0:
			delete(m, k)
		}
	}
	return m
}
