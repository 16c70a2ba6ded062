package runner_test

import (
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/tools"
)

// pager is an agent that reads three pages, keeps the last two messages of its conversation, and whose window is full once,
// in its fourth turn.
func pager(t *testing.T, s agents.Strategy, rules ...script.Rule) *agents.Agent {
	t.Helper()
	a := worker(t, append(rules,
		script.Rule{When: []script.When{{System: "^You summarise"}}, Reply: say("Pages were read.")},
		script.Rule{When: []script.When{{Turn: "<=3"}}, Reply: use(call("page", `{}`))},
		script.Rule{Reply: say("read")},
	)...)
	a.Context = agents.Context{KeepRecent: 2, Strategy: s}
	a.Tools = []tools.Toolset{tools.Fixed(bare{"page", func(*tools.Call) (tools.Result, error) {
		return tools.Result{Content: strings.Repeat("word ", 300)}, nil
	}})}
	return a
}

// full is a rule of a window that is full in a turn.
func full(w script.When, times int) script.Rule {
	return script.Rule{When: []script.When{w}, Times: times, Reply: script.Reply{Error: &script.Failure{Kind: providers.KindOverflow, Status: 400}}}
}

// compactions are the scenes in which a conversation is made smaller.
func compactions(t *testing.T) map[string]*scene {
	req := runner.Request{Input: "read all"}
	all := map[string]*scene{}
	for _, s := range []agents.Strategy{agents.Summarise, agents.Prune, agents.TruncateTools} {
		all["overflow_"+string(s)] = &scene{agents: []*agents.Agent{pager(t, s, full(script.When{Turn: "4"}, 1))}, req: req}
	}
	all["overflow_twice"] = &scene{agents: []*agents.Agent{pager(t, agents.Prune, full(script.When{Turn: "4"}, 2))}, req: req, wantErr: "context_overflow"}
	all["overflow_of_summary"] = &scene{
		agents: []*agents.Agent{pager(t, "", full(script.When{System: "^You summarise"}, 0), full(script.When{Turn: "4"}, 1))},
		req:    req, wantErr: "context_overflow",
	}

	near := pager(t, "")
	near.Context.Window = 560 // the model says that 110 tokens are used, a page is 375 more
	all["threshold"] = &scene{agents: []*agents.Agent{near}, req: req}
	failing := pager(t, "", full(script.When{System: "^You summarise"}, 0))
	failing.Context.Window, failing.Context.CompactAt = 1_100, 0.4
	all["threshold_fails"] = &scene{agents: []*agents.Agent{failing}, req: req}
	return all
}
