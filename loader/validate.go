package loader

import (
	"slices"

	"github.com/swarmrun/swarmrun/config/diag"
)

// validate checks what takes the whole world to be seen.
func validate(w *world) diag.List {
	var ds diag.List
	for _, a := range w.agents {
		more := a.validateTemplate()
		a.fault(more...)
		ds.Add(more...)
		ds.Add(w.validateThinking(a)...)
		if len(a.faults) == 0 {
			w.validateBudget(a)
		}
	}
	ds.Add(w.settleBroken()...)
	ds.Add(w.refusals()...)
	return ds
}

// validateThinking names models that will not be sent the temperature.
func (w *world) validateThinking(a *agent) diag.List {
	if !a.Thinking.Set() || a.Parameters.V.Temperature == nil {
		return nil
	}
	for _, c := range a.chain {
		if p, ok := w.models.provider(c); ok && p.Family == "anthropic" {
			return diag.List{diag.New("W-KEY-LOST", a.Parameters.At, "%s takes no temperature while it thinks, so it is not sent there", c.label()).
				Note(a.Thinking.At, "thinking is set here").
				Suggest("remove temperature, or thinking")}
		}
	}
	return nil
}

// validateBudget refuses to start an agent whose cost budget cannot be kept, since the price of a model is not known. A
// budget of the workspace binds every agent, an agent's own binds all that it can call.
func (w *world) validateBudget(a *agent) {
	if b := w.settings.Budget; b.V.Cost > 0 {
		a.unpriced.Add(a.priceless("the workspace", b.At)...)
	}
	if b := a.Budget; b.V.Cost > 0 {
		seen := map[string]bool{}
		var visit func(*agent)
		visit = func(x *agent) {
			if x == nil || seen[x.Name] {
				return
			}
			seen[x.Name] = true
			a.unpriced.Add(x.priceless(quoted(a.Name), b.At)...)
			for _, d := range x.delegates {
				visit(w.byName[d.Agent])
			}
		}
		visit(a)
	}
}

// priceless names the models of an agent that the cost budget of owner cannot count.
func (a *agent) priceless(owner string, budget diag.Range) diag.List {
	var ds diag.List
	at := a.Model.At
	if at.IsZero() {
		at = a.At
	}
	for _, c := range a.chain {
		if c.caps.Price == nil {
			ds.Add(diag.New("E-BUDGET-PRICE", at, "the price of %s is not known, so the cost budget of %s cannot be kept", c.label(), owner).
				Note(budget, "the budget").
				Suggest("give the model a name under models: in %s with price: {input: …, output: …} (US dollars per million tokens)", SettingsFile))
		}
	}
	return ds
}

// refusals tell in advance of starts that will be refused, by the first reason; the refusal itself, at the start, gives all.
func (w *world) refusals() diag.List {
	var ds diag.List
	for _, a := range w.agents {
		if len(a.faults) > 0 {
			continue
		}
		if why := append(slices.Clone(a.refused), a.unpriced...); len(why) > 0 {
			d := why[0]
			ds.Add(diag.Diagnostic{
				Severity: diag.Info, Code: "I-REFUSED", Range: d.Range, Suggestion: d.Suggestion, Notes: d.Notes,
				Summary: "starting " + quoted(a.Name) + " is refused: " + d.Summary,
			})
		}
	}
	return ds
}
