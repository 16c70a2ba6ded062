package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/hookevent"
)

// hookGroups is names of hooks, or a map of events to groups as Claude Code writes them.
func hookGroups() shape[[]HookGroup] {
	return shape[[]HookGroup]{
		words: "list of names, or map of events to hooks",
		schema: func() schema {
			group := schema{"type": "object", "properties": schema{"matcher": schema{"type": []string{"string", "number", "boolean", "null"}}}}
			return schema{"anyOf": []schema{
				{"type": "string"}, {"type": "array", "items": schema{"type": "string"}},
				{"type": "object", "additionalProperties": schema{"type": "array", "items": group}},
			}}
		},
		read: func(d *decoder, n *yaml.Node) ([]HookGroup, bool) {
			out := []HookGroup{}
			if n.Kind != yaml.MappingNode {
				var refs []Ref
				ok := d.items(n, false, false, &refs)
				for _, r := range refs {
					out = append(out, HookGroup{Name: r})
				}
				return out, ok
			}
			d.inside(func() { d.hookEvents(n, &out) })
			return out, true
		},
	}
}

// hookEvents reads a map of events to groups. What it does not understand of a file of another program is left out with a
// word; in a native one it is an error.
func (d *decoder) hookEvents(n *yaml.Node, to *[]HookGroup) {
	opened := false // the file has been told once that its gates fail open
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		event := Ref{V: k.Value, At: d.at(k), Key: d.at(k).Span()}
		name, ok := d.hookEvent(event)
		if !ok {
			continue
		}
		if v.Kind != yaml.SequenceNode {
			d.wrong(v, "a list of groups")
			continue
		}
		event.V = name.Text
		for _, g := range v.Content {
			group, ok := d.hookGroup(event, name, g)
			if !ok {
				continue
			}
			group.Open = d.foreign && !d.failClosed
			if group.Open && name.Gate && len(group.Handlers) > 0 && !opened {
				opened = true
				d.failsOpen(event)
			}
			*to = append(*to, group)
		}
	}
}

// hookEvent finds the event that a file names.
func (d *decoder) hookEvent(written Ref) (hookevent.Name, bool) {
	name, ok := hookevent.Lookup(written.V)
	if !ok {
		d.unknownEvent(written)
		return name, false
	}
	if name.Text != written.V {
		d.add(diag.New("I-HOOK-FORM", written.At, "%q is read as %q", written.V, name.Text).Suggest("write %s", name.Text))
	}
	if len(name.On) == 0 {
		d.add(diag.New("I-HOOK-EVENT", written.At, "the event %q does not occur here, so its hooks never run", name.Text))
	}
	return name, true
}

func (d *decoder) failsOpen(event Ref) {
	d.add(diag.New("W-HOOK-FAIL-OPEN", event.At, "a hook of %q that fails lets the action go ahead", event.V).
		Explain("Files of a Claude location keep the meaning they have there; a crash, a timeout or a missing program is no refusal.").
		Suggest("write a hook under hooks/, where a failing gate denies"))
}

func (d *decoder) unknownEvent(written Ref) {
	code, own := diag.Code("E-HOOK-EVENT"), hookevent.Native
	if d.foreign {
		code, own = "W-HOOK-EVENT", hookevent.Claude
	}
	x := diag.New(code, written.At, "there is no event %q", written.V)
	known := slices.Concat(hookevent.All(hookevent.Native), hookevent.All(hookevent.SwarmSDK), hookevent.All(hookevent.Claude))
	if name, ok := near(written.V, known); ok {
		x = x.Suggest("did you mean %q?", name)
	} else {
		x = x.Suggest("events: %s", strings.Join(hookevent.All(own), ", "))
	}
	d.add(x)
}

// hookGroup is {matcher, hooks: [handler]}, or a handler alone.
func (d *decoder) hookGroup(event Ref, name hookevent.Name, n *yaml.Node) (HookGroup, bool) {
	g := HookGroup{Event: event}
	if n.Kind != yaml.MappingNode {
		d.wrong(n, "a map with matcher and hooks")
		return g, false
	}
	fits := true
	if m := child(n, "matcher"); m != nil && !isNull(m) {
		written, ok := one("write names with | between them, or a regular expression, in quotes").read(d, m)
		if fits = ok && d.matcher(m, written); fits {
			g.Matcher = Ref{V: written, At: d.at(m)}
			d.matched(name, g.Matcher)
		}
	}
	handlers := child(n, "hooks")
	if handlers == nil {
		d.add(diag.New("I-HOOK-FORM", d.at(n), "a handler without a group around it").Suggest("put it into a list under hooks"))
		handlers = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}}
	} else if handlers.Kind != yaml.SequenceNode {
		d.wrong(handlers, "a list of handlers")
		return g, false
	} else {
		d.groupKeys(n)
	}
	for _, h := range handlers.Content {
		if handler, ok := d.hookHandler(h); ok && d.runs(name, handler) {
			d.conditioned(name, handler.If)
			handler.Broken = handler.Broken || !fits
			g.Handlers = append(g.Handlers, handler)
		}
	}
	return g, true
}

// runs tells whether an event runs handlers of a type. Native files are free in that.
func (d *decoder) runs(name hookevent.Name, h HookHandler) bool {
	if !d.foreign || d.failClosed || name.Runs.Has(h.Type) {
		return true
	}
	d.add(diag.New("W-HOOK-TYPE", h.At, "Claude Code runs no handler of type %s on %s, so the hook does not run", h.Type, name.Text).
		Suggest("use a handler of type command, or write a hook under hooks/ on %s", name.On[0]))
	return false
}

// groupKeys tells of keys of a group that nobody knows.
func (d *decoder) groupKeys(n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Value != "matcher" && k.Value != "hooks" && k.Value != "description" {
			d.unknown(k, func() []string { return []string{"matcher", "hooks"} }, "")
		}
	}
}

// matcher tells whether a matcher can be read.
func (d *decoder) matcher(n *yaml.Node, text string) bool {
	_, err := hookevent.ParseMatcher(text)
	if err != nil {
		d.add(diag.New("E-HOOK-MATCHER", d.at(n), "the matcher is no regular expression: %v", err).
			Suggest("patterns are RE2, without look-around and back-references; names are listed with |"))
	}
	return err == nil
}

// matched tells of a matcher that hits nothing, or that the event does not look at.
func (d *decoder) matched(name hookevent.Name, m Ref) {
	if m.V == "" || m.V == "*" || len(name.On) == 0 {
		return
	}
	if name.Subject == hookevent.None {
		x := diag.New("I-HOOK-FORM", m.At, "%s takes no matcher, so the hook runs whatever it says", name.Text)
		if !d.foreign {
			x = diag.New("W-KEY-ALONE", m.At, "a matcher has no effect on %s: the hook runs each time", name.Text)
		}
		d.add(x.Suggest("leave the matcher out"))
		return
	}
	parsed, err := hookevent.ParseMatcher(m.V)
	if err != nil || name.Subject != hookevent.Tool {
		return
	}
	if dead := parsed.Dead(); dead != "" {
		d.add(diag.New("W-HOOK-MATCHER-NONE", m.At, "%q is the name of a server, and no tool has it, so the hook never runs for it", dead).
			Suggest("write %s__.* for all tools of the server", dead))
	}
}

// conditioned tells of a rule on an event that no call belongs to.
func (d *decoder) conditioned(name hookevent.Name, rule Ref) {
	if rule.Set() && name.Subject != hookevent.Tool && len(name.On) > 0 {
		d.add(diag.New("W-HOOK-MATCHER-NONE", rule.At, "if holds for calls of tools, so the hook never runs on %s", name.Text).
			Suggest("leave if out, or choose an event of tools such as before_tool"))
	}
}
