package loader

import "testing"

// TestMayHook: what may have hooks is told by names, of every tree that has some.
func TestMayHook(t *testing.T) {
	env, _ := testEnv(t)
	for place, want := range map[string]bool{
		"hooks/h.md": true, ".claude/settings.json": true, ".claude/settings.local.json": true, ".github/hooks/h.json": true,
		"agents/a.md": false, ".claude/agents/a.md": false, "docs/hooks/h.md": false,
	} {
		if got := MayHook(write(t, t.TempDir(), place, "x"), env); got != want {
			t.Errorf("%s: %t", place, got)
		}
	}
	if MayHook("/nowhere", env) {
		t.Error("a folder that is not there may have hooks")
	}
}
