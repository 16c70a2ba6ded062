package script

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
)

// The codes of the invalid_request errors that a script has of its own.
const (
	CodeNoRule   = "script_no_rule"  // no rule answers; Error.Hint says for each of them why
	CodeTemplate = "script_template" // a template of the rule that answers does not fit the conversation
)

const (
	provider = "script"
	prefix   = provider + "/"
)

type model struct {
	name  string
	rules []rule
	times times
}

// rule is a Rule that is checked and compiled.
type rule struct {
	name  string
	when  [][]check // one of them must hold; none = always
	times int
	reply *reply
}

// New builds the model called name, by custom script/<file>. It reports every fault of the rules at once, each with the
// rule and the key where it is. The model is safe for concurrent use; it counts Rule.Times for the 4,096 runs that
// answered last.
func New(name string, rules []Rule) (providers.Model, error) {
	m := &model{name: name}
	var errs []error
	for i, r := range rules {
		compiled, err := parseRule(i, r)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", compiled.name, err))
		}
		m.rules = append(m.rules, compiled)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return m, nil
}

func parseRule(i int, r Rule) (rule, error) {
	out := rule{name: r.Name, times: r.Times}
	if out.name == "" {
		out.name = fmt.Sprintf("rule %d", i+1)
	}
	var errs []error
	if r.Times < 0 {
		errs = append(errs, fmt.Errorf("times is %d", r.Times))
	}
	for _, w := range r.When {
		checks, err := parseWhen(w)
		if err != nil {
			errs = append(errs, fmt.Errorf("when: %w", err))
		}
		out.when = append(out.when, checks)
	}
	var err error
	if out.reply, err = parseReply(r.Reply); err != nil {
		errs = append(errs, fmt.Errorf("reply: %w", err))
	}
	return out, errors.Join(errs...)
}

func (m *model) Name() string { return m.name }

// Identity is what events say of the model.
func (m *model) Identity() providers.Identity {
	return providers.Identity{Candidate: m.name, Provider: provider, Model: strings.TrimPrefix(m.name, prefix)}
}

// Capabilities are those of a model that takes everything and costs nothing.
func (m *model) Capabilities() providers.Capabilities {
	return providers.Capabilities{Images: true, Thinking: true, Price: &providers.Price{}}
}

// Generate plays the reply of the first rule that holds. Delays end at once when ctx does.
func (m *model) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	c := read(m.name, req)
	r := m.choose(c, req.Caller.Run)
	if r == nil {
		err := m.failure(providers.KindInvalidRequest)
		err.Code, err.Hint = CodeNoRule, m.explain(c)
		return nil, err
	}
	s, err := r.reply.fill(c)
	if err != nil {
		failed := m.failure(providers.KindInvalidRequest)
		failed.Code, failed.Hint = CodeTemplate, fmt.Sprintf("%s of %s: %v", r.name, m.name, err)
		return nil, failed
	}
	p := &play{model: m, rule: r, req: req, emit: emit, wanted: s}
	return p.run(ctx)
}

// choose finds the rule that answers and counts the answer; it leaves the rule's named groups in c.Match.
func (m *model) choose(c *conversation, run string) *rule {
	for i := range m.rules {
		r := &m.rules[i]
		if match, ok := r.holds(c); ok && (r.times == 0 || m.times.take(run, i, r.times)) {
			c.Match = match
			return r
		}
	}
	return nil
}

func (r *rule) holds(c *conversation) (match map[string]string, ok bool) {
	match = map[string]string{}
	if len(r.when) == 0 {
		return match, true
	}
	for _, checks := range r.when {
		clear(match)
		if fault(checks, c, match) == "" {
			return match, true
		}
	}
	return nil, false
}

// explain says for each rule which conditions failed. It quotes rules, never the conversation.
func (m *model) explain(c *conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "no rule of %s answers agent %q in turn %d", m.name, c.Agent, c.Turn)
	if len(m.rules) == 0 {
		b.WriteString("; it has no rules")
	}
	for _, r := range m.rules {
		fmt.Fprintf(&b, "\n  %s: %s", r.name, r.why(c))
	}
	return b.String()
}

func (r *rule) why(c *conversation) string {
	var alternatives []string
	for _, checks := range r.when {
		var faults []string
		for _, ck := range checks {
			if why := ck(c, map[string]string{}); why != "" {
				faults = append(faults, why)
			}
		}
		if len(faults) == 0 {
			alternatives = nil
			break
		}
		alternatives = append(alternatives, strings.Join(faults, ", "))
	}
	if alternatives == nil {
		return fmt.Sprintf("has answered %d times in this run, as often as it may", r.times)
	}
	return strings.Join(alternatives, "; or ")
}

func (m *model) failure(kind providers.Kind) *providers.Error {
	who := m.Identity()
	return &providers.Error{Kind: kind, Candidate: who.Candidate, Provider: who.Provider, Model: who.Model}
}
