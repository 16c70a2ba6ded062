package tools

import "github.com/swarmrun/swarmrun/tools/internal/shell"

// Fits tells whether a rule is about a call, as the condition of a hook: surely, or perhaps where only the shell could tell.
// An input that cannot be checked fits every rule for its tool.
func (r *Rule) Fits(t Tool, c *Call) bool {
	name := t.Spec().Name
	g := c.Ground
	if g == nil {
		g = NewGround(c.Roots)
	}
	reached, err := reaches(t, c, g)
	if err != nil {
		return r.names(name, forbids)
	}
	for _, x := range reached {
		if r.fits(name, x, c.Input, forbids, g) != shell.Miss {
			return true
		}
	}
	return false
}

// Admits is the first step of Decide alone: whether the tools setting gives the call. It comes before hooks are asked.
func (r *Rules) Admits(t Tool, c *Call) (Decision, bool) {
	j, refused := r.judge(t, c, nil)
	if refused != nil {
		return *refused, false
	}
	d, done := j.offered()
	return d, !done
}

// DecideAllowed is Decide for a call that a hook allowed: what asks and what lies outside of the directories is skipped;
// the tools setting, what is denied, plan mode and what is guarded are not.
func (r *Rules) DecideAllowed(t Tool, c *Call) Decision {
	j, refused := r.judge(t, c, nil)
	if refused != nil {
		return *refused
	}
	for _, step := range []func() (Decision, bool){j.offered, j.denied, j.planned, j.guarded} {
		if d, done := step(); done {
			return d
		}
	}
	return Decision{Verdict: Allow}
}
