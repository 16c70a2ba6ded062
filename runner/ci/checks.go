package ci

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/internal/expression"
	"github.com/swarmrun/swarmrun/runner/event"
)

// verdict is what a check says; the zero verdict is that it holds.
type verdict struct {
	bad           bool
	expected, got string
	at            *Place
	note          string
	err           error // it could not be judged
}

func fails(expected, got string, at *Place) verdict {
	return verdict{bad: true, expected: expected, got: got, at: at}
}

// kind is how checks of a kind are judged.
type kind func(t *attempt, ctx context.Context, k *agents.Check) verdict

// kinds is the table of all kinds.
func kinds() map[string]kind {
	plain := func(f func(*attempt, *agents.Check) verdict) kind {
		return func(t *attempt, _ context.Context, k *agents.Check) verdict { return f(t, k) }
	}
	return map[string]kind{
		"contains":        plain((*attempt).contains),
		"not_contains":    plain((*attempt).notContains),
		"equals":          plain((*attempt).equals),
		"matches":         plain((*attempt).matches),
		"json":            plain((*attempt).json),
		"json_schema":     plain((*attempt).jsonSchema),
		"snapshot":        plain((*attempt).snapshot),
		"tool_called":     plain((*attempt).toolCalled),
		"tool_not_called": plain((*attempt).toolNotCalled),
		"tool_order":      plain((*attempt).toolOrder),
		"tool_result":     plain((*attempt).toolResult),
		"hook_blocked":    plain((*attempt).hookBlocked),
		"exit_code":       plain((*attempt).exitCode),
		"event":           plain((*attempt).event),
		"file":            plain((*attempt).file),
		"diff":            plain((*attempt).diff),
		"command":         (*attempt).command,
		"cost":            plain((*attempt).cost),
		"turns":           plain((*attempt).turnCount),
		"tokens":          plain((*attempt).tokens),
		"latency":         plain((*attempt).latency),
		"no_secrets":      plain((*attempt).noSecrets),
		"judge":           (*attempt).judge,
		"expr":            plain((*attempt).holds),
		"fail_if":         plain((*attempt).holdsNot),
	}
}

// Kinds are the kinds of checks that can be judged.
func Kinds() []string {
	var out []string
	for k := range kinds() {
		out = append(out, k)
	}
	return out
}

// gotLimit is how much of what was found a result shows, in bytes.
const gotLimit = 1000

// check judges all checks. What ran before may have failed the attempt already; the checks say more all the same.
func (t *attempt) check(ctx context.Context) {
	if t.result == nil {
		return // nothing was asked
	}
	table := kinds()
	for i := range t.u.c.Checks {
		k := &t.u.c.Checks[i]
		if ctx.Err() != nil {
			t.interrupted(ctx)
			return
		}
		v := verdict{err: fmt.Errorf("there is no check %q", k.Kind)}
		if judge := table[k.Kind]; judge != nil {
			v = judge(t, ctx, k)
		}
		r := Result{Kind: k.Kind, Name: title(k), OK: !v.bad && v.err == nil, File: k.Origin.File, Line: int(k.Origin.Start.Line), Column: int(k.Origin.Start.Column)}
		r.Note, _ = cutText(t.text(v.note), gotLimit)
		if !r.OK {
			r.Expected, _ = cutText(t.text(v.expected), gotLimit)
			got, cut := cutText(t.text(v.got), gotLimit)
			if r.Got = got; cut > 0 {
				r.Got += fmt.Sprintf("… (%d bytes more)", cut)
			}
			r.At = v.at
		}
		if v.err != nil {
			r.Note = t.text(v.err.Error())
			t.fail(Errored, event.KindAssertion, "%s could not be judged: %v", r.Name, v.err)
		} else if v.bad && t.out.Outcome == Passed {
			t.out.Outcome, t.out.Kind = Failed, event.KindAssertion
		}
		t.out.Checks = append(t.out.Checks, r)
	}
}

// title is a check as a person calls it.
func title(k *agents.Check) string {
	var what string
	switch {
	case k.Kind == "judge":
		what = k.Rubric
	case k.Name != "":
		what = k.Name
	case k.Path != nil:
		what = k.Path.String()
	case k.Source != "":
		what = k.Source
	case k.Run.Run != "":
		what = k.Run.Run
	case k.Pattern != nil:
		what = k.Pattern.String()
	case len(k.Text) > 0:
		what = strings.Join(k.Text, ", ")
	case k.Times != nil:
		what = k.Times.Text
	case k.Value != nil:
		what = plainText(k.Value)
	case len(k.Order) > 0:
		names := make([]string, len(k.Order))
		for i, o := range k.Order {
			names[i] = o.Name
		}
		what = strings.Join(names, ", ")
	}
	what, _, more := strings.Cut(strings.TrimSpace(what), "\n")
	if r := []rune(what); len(r) > 60 {
		what, more = string(r[:60]), true
	}
	if more {
		what += " …"
	}
	return strings.TrimSpace(k.Kind + " " + what)
}

// exitCode holds the run against the table of exit codes.
func (t *attempt) exitCode(k *agents.Check) verdict {
	if want := int(k.Times.Low); t.result.ExitCode != want {
		got := fmt.Sprint(t.result.ExitCode)
		if t.result.Kind != "" {
			got += " (" + t.result.Kind + ": " + t.result.Message + ")"
		}
		return fails(fmt.Sprintf("the run ends with %d", want), got, nil)
	}
	return verdict{}
}

func number(b *agents.Bound, v float64, got string) verdict {
	if b.Holds(v) {
		return verdict{}
	}
	return fails(b.Text, got, nil)
}

func (t *attempt) cost(k *agents.Check) verdict {
	if t.result.Usage.Unpriced {
		return fails(k.Times.Text, "unknown: the price of a model is not known (give it price: under models:)", nil)
	}
	return number(k.Times, t.result.Usage.Cost, fmt.Sprintf("%.6g US dollars", t.result.Usage.Cost))
}

func (t *attempt) turnCount(k *agents.Check) verdict {
	return number(k.Times, float64(t.result.Turns), fmt.Sprint(t.result.Turns))
}

func (t *attempt) tokens(k *agents.Check) verdict {
	n := t.result.Usage.Tokens()
	return number(k.Times, float64(n), fmt.Sprint(n))
}

func (t *attempt) latency(k *agents.Check) verdict {
	return number(k.Times, float64(t.out.RunMS)/1000, fmt.Sprintf("%d ms", t.out.RunMS))
}

// holds judges an expression over the attempt.
func (t *attempt) holds(k *agents.Check) verdict {
	ok, shown, err := t.truth(k)
	if err != nil || ok {
		return verdict{err: err}
	}
	return fails(k.Source, "false, with "+shown, nil)
}

// holdsNot judges an entry of fail_if.
func (t *attempt) holdsNot(k *agents.Check) verdict {
	ok, shown, err := t.truth(k)
	if err != nil || !ok {
		return verdict{err: err}
	}
	return fails("not "+k.Source, "true, with "+shown, t.answer())
}

// truth evaluates a condition; shown is the simple values that it can see.
func (t *attempt) truth(k *agents.Check) (ok bool, shown string, err error) {
	env := t.environment()
	v, err := k.Condition.Eval(env)
	if err != nil {
		return false, "", err
	}
	ok, _ = v.(bool)
	output, _ := cutText(t.output, 200)
	return ok, fmt.Sprintf("output %q, turns %v, tokens %v, cost %v, %d calls, files %v", output, env["turns"], env["tokens"], env["cost"], len(t.calls), env["files"]), nil
}

// environment is what expressions over an attempt see. Its names are those of config.RunNames.
func (t *attempt) environment() map[string]any {
	calls := make([]any, len(t.calls))
	for i, c := range t.calls {
		calls[i] = map[string]any{"tool": c.tool, "input": expression.Value(c.input), "result": c.result, "error": c.isError, "blocked": c.blocked, "agent": c.agent, "turn": c.turn}
	}
	findings := make([]any, len(t.out.Findings))
	for i, f := range t.out.Findings {
		findings[i] = map[string]any{"file": f.File, "line": f.Line, "severity": string(f.Severity), "rule": f.Rule, "message": f.Message}
	}
	files := make([]any, len(t.out.Changed))
	for i, c := range t.out.Changed {
		files[i] = c.Path
	}
	matrix, vars := map[string]any{}, map[string]any{}
	for _, a := range t.u.c.Matrix {
		matrix[a.Name] = expression.Value(a.Value)
	}
	for k, v := range t.u.c.Vars {
		vars[k] = v
	}
	answer, _ := t.rawAnswer()
	return map[string]any{
		"output": t.output, "json": expression.Value(answer), "ok": t.result.OK, "kind": t.result.Kind, "exit_code": t.result.ExitCode,
		"turns": t.result.Turns, "tokens": t.result.Usage.Tokens(), "cost": t.result.Usage.Cost, "seconds": float64(t.out.RunMS) / 1000,
		"model": t.out.Model, "calls": calls, "findings": findings, "files": files, "matrix": matrix, "vars": vars,
	}
}

// Names are the names that expressions over an attempt and over an event can use, sorted.
func Names() (run, ofEvent []string) {
	t := &attempt{u: &unit{c: &agents.Case{}}, out: &Attempt{}, result: &event.Result{}}
	fields, _ := eventEnvironment(&event.Warning{}) // it is written like every event
	return slices.Sorted(maps.Keys(t.environment())), slices.Sorted(maps.Keys(fields))
}
