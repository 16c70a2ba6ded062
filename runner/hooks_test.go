package runner_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/tools"
)

// says is a hook that always answers alike.
func says(name, on string, r hook.Result) hook.Entry {
	return hook.Entry{Name: name, On: strings.Split(on, " "), Hook: hook.Func(func(context.Context, *hook.Input) hook.Result { return r })}
}

// once answers the first time only.
func once(name, on string, r hook.Result) hook.Entry {
	done := false
	return hook.Entry{Name: name, On: []string{on}, Hook: hook.Func(func(context.Context, *hook.Input) hook.Result {
		if done {
			return hook.Result{}
		}
		done = true
		return r
	})}
}

// everything listens to every event and adds nothing.
const everything = "run_start run_stop first_message before_ask after_ask before_model after_model before_tool after_tool tool_error " +
	"before_delegation after_delegation on_stop context_warning before_compaction after_compaction"

// hooked are the scenes with hooks.
func hooked(t *testing.T) map[string]*scene {
	t.Helper()
	first := script.When{Turn: "1"}
	adds := func(hooks ...hook.Entry) *agents.Agent {
		a := worker(t,
			script.Rule{When: []script.When{first}, Reply: use(call("add", `{"a":1,"b":1}`), call("refuses", `{}`))},
			script.Rule{Reply: say(`{{ range .Results }}[{{ .IsError }} {{ .Text }}]{{ end }}`)},
		)
		a.Limits.MaxConcurrentTools = 1
		a.Hooks = hooks
		return a
	}
	run := func(err string, agents ...*agents.Agent) *scene {
		return &scene{agents: agents, req: runner.Request{Input: "work"}, wantErr: err}
	}
	onAdd := func(name string, r hook.Result) hook.Entry {
		e := says(name, "before_tool", r)
		e.Match, _ = hook.ParseMatcher("add")
		return e
	}
	asks := adds(onAdd("h", hook.Result{Decision: hook.Ask, Message: "Add these two?"}))
	ruled := adds(onAdd("h", hook.Result{Decision: hook.Allow}))
	ruled.Rules.Ask = []tools.Rule{rule(t, "add")}
	denied := adds(onAdd("h", hook.Result{Decision: hook.Allow}))
	denied.Rules.Deny = []tools.Rule{rule(t, "add(a:1)")}
	rerouted := adds(onAdd("h", hook.Result{Decision: hook.Allow, Input: json.RawMessage(`{"a":5,"b":1}`)}))
	rerouted.Rules.Deny = []tools.Rule{rule(t, "add(a:5)")}
	person1 := adds(says("p", "PermissionRequest", hook.Result{Decision: hook.Allow}))
	person1.Rules.Ask = []tools.Rule{rule(t, "add")}

	exchanged := adds(says("p", "PermissionRequest", hook.Result{Input: json.RawMessage(`{"a":5,"b":1}`)}))
	exchanged.Rules.Ask, exchanged.Rules.Deny = []tools.Rule{rule(t, "add")}, []tools.Rule{rule(t, "add(a:5)")}
	agreed := run("", exchanged)
	agreed.ask = &person{answer: tools.Once}

	reread := adds(says("p", "PermissionRequest", hook.Result{Decision: hook.Allow, Input: json.RawMessage(`{"a":5,"b":1}`)}),
		hook.Entry{Name: "no fives", On: []string{"before_tool"}, Hook: hook.Func(func(_ context.Context, in *hook.Input) hook.Result {
			if strings.Contains(string(in.Call.Input), "5") {
				return hook.Result{Decision: hook.Halt, Message: "no fives"}
			}
			return hook.Result{}
		})})
	reread.Rules.Ask = []tools.Rule{rule(t, "add")}

	stubborn := adds(says("h", "on_stop", hook.Result{Decision: hook.Halt, Message: "not yet"}))
	lenient := adds(says("h", "Stop", hook.Result{Decision: hook.Halt, Message: "not yet"}))
	lenient.Hooks[0].Lenient = true
	crash := adds(hook.Entry{Name: "h", On: []string{"before_tool"}, Hook: hook.Func(func(context.Context, *hook.Input) hook.Result { panic("oh") })})
	open := adds(hook.Entry{Name: "h", On: []string{"PreToolUse"}, Lenient: true, Hook: hook.Func(func(context.Context, *hook.Input) hook.Result { panic("oh") })})
	shaped := adds(says("h", "on_stop", hook.Result{Decision: hook.Replace, Value: `{"n":4}`}))
	shaped.Output = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	shaped.Model = scripted(t, script.Rule{Reply: say(`{"n": 3}`)})

	all := map[string]*scene{
		"hooks_look_on":          run("", adds(says("eye", everything, hook.Result{}))),
		"hook_run_start_halts":   run("hook_blocked", adds(says("h", "run_start", hook.Result{Decision: hook.Halt, Message: "closed today"}))),
		"hook_before_ask_halts":  run("hook_blocked", adds(says("h", "before_ask", hook.Result{Decision: hook.Halt, Message: "no such questions"}))),
		"hook_before_ask_adds":   run("", adds(says("a", "run_start", hook.Result{Context: []string{"It is Monday."}}), says("b", "before_ask", hook.Result{Decision: hook.Replace, Value: "work slowly", Context: []string{"Be kind."}}))),
		"hook_before_model":      run("hook_blocked", adds(says("h", "PostToolBatch", hook.Result{Decision: hook.Halt, Message: "enough"}))),
		"hook_after_model":       run("", adds(once("h", "after_model", hook.Result{Decision: hook.Halt, Message: "Mind the budget."}))),
		"hook_tool_halts":        run("", adds(onAdd("h", hook.Result{Decision: hook.Halt, Message: "no sums"}))),
		"hook_tool_replaces":     run("", adds(onAdd("h", hook.Result{Decision: hook.Replace, Value: "eleven"}))),
		"hook_tool_input":        run("", adds(onAdd("h", hook.Result{Input: json.RawMessage(`{"a":40,"b":2}`)}))),
		"hook_tool_bad_input":    run("", adds(onAdd("h", hook.Result{Input: json.RawMessage(`{"a":"x"}`)}))),
		"hook_tool_input_denied": run("", rerouted),
		"hook_tool_asks":         run("", asks),
		"hook_tool_allows":       run("", ruled),
		"hook_tool_deny_stays":   run("", denied),
		"hook_answers_for_us":    run("", person1),
		"hook_asked_input":       agreed,
		"hook_asked_input_seen":  run("", reread),
		"hook_tool_fails":        run("", crash),
		"hook_tool_fails_open":   run("", open),
		"hook_after_tool":        run("", adds(says("a", "after_tool", hook.Result{Decision: hook.Halt, Message: "The tests fail now."}), says("b", "PostToolUseFailure", hook.Result{Context: []string{"Try again."}}))),
		"hook_result_replaced":   run("", adds(says("h", "after_tool", hook.Result{Decision: hook.Replace, Value: "[left out]"}))),
		"hook_finish_agent":      run("", adds(onAdd("h", hook.Result{Decision: hook.FinishAgent, Message: "Two it is."}))),
		"hook_ends":              run("hook_blocked", adds(onAdd("h", hook.Result{Decision: hook.End, Message: "stop everything"}))),
		"hook_on_stop_once":      run("", adds(once("h", "on_stop", hook.Result{Decision: hook.Halt, Message: "Say it again."}))),
		"hook_on_stop_always":    run("hook_blocked", stubborn),
		"hook_on_stop_lenient":   run("", lenient),
		"hook_result_both":       run("", adds(says("h", "after_tool", hook.Result{Decision: hook.Halt, Message: "Never again.", Output: new("[left out]")}))),
		"hook_on_stop_replaces":  run("", adds(says("h", "on_stop", hook.Result{Decision: hook.Replace, Value: "All fine."}))),
		"hook_on_stop_shaped":    run("", shaped),
	}
	for name, h := range map[string]hook.Entry{
		"hook_compaction_seen":  says("eye", "before_compaction PostCompact context_warning", hook.Result{}),
		"hook_compaction_halts": says("h", "PreCompact", hook.Result{Decision: hook.Halt, Message: "keep it whole"}),
	} {
		a := pager(t, agents.Prune)
		a.Context.Window, a.Hooks = 560, hook.Chain{h}
		all[name] = run("", a)
	}
	maps.Copy(all, delegating(t))
	return all
}

// delegating are the scenes with hooks on delegates.
func delegating(t *testing.T) map[string]*scene {
	first := script.When{Turn: "1"}
	lead := func(hooks ...hook.Entry) *agents.Agent {
		return &agents.Agent{Name: "lead", Prompt: "You lead.", Hooks: hooks, Delegates: []agents.Delegate{{Agent: "worker"}}, Model: scripted(t,
			script.Rule{When: []script.When{first}, Reply: use(call("WorkWithWorker", `{"message":"add 1 and 2"}`))},
			script.Rule{Reply: say(`{{ range .Results }}[{{ .IsError }} {{ .Text }}]{{ end }}`)},
		)}
	}
	adder := func(hooks ...hook.Entry) *agents.Agent {
		a := worker(t,
			script.Rule{When: []script.When{{Turn: "1", Prompt: "add"}}, Reply: use(call("add", `{"a":1,"b":2}`))},
			script.Rule{Reply: say(`{{ .Prompt }}: {{ with .Results }}{{ (index . 0).Text }}{{ end }}`)},
		)
		a.Hooks = hooks
		return a
	}
	task := says("h", "PreToolUse", hook.Result{Decision: hook.Halt, Message: "nobody is asked"})
	task.Match, _ = hook.ParseMatcher("Task")
	run := func(agents ...*agents.Agent) *scene { return &scene{agents: agents, req: runner.Request{Input: "go"}} }
	return map[string]*scene{
		"hook_delegation_looks_on": run(lead(says("eye", everything, hook.Result{})), adder(says("below", everything, hook.Result{}))),
		"hook_delegation_halts":    run(lead(task), adder()),
		"hook_delegation_adds":     run(lead(says("h", "before_delegation", hook.Result{Decision: hook.Halt, Message: "not today", Context: []string{"Ask tomorrow."}})), adder()),
		"hook_delegation_input":    run(lead(says("h", "before_delegation", hook.Result{Input: json.RawMessage(`{"message":"say hello"}`)})), adder()),
		"hook_delegation_after":    run(lead(says("h", "after_delegation", hook.Result{Decision: hook.Replace, Value: "seven"})), adder()),
		"hook_delegate_refuses":    run(lead(), adder(says("h", "before_ask", hook.Result{Decision: hook.Halt, Message: "not for me"}))),
		"hook_finish_run":          run(lead(), adder(says("h", "before_tool", hook.Result{Decision: hook.FinishRun, Message: "Three."}))),
	}
}
