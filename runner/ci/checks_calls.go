package ci

import (
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/internal/expression"
	"github.com/swarmrun/swarmrun/internal/wildcard"
	"github.com/swarmrun/swarmrun/runner/event"
)

// fits tells whether a call is one that a check means.
func (t *attempt) fits(c *call, k *agents.Check) bool {
	if !wildcard.Match(k.Name, c.tool) {
		return false
	}
	if k.Input == nil {
		return true
	}
	return t.like(decoded(k.Input), decoded(c.input))
}

// like tells whether a value has what another one asks for: of an object its members, of a text what the glob says.
func (t *attempt) like(want, got any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for name, v := range w {
			e, has := g[name]
			ok = ok && has && t.like(v, e)
		}
		return ok
	case string:
		g, ok := got.(string)
		return ok && (wildcard.Match(w, g) || wildcard.Match(w, strings.TrimPrefix(g, t.place.dir+"/")))
	}
	return same(want, got)
}

func (t *attempt) toolCalled(k *agents.Check) verdict {
	var found []*call
	for i := range t.calls {
		if c := &t.calls[i]; t.fits(c, k) {
			found = append(found, c)
		}
	}
	times := atLeastOnce(k.Times)
	if times.Holds(float64(len(found))) {
		return verdict{}
	}
	var at *Place
	if len(found) > 0 {
		at = found[len(found)-1].at()
	}
	return fails(wantedCall(k)+" is called "+times.Text+" times", fmt.Sprintf("%d times. Calls: %s", len(found), t.called()), at)
}

func (t *attempt) toolNotCalled(k *agents.Check) verdict {
	for i := range t.calls {
		if c := &t.calls[i]; t.fits(c, k) {
			return fails(wantedCall(k)+" is not called", c.tool+" "+string(c.input), c.at())
		}
	}
	return verdict{}
}

func (t *attempt) toolOrder(k *agents.Check) verdict {
	at, next := -1, 0
	for i := range t.calls {
		if next < len(k.Order) && t.fits(&t.calls[i], &k.Order[next]) {
			at, next = i, next+1
		}
	}
	if next == len(k.Order) {
		return verdict{}
	}
	var where *Place
	if at >= 0 {
		where = t.calls[at].at()
	}
	names := make([]string, len(k.Order))
	for i := range k.Order {
		names[i] = wantedCall(&k.Order[i])
	}
	return fails(strings.Join(names, ", then "), "no "+names[next]+" after that. Calls: "+t.called(), where)
}

func (t *attempt) toolResult(k *agents.Check) verdict {
	n := 0
	var last *call
	for i := range t.calls {
		c := &t.calls[i]
		if !c.ended || !wildcard.Match(k.Name, c.tool) {
			continue
		}
		last = c
		if len(without(c.result, k.Text)) == 0 && len(within(c.result, k.Lost)) == 0 &&
			(k.Pattern == nil || k.Pattern.MatchString(c.result)) && (k.Error == nil || *k.Error == c.isError) {
			n++
		}
	}
	times := atLeastOnce(k.Times)
	if times.Holds(float64(n)) {
		return verdict{}
	}
	if last == nil {
		return fails("a result of "+k.Name, "it was not called. Calls: "+t.called(), nil)
	}
	return fails(fmt.Sprintf("%s results of %s that %s", times.Text, k.Name, wantedResult(k)), fmt.Sprintf("%d; the last result is: %s", n, last.result), last.at())
}

// hookBlocked counts what hooks refused.
func (t *attempt) hookBlocked(k *agents.Check) verdict {
	n, name := 0, k.Name
	if name == "" {
		name = "*"
	}
	var said []string
	var at *Place
	for i, e := range t.entries {
		if e.Event != (*event.HookExecuted)(nil).Type() || !e.Error {
			continue
		}
		said = append(said, e.Tool+" ("+e.Text+")")
		if wildcard.Match(name, e.Tool) && (k.Pattern == nil || k.Pattern.MatchString(e.Text)) {
			n++
			at = &Place{Entry: i, Agent: e.Agent}
		}
	}
	times := atLeastOnce(k.Times)
	if times.Holds(float64(n)) {
		return verdict{}
	}
	got := "no hook blocked anything"
	if len(said) > 0 {
		got = fmt.Sprintf("%d. Blocked: %s", n, strings.Join(said, ", "))
	}
	return fails(fmt.Sprintf("the hook %s blocks %s times", name, times.Text), got, at)
}

// event counts events for which an expression holds.
func (t *attempt) event(k *agents.Check) verdict {
	n := 0
	var types []string
	for _, e := range t.events {
		env, err := eventEnvironment(e)
		if err != nil {
			return verdict{err: err}
		}
		v, err := k.Condition.Eval(env)
		if err != nil {
			return verdict{err: err}
		}
		if ok, _ := v.(bool); ok {
			n++
		}
		if len(types) == 0 || types[len(types)-1] != e.Type() {
			types = append(types, e.Type())
		}
	}
	times := atLeastOnce(k.Times)
	if times.Holds(float64(n)) {
		return verdict{}
	}
	return fails(fmt.Sprintf("%s events with %s", times.Text, k.Source), fmt.Sprintf("%d. Events: %s", n, strings.Join(types, ", ")), nil)
}

// eventEnvironment is what an expression over an event sees. Its names are those of config.EventNames.
func eventEnvironment(e event.Event) (map[string]any, error) {
	raw, err := event.Append(nil, e, 0)
	if err != nil {
		return nil, err
	}
	fields, _ := expression.Value(raw).(map[string]any)
	tool, _ := fields["tool"].(string)
	return map[string]any{"type": e.Type(), "agent": e.Head().Agent, "tool": tool, "event": fields}, nil
}

func atLeastOnce(b *agents.Bound) agents.Bound {
	if b != nil {
		return *b
	}
	return agents.Bound{Low: 1, High: 1e18, Text: ">= 1"}
}

func wantedCall(k *agents.Check) string {
	if k.Input == nil {
		return k.Name
	}
	return k.Name + " " + string(k.Input)
}

func wantedResult(k *agents.Check) string {
	var parts []string
	if len(k.Text) > 0 {
		parts = append(parts, "hold "+list(k.Text))
	}
	if len(k.Lost) > 0 {
		parts = append(parts, "do not hold "+list(k.Lost))
	}
	if k.Pattern != nil {
		parts = append(parts, "fit "+k.Pattern.String())
	}
	if k.Error != nil && *k.Error {
		parts = append(parts, "are errors")
	} else if k.Error != nil {
		parts = append(parts, "are no errors")
	}
	if parts == nil {
		return "are there"
	}
	return strings.Join(parts, " and ")
}

// called is all calls in order, for a message.
func (t *attempt) called() string {
	if len(t.calls) == 0 {
		return "none"
	}
	var parts []string
	for _, c := range t.calls {
		input, cut := cutText(string(c.input), 100)
		if cut > 0 {
			input += "…"
		}
		parts = append(parts, c.tool+" "+input)
	}
	return strings.Join(parts, ", ")
}
