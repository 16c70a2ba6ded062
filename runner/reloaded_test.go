package runner_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
)

// hookFunc is a hook in Go.
type hookFunc func(in *hook.Input) (hook.Result, error)

func (f hookFunc) Run(_ context.Context, in *hook.Input, _ hook.Host) (hook.Result, error) {
	return f(in)
}

// TestReloaded tells of saves: what is published reaches the sink and the workspace's hooks, what is rejected the sink alone.
func TestReloaded(t *testing.T) {
	var heard []string
	g, err := agents.New(agents.Spec{
		Name: "w", Root: t.TempDir(), Secrets: func() []string { return []string{"hunter-two-two"} }, Generation: 3, Agents: []*agents.Agent{worker(t)},
		Hooks: hook.Chain{{Name: "tell", On: []string{string(hook.GraphReloaded)}, Hook: hookFunc(func(in *hook.Input) (hook.Result, error) {
			raw, err := in.JSON()
			heard = append(heard, string(raw))
			return hook.Result{Notices: []string{"it found hunter-two-two"}}, err
		})}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	r := runner.New(agents.Static(g), &runner.Options{
		Now: func() time.Time { return time.Unix(0, 0) },
		Sink: func(e event.Event) {
			var b strings.Builder
			if err := event.NewWriter(&b).Write(e); err != nil {
				t.Error(err)
			}
			told = append(told, strings.TrimSpace(b.String()))
		},
	})
	warning := diag.New("W-BODY-EMPTY", diag.At("agents/a.md", 1, 1, 0), "empty")
	stale := diag.New("W-STALE", diag.At("agents/a.md", 2, 1, 0), "still on generation 3")
	r.Reloaded(agents.Change{Generation: 3})
	r.Reloaded(agents.Change{Generation: 3, Rejected: true, Diagnostics: diag.List{stale}})
	r.Reloaded(agents.Change{
		Generation: 3, Published: true, Kept: 4, Duration: 5 * time.Millisecond, Diagnostics: diag.List{warning},
		Changed: []agents.Definition{{Kind: "agent", Name: "a", File: "agents/a.md"}},
	})
	if len(told) != 4 || !strings.Contains(told[3], `"message":"it found [redacted]"`) || !strings.Contains(told[0], `"graph_rejected"`) || !strings.Contains(told[1], `"graph_reloaded"`) || !strings.Contains(told[2], `"hook_executed"`) {
		t.Fatalf("told:\n%s", strings.Join(told, "\n"))
	}
	for _, part := range []string{`"generation":3`, `"added":[]`, `"changed":[{"kind":"agent","name":"a","file":"agents/a.md"}]`, `"removed":[]`, `"kept":4`, `W-BODY-EMPTY`, `"duration_ms":5`} {
		if !strings.Contains(told[1], part) {
			t.Errorf("graph_reloaded lacks %s: %s", part, told[1])
		}
	}
	if diff := cmp.Diff(1, len(heard)); diff != "" || !strings.Contains(heard[0], `"changed":["agent:a"]`) {
		t.Errorf("hooks heard %v", heard)
	}
}
