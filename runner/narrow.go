package runner

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
)

// narrowing is what an active skill takes away. It never gives anything.
type narrowing struct {
	skill string
	rules tools.Rules
	only  bool // a list of what is left
}

// unremovable are the tools that a list of what is left does not take away.
var unremovable = [...]string{skillTool, "Think", "TodoWrite", "Clock"}

// narrow collects what the active skills take away: the refusals of all of them, and of the last one the list of what is
// left.
func (x *exchange) narrow() {
	x.narrowed = nil
	list := x.inForce()
	for i, k := range list {
		if refused := parsedRules(k, k.Refused); len(refused) > 0 {
			x.narrowed = append(x.narrowed, narrowing{skill: k.Name, rules: tools.Rules{All: true, Removed: refused, Mode: tools.ModeBypass}})
		}
		if only := parsedRules(k, k.Only); len(only) > 0 && i == len(list)-1 {
			x.narrowed = append(x.narrowed, narrowing{skill: k.Name, rules: tools.Rules{Grants: only, Mode: tools.ModeBypass}, only: true})
		}
	}
}

// about tells whether a narrowing speaks of a tool.
func (n *narrowing) about(tool string) bool {
	return !n.only || !slices.Contains(unremovable[:], tool) && !strings.HasPrefix(tool, "Memory")
}

// takes tells whether active skills take a call away, and what the model is told then.
func (x *exchange) takes(t tools.Tool, call *tools.Call) (string, bool) {
	for i := range x.narrowed {
		n := &x.narrowed[i]
		if !n.about(call.Tool) {
			continue
		}
		if d := n.rules.Decide(t, call, nil); d.Verdict == tools.Deny {
			return "The skill " + quote(n.skill) + ", which is active, does not leave you this call: " + d.Text, true
		}
	}
	return "", false
}

// specs are the tools that the model is shown in this turn.
func (x *exchange) specs() []providers.ToolSpec {
	if len(x.narrowed) == 0 {
		return x.offered.specs
	}
	return slices.DeleteFunc(slices.Clone(x.offered.specs), func(s providers.ToolSpec) bool {
		return slices.ContainsFunc(x.narrowed, func(n narrowing) bool {
			return n.about(s.Name) && !n.rules.Offers(x.offered.shown[s.Name].Tool.Spec()).OK()
		})
	})
}
