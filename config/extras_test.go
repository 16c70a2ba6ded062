package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExtrasAreShared: agents that say nothing rare hold none of it, and what one of them changes is its own.
func TestExtrasAreShared(t *testing.T) {
	read := func(line string) *Agent {
		a, _, ds := ReadAgent([]byte("---\ndescription: Reads.\ntools: [Read]\nmax_turns: 3\n"+line+"---\nRead.\n"), "a.md", Workspace)
		if a == nil || len(ds) > 0 {
			t.Fatalf("%v", ds)
		}
		return a
	}
	one, other, third := read(""), read(""), read("timeout: 3s\n")
	if one.AgentExtras != other.AgentExtras || third.AgentExtras == one.AgentExtras {
		t.Error("who shares what")
	}
	one.Change().Directory = Ref{V: "src"}
	if one.Directory.V != "src" || other.Directory.V != "" {
		t.Errorf("%q and %q", one.Directory.V, other.Directory.V)
	}
	if diff := cmp.Diff(AgentExtras{}, *noExtras.Get()); diff != "" {
		t.Errorf("what all share was written to:\n%s", diff)
	}
}
