package tools

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// noWayAround ends every refusal.
const noWayAround = "Do not retry it and do not work around it with another tool or command; go on without it, or say what you need and why."

// shownRunes is how much of a command or path a message repeats; a question repeats more, since a person must see what they
// agree to.
const (
	shownRunes = 200
	askedRunes = 4000
)

func (j *judge) deny(why string, rule *Rule, cause string) Decision {
	return Decision{Verdict: Deny, Rule: rule, Why: why, Text: j.refusal(cause, rule)}
}

// refusal is the text for the model: what, by which rule of which place, and that it must not be worked around.
func (j *judge) refusal(cause string, rule *Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Permission denied: %s", j.subject(shownRunes))
	if cause != "" {
		fmt.Fprintf(&b, ": %s", cause)
	}
	b.WriteString(". ")
	if rule != nil {
		fmt.Fprintf(&b, "The rule is %s. ", cite(rule))
	}
	if narrow := j.narrowing(rule); narrow != "" {
		fmt.Fprintf(&b, "This agent may use %s only as %s. ", j.spec.Name, narrow)
	}
	return b.String() + noWayAround
}

// narrowing lists the specifiers when one of the tools setting decided.
func (j *judge) narrowing(rule *Rule) string {
	o := j.rules.Offers(j.spec)
	if o.Effect != Narrowed || rule == nil || !slices.Contains(o.By, *rule) {
		return ""
	}
	texts := make([]string, len(o.By))
	for i, r := range o.By {
		texts[i] = r.Text
	}
	return strings.Join(texts, ", ")
}

// cite is a rule with its place.
func cite(r *Rule) string {
	if r.At.IsZero() {
		return r.Text
	}
	return fmt.Sprintf("%s (%s)", r.Text, r.At)
}

// subject is the call in a few words.
func (j *judge) subject(most int) string {
	for _, t := range j.reached {
		if t.text != "" && !t.byShell {
			return j.spec.Name + " " + shortenTo(j.whole(t), most)
		}
	}
	return j.spec.Name
}

// whole is the command line rather than a part of it.
func (j *judge) whole(t reach) string {
	if t.kind == TouchCommand {
		if line, ok := scalar(j.call.Input, "command"); ok {
			return line
		}
	}
	return t.text
}

func shorten(s string) string { return shortenTo(s, shownRunes) }

func shortenTo(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%s… (and %d characters more)", string(r[:most]), len(r)-most)
	}
	return s
}

// notCovered names the part that no specifier fits.
func notCovered(t reach) string {
	switch {
	case t.veiled != "":
		return "the command cannot be judged, since " + t.veiled
	case t.byShell && t.kind == TouchWrite:
		return fmt.Sprintf("it would write %s, which needs Edit or Write for that path", shorten(t.text))
	case t.byShell:
		return fmt.Sprintf("it would read %s, which needs Read for that path", shorten(t.text))
	case t.kind == TouchCommand && t.cmd.Runs != "":
		return fmt.Sprintf("%q is not covered, since %s; a rule covers it without a wildcard only", shorten(t.text), t.cmd.Runs)
	case t.kind == TouchCommand:
		return fmt.Sprintf("%q is not covered", shorten(t.text))
	case t.text != "":
		return fmt.Sprintf("%s is not covered", shorten(t.text))
	}
	return "the call is not covered"
}

// cause says why a rule may be met.
func cause(t reach) string {
	switch {
	case t.veiled != "":
		return t.veiled
	case t.cmd.Runs != "":
		return t.cmd.Runs
	}
	return "part of it is not known before it runs"
}

func (j *judge) outsideText(t reach) string {
	dirs := append([]string{j.call.Roots.Dir}, j.call.Roots.Dirs...)
	text := fmt.Sprintf("%s lies outside the folders of this agent (%s)", t.text, strings.Join(dirs, ", "))
	if real := t.path.real; real != t.path.link {
		if _, ok := j.ground.dir.rel(t.path.link); ok {
			text += ", since it leads to " + real
		}
	}
	return text
}

func (j *judge) question(cause string) string {
	text := j.subject(askedRunes)
	if cause != "" {
		text += " (" + cause + ")"
	}
	return text
}

// always is the narrowest rule that would let this call pass.
func (j *judge) always() string {
	name := j.spec.Name
	if len(j.reached) != 1 {
		return ""
	}
	t := j.reached[0]
	switch t.kind {
	case TouchCommand:
		if t.veiled != "" || len(t.cmd.Sets) > 0 || strings.ContainsAny(t.text, "*\n") {
			return ""
		}
		return fmt.Sprintf("%s(%s)", name, t.text)
	case TouchRead, TouchSearch, TouchWrite:
		if key, _ := j.guard(t); key != "" && !hasSegment(j.ground.tail(t.path.link), key) {
			return "" // it is reached by a link
		}
		return fmt.Sprintf("%s(%s)", name, j.written(t.text))
	case TouchHost:
		return fmt.Sprintf("%s(domain:%s)", name, t.text)
	}
	return name
}

// written is a path as a pattern: relative inside the working directory.
func (j *judge) written(path string) string {
	rel, ok := j.ground.dir.rel(path)
	if ok {
		rel = "./" + rel
	} else {
		rel = "/" + filepath.ToSlash(path)
	}
	return escapeGlob.Get().Replace(rel)
}

var escapeGlob = lazy.Value[*strings.Replacer]{New: func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`)
}}

// Refuse turns an Ask into a Deny for the reason why: nobody was there to ask, or the person refused. The text names the
// rule that would let the call pass.
func (d Decision) Refuse(why string) Decision {
	if d.Verdict != Ask {
		return d
	}
	cause := "nobody is there to ask"
	switch why {
	case WhyPerson:
		cause = "the person refused"
	case WhyMode:
		cause = "this agent's permission mode refuses what would have to be asked"
	}
	text := fmt.Sprintf("Permission denied: %s: %s. ", d.Text, cause)
	if d.Rule != nil {
		text += fmt.Sprintf("The rule is %s. ", cite(d.Rule))
	}
	if d.Always != "" && why != WhyPerson {
		text += fmt.Sprintf("It passes with permissions.allow: [%q] where no ask rule names it. ", d.Always)
	}
	return Decision{Verdict: Deny, Rule: d.Rule, Why: why, Text: text + noWayAround}
}
