package tools

import (
	"cmp"
	"slices"
)

// Effect is what rules do to a tool before any call.
type Effect int

// The effects. A tool is shown to the model when it is Narrowed or Offered.
const (
	NotNamed Effect = iota // no entry of the tools setting names it
	Removed                // disallowed_tools or a deny rule for every call takes it away
	Withheld               // plan mode: it is not read-only
	Narrowed               // each call must fit a specifier
	Offered                // every call may come
)

// String is the word that show agent prints.
func (e Effect) String() string {
	return [...]string{"not named", "removed", "withheld", "narrowed", "offered"}[e]
}

// Offer is an effect and the rules that made it.
type Offer struct {
	Effect Effect
	By     []Rule
}

// OK tells whether the tool is shown to the model.
func (o Offer) OK() bool { return o.Effect >= Narrowed }

// WithAll are the rules that decide on tools which come with a field of the agent, such as its delegates: those need no entry in
// tools.
func (r *Rules) WithAll() *Rules {
	out := *r
	out.All = true
	return &out
}

// Offers tells whether a tool is offered and by which rules.
func (r *Rules) Offers(s Spec) Offer {
	if by := r.removing(s.Name); by != nil {
		return Offer{Removed, []Rule{*by}}
	}
	if left, by := r.Startable(s.Agents); len(left) == 0 && len(by) > 0 {
		return Offer{Removed, by}
	}
	var whole, narrow []Rule
	for _, g := range r.Grants {
		switch {
		case !g.names(s.Name, grants):
		case g.form() == formAny:
			whole = append(whole, g)
		default:
			narrow = append(narrow, g)
		}
	}
	o := Offer{Effect: NotNamed}
	switch {
	case len(whole) > 0:
		o = Offer{Offered, whole}
	case len(narrow) > 0:
		o = Offer{Narrowed, narrow}
	case r.All:
		o = Offer{Effect: Offered}
	}
	if o.OK() && r.Mode == ModePlan && !s.ReadOnly {
		o.Effect = Withheld
	}
	return o
}

// removing is the rule that takes a tool away whatever the call.
func (r *Rules) removing(tool string) *Rule {
	return cmp.Or(whole(r.Removed, tool), whole(r.Deny, tool))
}

// Startable are the agents among some that no rule takes away whatever the call, and the rules that take the others.
func (r *Rules) Startable(names []string) (left []string, by []Rule) {
	for _, name := range names {
		rule := cmp.Or(starting(r.Removed, name), starting(r.Deny, name))
		switch {
		case rule == nil:
			left = append(left, name)
		case !slices.Contains(by, *rule):
			by = append(by, *rule)
		}
	}
	return left, by
}

// starting is the first rule of a list that is about every start of an agent: Agent, or Agent(…) with its name.
func starting(list []Rule, name string) *Rule {
	i := slices.IndexFunc(list, func(r Rule) bool {
		return r.Tool == "Agent" && (r.form() == formAny || r.form() == formAgents && r.namesAgent(reach{kind: TouchAgent, text: name}, nil))
	})
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Asks is the rule that asks about a tool whatever the call; nil = each call is looked at.
func (r *Rules) Asks(tool string) *Rule {
	if r.Mode == ModeBypass {
		return nil
	}
	return whole(r.Ask, tool)
}

// Answered are the answers "always" about a tool: calls that they cover are not asked about.
func (r *Rules) Answered(tool string) []Rule {
	var out []Rule
	for _, a := range r.Approved {
		if a.names(tool, grants) {
			out = append(out, a)
		}
	}
	return out
}

// whole is the first rule of a list that is about all calls of a tool.
func whole(list []Rule, tool string) *Rule {
	i := slices.IndexFunc(list, func(r Rule) bool { return r.form() == formAny && r.names(tool, forbids) })
	if i < 0 {
		return nil
	}
	return &list[i]
}
