package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/loader"
)

// compared is how many agents a change is worked out for in full; a workspace that has more shows what its files say.
const compared = 500

// effect is what counts of an agent.
type effect struct {
	models string
	prompt string
	cost   int               // tokens of the prompt
	tools  map[string]string // name → how far it may be used
}

// effects are agents by name.
type effects map[string]effect

// saved tells of a save: one line for what became of it, what it changes for agents, and what is wrong.
func (w *workspace) saved(c agents.Change, verbose bool) (head string, details []string, faults diag.List) {
	faults = keep(visible(c.Diagnostics, verbose), func(d diag.Diagnostic) bool { return d.Code != "W-STALE" }) // the line says it
	switch {
	case c.Rejected:
		return fmt.Sprintf("✗ still on generation %d", c.Generation), nil, faults
	case !c.Published:
		return fmt.Sprintf("✓ as in generation %d again", c.Generation), nil, faults
	}
	before := w.known
	w.known = effectsOf(w.live.Report())
	head = fmt.Sprintf("✓ generation %d, %s: %s", c.Generation, took(c.Duration.Milliseconds()), changeCounts(c))
	return head, changeLines(c, before, w.known), faults
}

func changeCounts(c agents.Change) string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{len(c.Added), "added"}, {len(c.Changed), "changed"}, {len(c.Removed), "removed"}, {c.Kept, "kept"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if parts == nil {
		return "nothing is defined"
	}
	return strings.Join(parts, ", ")
}

func effectsOf(r *loader.Report) effects {
	if r == nil {
		return nil
	}
	list := r.List(config.KindAgent)
	if len(list) > compared {
		return nil
	}
	out := effects{}
	for _, d := range list {
		detail, ok := r.Show(config.KindAgent, d.Name)
		if !ok {
			continue
		}
		e := effect{prompt: detail.Prompt, cost: detail.PromptTokens, tools: map[string]string{}}
		for _, m := range detail.Models {
			e.models += ", " + m.Reference
		}
		e.models = strings.TrimPrefix(e.models, ", ")
		for _, t := range detail.Tools {
			if !t.Shown() {
				continue
			}
			limits := ""
			if t.Effect == "narrowed" {
				for _, by := range t.By {
					limits += ", " + by.Text
				}
			}
			e.tools[t.Name] = strings.TrimPrefix(limits, ", ")
		}
		out[d.Name] = e
	}
	return out
}

// changeLines tells of each definition that came, changed or went, and of agents that count differently although their own
// file did not change.
func changeLines(c agents.Change, before, now effects) []string {
	var lines []string
	told := map[string]bool{}
	for _, list := range []struct {
		sign string
		all  []agents.Definition
	}{{"+", c.Added}, {"~", c.Changed}, {"−", c.Removed}} {
		for _, d := range list.all {
			line := fmt.Sprintf("%s %s %s (%s)", list.sign, d.Kind, d.Name, d.File)
			if d.Kind == string(config.KindAgent) {
				told[d.Name] = true
				line += prefixed(": ", difference(before[d.Name], now[d.Name], list.sign))
			}
			lines = append(lines, line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was, ok := before[name]; ok && !told[name] {
			if diff := difference(was, now[name], "~"); diff != "" {
				lines = append(lines, fmt.Sprintf("~ agent %s: %s", name, diff))
			}
		}
	}
	return lines
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// difference puts two effects of one agent into words; "" = it counts as before.
func difference(was, is effect, sign string) string {
	switch sign {
	case "−":
		return ""
	case "+":
		return fmt.Sprintf("%s of prompt", plural(is.cost, "token"))
	}
	var parts []string
	if was.prompt != is.prompt {
		more, less := lineChanges(was.prompt, is.prompt)
		parts = append(parts, fmt.Sprintf("prompt +%d −%d lines, %s (%+d)", more, less, plural(is.cost, "token"), is.cost-was.cost))
	}
	if was.models != is.models {
		parts = append(parts, fmt.Sprintf("model %s → %s", orNothing(was.models), orNothing(is.models)))
	}
	for _, name := range slices.Sorted(maps.Keys(is.tools)) {
		limit, had := was.tools[name]
		switch {
		case !had:
			parts = append(parts, "gained "+limited(name, is.tools[name]))
		case limit != is.tools[name]:
			parts = append(parts, fmt.Sprintf("%s is now %s", limited(name, limit), limited(name, is.tools[name])))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was.tools)) {
		if _, has := is.tools[name]; !has {
			parts = append(parts, "lost "+name)
		}
	}
	return strings.Join(parts, " · ")
}

func orNothing(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func limited(name, rules string) string {
	if rules == "" {
		return name
	}
	return rules
}

// lineChanges counts the lines that one text has more often than the other.
func lineChanges(was, is string) (more, less int) {
	count := map[string]int{}
	for line := range strings.Lines(is) {
		count[strings.TrimRight(line, "\n")]++
	}
	for line := range strings.Lines(was) {
		count[strings.TrimRight(line, "\n")]--
	}
	for _, n := range count {
		more += max(n, 0)
		less += max(-n, 0)
	}
	return more, less
}
