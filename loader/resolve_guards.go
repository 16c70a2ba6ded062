package loader

import (
	"github.com/swarmrun/swarmrun/config/diag"
)

// gates are the hook events, in all spellings, before which something can be stopped.
var gates = map[string]bool{
	"run_start": true, "first_message": true, "before_ask": true, "before_model": true, "before_tool": true,
	"before_delegation": true, "before_compaction": true,
	"swarm_start": true, "user_prompt": true, "pre_tool_use": true, "pre_delegation": true,
	"PreToolUse": true, "PermissionRequest": true, "UserPromptSubmit": true, "UserPromptExpansion": true,
	"PostToolBatch": true, "PreCompact": true,
}

// resolveGuards refuses to start an agent whose hooks guard something, since this version runs no hooks. Hooks that only
// look on are told and left out.
func (w *world) resolveGuards(a *agent) diag.List {
	var ds diag.List
	if a.claude() {
		a.refused.Add(w.unrun...)
	}
	told := diag.Code("W-INACTIVE")
	if a.claude() {
		told = "I-INACTIVE"
	}
	for _, g := range a.Hooks.V {
		at, what := g.Event.At, g.Event.V
		if g.Name.Set() {
			at, what = g.Name.At, g.Name.V
		}
		if gates[what] || g.Name.Set() {
			a.refused.Add(unguarded(at, a.Name, what))
		}
		ds.Add(diag.New(told, at, "this version does not run hooks (%s)", what))
	}
	return ds
}

// unguarded refuses what a hook that is not run would guard.
func unguarded(at diag.Range, agent, hook string) diag.Diagnostic {
	return diag.New("E-HOOK-INACTIVE", at, "hooks are not run by this version, so what %s guards in %q would go unguarded", hook, agent).
		Suggest("take the hook out if nothing depends on it, and use permissions: to refuse calls")
}
