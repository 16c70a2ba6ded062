package tools

import (
	"slices"

	"github.com/swarmrun/swarmrun/tools/internal/shell"
)

// Verdict is what becomes of a call.
type Verdict int

// The verdicts. The zero Verdict refuses.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// String is the word in events and logs.
func (v Verdict) String() string { return [...]string{"deny", "ask", "allow"}[v] }

// Why a call is refused or asked about, as in the event permission_denied.
const (
	WhyRule       = "rule"        // a rule, or the tools setting
	WhyMode       = "mode"        // the permission mode
	WhyOutside    = "outside"     // a file outside the directories
	WhyNoTerminal = "no_terminal" // nobody to ask
	WhyPerson     = "person"      // the person refused
)

// Decision is the answer to one call.
type Decision struct {
	Verdict Verdict
	Rule    *Rule  // that decided; nil = none did
	Why     string // of Deny and Ask: one of the Why constants
	Text    string // Deny: what the model is told. Ask: what is about to happen, one line
	Always  string // Ask: the rule that "always" would add; "" = no rule can cover the call
}

// judge is one decision in the making.
type judge struct {
	rules   *Rules
	spec    Spec
	call    *Call
	granted []Rule
	ground  *Ground
	reached []reach
	renewed bool // the tool is not as it was when a person approved it
}

// Decide answers one call: offered with its specifiers, deny, plan mode, ask, what is guarded, allow, and what no rule names. granted are
// rules of active skills; they pre-approve and offer nothing. Files are looked at on disk, so a decision holds for the moment.
func (r *Rules) Decide(t Tool, c *Call, granted []Rule) Decision {
	j, refused := r.judge(t, c, granted)
	if refused != nil {
		return *refused
	}
	for _, step := range []func() (Decision, bool){j.offered, j.denied, j.planned, j.asked, j.guarded, j.allowed, j.outside, j.cautious} {
		if d, done := step(); done {
			return d
		}
	}
	return Decision{Verdict: Allow}
}

// judge looks at what a call reaches. A call that cannot be looked at is refused.
func (r *Rules) judge(t Tool, c *Call, granted []Rule) (*judge, *Decision) {
	j := &judge{rules: r, spec: t.Spec(), call: c, granted: granted, ground: c.Ground}
	if j.ground == nil {
		j.ground = NewGround(c.Roots)
	}
	if n, ok := t.(Renewable); ok {
		j.renewed = n.Renewed()
	}
	var err error
	if j.reached, err = reaches(t, c, j.ground); err != nil {
		return nil, &Decision{Why: WhyRule, Text: j.refusal("its input cannot be checked: "+err.Error(), nil)}
	}
	c.reached = j.reached
	return j, nil
}

// offered is step 1: the tools setting, and the specifiers in it.
func (j *judge) offered() (Decision, bool) {
	o := j.rules.Offers(j.spec)
	switch o.Effect {
	case NotNamed:
		return j.deny(WhyRule, nil, "this agent is not given the tool"), true
	case Removed:
		return j.deny(WhyRule, &o.By[0], ""), true
	case Narrowed:
		for _, t := range j.reached {
			if why, ok := j.narrowed(t, o.By); !ok {
				return j.deny(WhyRule, &o.By[0], why), true
			}
		}
	}
	return Decision{}, false
}

// narrowed holds one reached thing against the specifiers of the tools setting. A file that a narrowed command opens needs
// what a tool that opens it would need.
func (j *judge) narrowed(t reach, by []Rule) (string, bool) {
	if t.byShell {
		if t.veiled == "" && j.opens(t) {
			return "", true
		}
		return notCovered(t), false
	}
	if t.cmd.Inner || j.covered(t, by, grants) {
		return "", true
	}
	return notCovered(t), false
}

// opens tells whether Read, Edit or Write is given for a file, inside the directories or by a rule that names it.
func (j *judge) opens(t reach) bool {
	tools := []string{"Read"}
	if t.kind == TouchWrite {
		tools = []string{"Edit", "Write"}
	}
	if j.closed(t) != "" {
		return false
	}
	return slices.ContainsFunc(tools, func(tool string) bool {
		o := j.rules.Offers(Spec{Name: tool, ReadOnly: tool == "Read"})
		if !o.OK() {
			return false
		}
		named := slices.ContainsFunc(o.By, func(r Rule) bool {
			return r.form() == formPath && r.fits(tool, t, nil, grants, j.ground) == shell.Hits
		})
		return named || o.Effect == Offered && (j.ground.holds(t.path) || j.covered(t, j.rules.Allow, allows))
	})
}

// covered tells whether one of the rules fits surely.
func (j *judge) covered(t reach, rules []Rule, u use) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool {
		return r.fits(j.spec.Name, t, j.call.Input, u, j.ground) == shell.Hits
	})
}

// forbidden finds the first rule that fits something the call reaches, surely or, if none does, perhaps.
func (j *judge) forbidden(lists ...[]Rule) (rule *Rule, t reach, m match) {
	for _, list := range lists {
		for i := range list {
			for _, r := range j.reached {
				if got := list[i].fits(j.spec.Name, r, j.call.Input, forbids, j.ground); got > m {
					rule, t, m = &list[i], r, got
				}
			}
			if m == shell.Hits {
				return rule, t, m
			}
		}
	}
	return rule, t, m
}

// denied is step 3. What a rule may fit is asked about, and refused where asking is switched off.
func (j *judge) denied() (Decision, bool) {
	rule, t, m := j.forbidden(j.rules.Removed, j.rules.Deny)
	switch {
	case m == shell.Miss:
		return Decision{}, false
	case m == shell.Hits:
		return j.deny(WhyRule, rule, ""), true
	case j.rules.Mode == ModeBypass:
		return j.deny(WhyRule, rule, "it cannot be told whether the rule is met: "+cause(t)), true
	}
	return j.ask(rule, WhyRule, cause(t)), true
}

func (j *judge) planned() (Decision, bool) {
	if j.rules.Mode != ModePlan || j.spec.ReadOnly {
		return Decision{}, false
	}
	return j.deny(WhyMode, nil, "this agent is in plan mode, which only reads"), true
}

// asked is step 4.
func (j *judge) asked() (Decision, bool) {
	rule, t, m := j.forbidden(j.rules.Ask)
	if m == shell.Miss {
		return Decision{}, false
	}
	why := ""
	if m == shell.May {
		why = cause(t)
	}
	return j.ask(rule, WhyRule, why), true
}

// allowed is step 5: rules that together name all that the call reaches.
func (j *judge) allowed() (Decision, bool) {
	rules := append(slices.Clip(j.rules.Allow), j.granted...)
	for _, t := range j.reached {
		if !t.cmd.Inner && !j.covered(t, rules, allows) {
			return Decision{}, false
		}
	}
	i := slices.IndexFunc(rules, func(r Rule) bool { return j.covered(j.reached[0], []Rule{r}, allows) })
	if i < 0 {
		return Decision{}, false
	}
	return Decision{Verdict: Allow, Rule: &rules[i]}, true
}

// outside is the first half of step 6: files outside the directories that no rule and no specifier names.
func (j *judge) outside() (Decision, bool) {
	if j.rules.Mode == ModeBypass {
		return Decision{}, false
	}
	named := append(slices.Clip(j.rules.Allow), j.granted...)
	for _, t := range j.reached {
		file := t.kind == TouchRead || t.kind == TouchSearch || t.kind == TouchWrite
		if !file || t.byShell || j.ground.holds(t.path) || j.covered(t, named, allows) || j.specified(t) {
			continue
		}
		return j.deny(WhyOutside, nil, j.outsideText(t)), true
	}
	return Decision{}, false
}

// specified tells whether an entry of the tools setting names the path.
func (j *judge) specified(t reach) bool {
	return slices.ContainsFunc(j.rules.Grants, func(r Rule) bool {
		return r.form() == formPath && r.fits(j.spec.Name, t, j.call.Input, grants, j.ground) == shell.Hits
	})
}

// cautious is the other half: what asks although no rule says so.
func (j *judge) cautious() (Decision, bool) {
	switch j.spec.Name {
	case "MemoryForget", "MemoryDelete":
		return j.ask(nil, WhyRule, "it deletes what is remembered"), true
	}
	delegates := slices.ContainsFunc(j.reached, func(t reach) bool { return t.kind == TouchAgent })
	if !j.rules.Asking || j.spec.ReadOnly || delegates || len(j.rules.Offers(j.spec).By) > 0 {
		return Decision{}, false
	}
	return j.ask(nil, WhyRule, "the agent has the tool by inheritance only"), true
}

// ask answers by the mode.
func (j *judge) ask(rule *Rule, why, cause string) Decision {
	if by := j.approved(); by != nil {
		return Decision{Verdict: Allow, Rule: by}
	}
	d := Decision{Verdict: Ask, Rule: rule, Why: why, Text: j.question(cause), Always: j.always()}
	switch j.rules.Mode {
	case ModeBypass:
		return Decision{Verdict: Allow, Rule: rule}
	case ModeDenyAsks:
		return d.Refuse(WhyMode)
	case ModeAcceptEdits:
		if j.edits() {
			return Decision{Verdict: Allow, Rule: rule}
		}
	}
	return d
}

// askAlways asks in every mode but deny-asks.
func (j *judge) askAlways(why string) Decision {
	if by := j.approved(); by == nil && j.rules.Mode == ModeBypass {
		return Decision{Verdict: Ask, Why: WhyRule, Text: j.question(why), Always: j.always()}
	}
	return j.ask(nil, WhyRule, why)
}

// approved finds the rules of a person that cover all the call reaches; nil = there are none.
func (j *judge) approved() *Rule {
	list := j.rules.Approved
	if len(list) == 0 || j.renewed {
		return nil
	}
	for _, t := range j.reached {
		if !t.cmd.Inner && !j.covered(t, list, allows) {
			return nil
		}
	}
	i := slices.IndexFunc(list, func(r Rule) bool { return j.covered(j.reached[0], []Rule{r}, allows) })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// edits tells whether the call is an edit inside the directories, of nothing guarded.
func (j *judge) edits() bool {
	switch j.spec.Name {
	case "Edit", "Write", "MultiEdit":
		return !slices.ContainsFunc(j.reached, func(t reach) bool { return !j.ground.holds(t.path) || j.closed(t) != "" })
	}
	return false
}
