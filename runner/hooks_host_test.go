package runner_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/tools"
)

// remoteTool is a tool of a server, under a name that the server does not have for it.
type remoteTool struct{ name, source, remote string }

func (r remoteTool) Spec() tools.Spec {
	return tools.NewSpec(r.name, "", json.RawMessage(`{"type":"object"}`), true)
}
func (r remoteTool) Source() string { return r.source }
func (r remoteTool) Remote() string { return r.remote }
func (r remoteTool) Call(_ context.Context, c *tools.Call) (tools.Result, error) {
	return tools.Result{Content: r.name + string(c.Input)}, nil
}

// remotes is a toolset of them.
type remotes []remoteTool

func (r remotes) Open(context.Context, tools.Roots) ([]tools.Tool, func(), error) {
	var out []tools.Tool
	for _, t := range r {
		out = append(out, t)
	}
	return out, nil, nil
}

// hosted is a hook that does something with the run around it.
type hosted func(ctx context.Context, h hook.Host)

func (f hosted) Run(ctx context.Context, _ *hook.Input, h hook.Host) (hook.Result, error) {
	f(ctx, h)
	return hook.Result{}, nil
}

// TestHookCallsTool: a hook names server and tool as they are written, whatever models call the tool.
func TestHookCallsTool(t *testing.T) {
	for _, tt := range []struct{ server, tool, want string }{
		{"my notes", "find", `n_find{"q":1}`},
		{"other", "find", `mcp__other__find{"q":1}`},
		{"notes", "find", "the agent has no tool find of a server notes, which must be among its mcp"},
	} {
		var got string
		a := worker(t, script.Rule{Reply: say("x")})
		a.Tools = append(a.Tools, remotes{{"n_find", "mcp:my notes", "find"}, {"mcp__other__find", "mcp:other", "find"}})
		a.Hooks = hook.Chain{{Name: "h", On: []string{"run_start"}, Hook: hosted(func(ctx context.Context, h hook.Host) {
			var err error
			if got, err = h.CallTool(ctx, tt.server, tt.tool, []byte(`{"q":1}`)); err != nil {
				got = err.Error()
			}
		})}}
		mustDo(t, newRunner(t, &scene{agents: []*agents.Agent{a}}, nil), runner.Request{Input: "work"}, nil)
		if got != tt.want {
			t.Errorf("%s %s: %q", tt.server, tt.tool, got)
		}
	}
}
