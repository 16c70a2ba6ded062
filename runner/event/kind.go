package event

import "slices"

// The kinds of failure that the runner itself finds; those of a model call are providers.Kind.
const (
	KindUnknown          = "unknown"
	KindOutputInvalid    = "output_invalid"
	KindIO               = "io"
	KindInternal         = "internal"
	KindUsage            = "usage"
	KindDefinitions      = "definitions"
	KindDeadline         = "deadline"
	KindContextOverflow  = "context_overflow"
	KindTurnLimit        = "turn_limit"
	KindCostLimit        = "cost_limit"
	KindTokenLimit       = "token_limit"
	KindLoopGuard        = "loop_guard"
	KindPermissionDenied = "permission_denied"
	KindAgentFailed      = "agent_failed"
	KindHookBlocked      = "hook_blocked"
	KindCancelled        = "cancelled"
	KindStepFailed       = "step_failed"
	KindAssertion        = "assertion"
	KindNoCases          = "no_cases"
	KindMCPRequired      = "mcp_required"
)

// ExitTerminated is the exit code of a cancelled run whose cause was SIGTERM; ExitCode gives the other one.
const ExitTerminated = 143

// group is the kinds that end a process with one exit code.
type group struct {
	code  int
	says  string
	kinds []string
}

// groups is the table of kinds, in the order of their exit codes.
func groups() []group {
	return []group{
		{1, "the run finished but failed", []string{
			KindUnknown, KindOutputInvalid, KindAgentFailed, KindStepFailed, KindAssertion, KindNoCases, KindIO, "memory", KindMCPRequired, KindInternal,
		}},
		{2, "usage", []string{KindUsage}},
		{3, "definitions invalid", []string{KindDefinitions}},
		{4, "the provider refused", []string{"auth", "permission", "quota", "not_found", "invalid_request", "orphan_tool_calls"}},
		{5, "the provider was unavailable", []string{
			"transport", "timeout", "rate_limit", "overloaded", "server", "truncated", "contract", "budget_exhausted",
		}},
		{6, "deadline exceeded", []string{KindDeadline}},
		{7, "stopped by a limit", []string{
			KindContextOverflow, KindTurnLimit, KindCostLimit, KindTokenLimit, "repeat_limit", KindLoopGuard,
		}},
		{8, "blocked", []string{"content_filter", KindHookBlocked, KindPermissionDenied}},
		{130, "cancelled; 143 when the cause was SIGTERM", []string{KindCancelled}},
	}
}

// Kinds lists every kind of failure, those of the lowest exit code first.
func Kinds() []string {
	var all []string
	for _, g := range groups() {
		all = append(all, g.kinds...)
	}
	return all
}

// ExitCode is the exit code of the process for a kind of failure: 0 for "", 1 for a kind that is not in the table.
func ExitCode(kind string) int {
	if kind == "" {
		return 0
	}
	for _, g := range groups() {
		if slices.Contains(g.kinds, kind) {
			return g.code
		}
	}
	return 1
}
