package loader

import (
	"github.com/swarmrun/swarmrun/config"
)

// settle makes an agent as it was written one as it counts: what overrides say (flags), then its file, then defaults:.
func settle(a *config.Agent, s *config.Settings) {
	if s.Override != nil {
		out := *s.Override
		out.Definition, out.Named, out.Prompt, out.Body, out.Inactive = a.Definition, a.Named, a.Prompt, a.Body, a.Inactive
		complete(&out, a)
		*a = out
	}
	if s.Defaults != nil {
		complete(a, s.Defaults)
	}
	a.Retry = mergeRetry(s.Retry, a.Retry)
}

// complete takes the fields that out leaves open from a lower layer.
func complete(out, d *config.Agent) {
	fill(&out.Summary, d.Summary)
	fill(&out.Model, d.Model)
	fill(&out.Tools, d.Tools)
	fill(&out.MaxTurns, d.MaxTurns)
	out.Retry = mergeRetry(d.Retry, out.Retry)
	if d.AgentExtras.Empty() {
		return
	}
	x := out.Change()
	fill(&x.DisallowedTools, d.DisallowedTools)
	fill(&x.PermissionMode, d.PermissionMode)
	fill(&x.Delegates, d.Delegates)
	fill(&x.Instructions, d.Instructions)
	fill(&x.Directory, d.Directory)
	fill(&x.Directories, d.Directories)
	fill(&x.Output, d.Output)
	fill(&x.Parameters, d.Parameters)
	fill(&x.Thinking, d.Thinking)
	fill(&x.Headers, d.Headers)
	fill(&x.Timeout, d.Timeout)
	fill(&x.Budget, d.Budget)
	fill(&x.MaxConcurrent, d.MaxConcurrent)
	fill(&x.Context, d.Context)
	fill(&x.Streaming, d.Streaming)
	fill(&x.Template, d.Template)
	fill(&x.Vars, d.Vars)
	fill(&x.Skills, d.Skills)
	fill(&x.MCP, d.MCP)
	fill(&x.Hooks, d.Hooks)
	if x.Permissions.At.IsZero() {
		x.Permissions = d.Permissions
	}
}

// fill takes a default where nobody wrote a value.
func fill[T any](v *config.Value[T], d config.Value[T]) {
	if !v.Set() && d.Set() {
		*v = d
	}
}

// mergeRetry lays one retry block over another, key by key. A preset of the upper one hides the keys of the lower.
func mergeRetry(lower, upper *config.Retry) *config.Retry {
	if lower == nil || upper == nil || upper.Preset.Set() {
		if upper == nil {
			return lower
		}
		return upper
	}
	out := *upper
	fill(&out.Preset, lower.Preset)
	fill(&out.Backoff, lower.Backoff)
	fill(&out.Attempts, lower.Attempts)
	fill(&out.Deadline, lower.Deadline)
	fill(&out.ChildDeadline, lower.ChildDeadline)
	fill(&out.AnswerDeadline, lower.AnswerDeadline)
	fill(&out.AttemptTimeout, lower.AttemptTimeout)
	fill(&out.IdleTimeout, lower.IdleTimeout)
	fill(&out.Base, lower.Base)
	fill(&out.MaxWait, lower.MaxWait)
	fill(&out.Jitter, lower.Jitter)
	fill(&out.StrictIdle, lower.StrictIdle)
	fill(&out.FallbackOn, lower.FallbackOn)
	return &out
}
