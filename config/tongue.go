package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// tongue is how another program writes agents. What it names is turned into our words, at the places of the file; the rest
// is read by the table of agents.
type tongue struct {
	origin Origin
	// same are keys that only have another name here.
	same map[string]string
	// own are keys that are read in their own way. What the whole file says is settled by done.
	own  map[string]func(s *speaker, k, v *yaml.Node)
	done func(s *speaker)
	// told are keys that nothing comes of; they are named as info.
	told []string
	// rest takes the keys that are not known; nil: they are told as unknown.
	rest func(s *speaker, k, v *yaml.Node)
}

// speaker reads one file of a tongue.
type speaker struct {
	*decoder
	tongue *tongue
	to     *agentFile
	verdicts
}

// tongueOf is how a program writes agents; nil = as we do.
func tongueOf(o Origin) *tongue {
	switch o {
	case FromCopilot:
		return copilot()
	case FromGemini:
		return gemini()
	case FromOpencode:
		return opencode()
	}
	return nil
}

// translate reads the keys of the tongue and gives those that are left for the table of agents. disabled: the file says that
// its agent is not to be used.
func (t *tongue) translate(d *decoder, root *yaml.Node, to *agentFile) (left *yaml.Node, disabled bool) {
	s := &speaker{decoder: d, tongue: t, to: to}
	out := *root
	out.Content = nil
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		own, told := t.own[k.Value], slices.Contains(t.told, k.Value)
		switch {
		case (own != nil || told) && isNull(v):
			d.add(diag.New("W-VALUE-NULL", d.at(k), "%q has no value and counts as absent", k.Value).
				Suggest("give it a value or remove the line"))
		case own != nil:
			secure := k.Value == "tools" || strings.HasPrefix(k.Value, "permission")
			d.field(func() { own(s, k, v) }, secure)
		case told:
			to.Inactive = append(to.Inactive, Ref{V: k.Value, At: d.at(v), Key: d.at(k).Span()})
		case t.same[k.Value] != "":
			named := *k
			named.Value = t.same[k.Value]
			out.Content = append(out.Content, &named, v)
		case t.rest != nil && agentTable.Get().find(k.Value) == nil && !agentTable.Get().silent[k.Value]:
			t.rest(s, k, v)
		default:
			out.Content = append(out.Content, k, v)
		}
	}
	if t.done != nil {
		d.field(func() { t.done(s) }, true)
	}
	return &out, s.disabled
}

// toolList reads a list of tools in the words of the tongue. A tool without counterpart is left out with a warning.
func (s *speaker) toolList(k, v *yaml.Node) {
	refs := []Ref{}
	if !s.items(v, false, false, &refs) {
		return
	}
	out := []Ref{}
	for _, r := range refs {
		if r.V == "*" {
			out = append(out, r)
			continue
		}
		names := ToolNames(s.tongue.origin, r.V)
		if names == nil {
			s.noTool(r)
		}
		for _, n := range names {
			if !slices.ContainsFunc(out, func(o Ref) bool { return o.V == n }) {
				out = append(out, Ref{V: n, At: r.At, Key: r.Key})
			}
		}
	}
	s.to.Tools = Value[[]Ref]{V: out, At: s.at(v), Key: s.at(k).Span()}
}

func (s *speaker) noTool(r Ref) {
	s.add(diag.New("W-TOOL-UNKNOWN", r.At, "%s of %s has no counterpart here and is left out", shown(r.V), s.tongue.origin).
		Suggest("name one of Read, Grep, Glob, Edit, Write, Bash, WebFetch in a native file, or remove the entry"))
}

// modelName is a model as people pick it from a menu, such as "Claude Sonnet 4.5 (copilot)", as a reference.
func modelName(name string) string {
	if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, ")") {
		name = name[:i]
	}
	if strings.Contains(name, "/") || name == "inherit" {
		return name
	}
	id := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-")
	switch {
	case strings.HasPrefix(id, "claude-"):
		return "anthropic/" + strings.ReplaceAll(id, ".", "-")
	case strings.HasPrefix(id, "gpt-"), strings.HasPrefix(id, "o1"), strings.HasPrefix(id, "o3"), strings.HasPrefix(id, "o4"):
		return "openai/" + id
	case strings.HasPrefix(id, "gemini-"):
		return "google/" + id
	}
	return name
}

// models reads a model or a list of them.
func (s *speaker) models(k, v *yaml.Node) {
	refs := []Ref{}
	if !s.items(v, false, true, &refs) {
		return
	}
	for i := range refs {
		refs[i].V = modelName(refs[i].V)
	}
	s.to.Model = Value[[]Ref]{V: refs, At: s.at(v), Key: s.at(k).Span()}
}
