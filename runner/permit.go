package runner

import (
	"bytes"
	"cmp"
	"context"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
)

// permit checks the input, lets hooks decide, and asks the rules, and the person where they say so. It fills in the result of
// a call that does not begin.
func (x *exchange) permit(ctx context.Context, call *tools.Call, t *Offered, out *outcome) bool {
	ok := x.fitsSchema(call, t, out) && x.permitted(ctx, call, t, out)
	out.Settled = !ok
	return ok
}

func (x *exchange) fitsSchema(call *tools.Call, t *Offered, out *outcome) bool {
	err := t.Tool.Spec().Check(call.Input)
	if err != nil {
		out.Blocked, out.Result = blockedBySchema, tools.Result{Content: err.Error(), IsError: true}
	}
	return err == nil
}

// permitted is the order of decisions: hooks, then the rules. What a hook allowed asks nobody, and what is denied stays so.
func (x *exchange) permitted(ctx context.Context, call *tools.Call, t *Offered, out *outcome) bool {
	said, why, ok := x.asked(ctx, call, t, out)
	if !ok {
		return false
	}
	d := x.decide(call, t, said, why, x.approved())
	if d.Verdict == tools.Ask && (said == hook.Ask || !x.passes(call, t)) {
		seen := call.Input
		answered, ok := x.requested(ctx, call, t, out)
		if !ok {
			return false
		}
		if !bytes.Equal(call.Input, seen) { // whoever saw the old input sees the new one
			if said, why, ok = x.asked(ctx, call, t, out); !ok {
				return false
			}
			d = x.decide(call, t, cmp.Or(said, hook.Ask), why, x.approved())
		}
		if answered == hook.Allow && d.Verdict == tools.Ask {
			d = tools.Decision{Verdict: tools.Allow}
			if out.Changed != nil {
				d = t.rules.DecideAllowed(t.Tool, call)
			}
		}
		if d.Verdict == tools.Ask {
			d = x.askPerson(ctx, call, t, d, out)
		}
	}
	return d.Verdict != tools.Deny || x.refuse(d, out)
}

// decide is what skills and rules make of a call that hooks have spoken about, with why as their reason.
func (x *exchange) decide(call *tools.Call, t *Offered, said hook.Decision, why string, granted []tools.Rule) tools.Decision {
	if text, taken := x.takes(t.Tool, call); taken {
		return tools.Decision{Verdict: tools.Deny, Why: tools.WhyRule, Text: text}
	}
	d := t.rules.Decide(t.Tool, call, granted)
	if said == hook.Allow && d.Verdict != tools.Allow {
		d = t.rules.DecideAllowed(t.Tool, call)
	}
	if said == hook.Ask && d.Verdict == tools.Allow {
		d = tools.Decision{Verdict: tools.Ask, Why: tools.WhyRule, Text: cmp.Or(why, "a hook asks about "+call.Tool)}
		if x.rules.Mode == tools.ModeDenyAsks {
			d = d.Refuse(tools.WhyMode)
		}
	}
	return d
}

// refuse fills in the result of a call that is refused.
func (x *exchange) refuse(d tools.Decision, out *outcome) bool {
	rule, place := ruleOf(d)
	out.Blocked, out.Denied = blockedByPermission, &denial{Rule: rule, Place: place, Why: d.Why}
	out.Result = tools.Result{Content: d.Text, IsError: true}
	return false
}

// passes tells whether the person let such calls pass for the rest of the run.
func (x *exchange) passes(call *tools.Call, t *Offered) bool {
	if len(x.passed) == 0 {
		return false
	}
	rules := tools.Rules{Grants: x.passed}
	return rules.Decide(t.Tool, call, nil).Verdict == tools.Allow
}

// askPerson turns an ask into a yes or a no.
func (x *exchange) askPerson(ctx context.Context, call *tools.Call, t *Offered, d tools.Decision, out *outcome) tools.Decision {
	if x.run.w.Ask == nil {
		return d.Refuse(tools.WhyNoTerminal)
	}
	rule, place := ruleOf(d)
	x.say(&event.PermissionAsked{ToolCallID: call.ID, Tool: call.Tool, Rule: rule, Place: place})
	answer, err := x.run.w.Ask.Ask(ctx, tools.Question{
		Agent: x.agent.Name, Tool: call.Tool, Text: x.redact(d.Text), Rule: rule, Always: d.Always,
	})
	if err != nil || answer == tools.Refuse {
		return d.Refuse(tools.WhyPerson)
	}
	if n, ok := t.Tool.(tools.Renewable); ok {
		n.Accept()
	}
	if answer != tools.Once {
		out.Pass = d.Always
	}
	return tools.Decision{Verdict: tools.Allow}
}

func ruleOf(d tools.Decision) (text, place string) {
	if d.Rule == nil {
		return "", ""
	}
	if !d.Rule.At.IsZero() {
		place = d.Rule.At.String()
	}
	return d.Rule.Text, place
}

// remember keeps what a call changes for the calls of the next turn.
func (x *exchange) remember(out *outcome) {
	x.granting = append(x.granting, out.Result.Grant...)
	x.nesting, x.finding = append(x.nesting, out.Nested...), append(x.finding, out.Found...)
	if out.Pass == "" {
		return
	}
	if rule, err := tools.ParseRule(out.Pass, tools.Native, diag.Range{}); err == nil {
		x.passing = append(x.passing, rule)
	}
}

// turnOver makes count what the calls of a turn changed.
func (x *exchange) turnOver() {
	x.granted, x.passed = append(x.granted, x.granting...), append(x.passed, x.passing...)
	x.granting, x.passing = nil, nil
	x.lendLoaded()
}
