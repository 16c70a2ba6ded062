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
	fill(&out.DisallowedTools, d.DisallowedTools)
	fill(&out.PermissionMode, d.PermissionMode)
	fill(&out.Delegates, d.Delegates)
	fill(&out.Instructions, d.Instructions)
	fill(&out.Directory, d.Directory)
	fill(&out.Directories, d.Directories)
	fill(&out.Output, d.Output)
	fill(&out.Parameters, d.Parameters)
	fill(&out.Thinking, d.Thinking)
	fill(&out.Headers, d.Headers)
	fill(&out.MaxTurns, d.MaxTurns)
	fill(&out.Timeout, d.Timeout)
	fill(&out.Budget, d.Budget)
	fill(&out.MaxConcurrent, d.MaxConcurrent)
	fill(&out.Context, d.Context)
	fill(&out.Streaming, d.Streaming)
	fill(&out.Template, d.Template)
	fill(&out.Vars, d.Vars)
	fill(&out.Skills, d.Skills)
	fill(&out.MCP, d.MCP)
	fill(&out.Hooks, d.Hooks)
	if out.Permissions.At.IsZero() {
		out.Permissions = d.Permissions
	}
	out.Retry = mergeRetry(d.Retry, out.Retry)
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
