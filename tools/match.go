package tools

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/tools/internal/shell"
)

// use is in which list a rule stands: the same text narrows, allows or forbids, and is read more widely for the last.
type use int

const (
	grants  use = iota // the tools setting: just the tool that is named
	allows             // permissions.allow, allowed-tools
	forbids            // deny, ask, disallowed_tools
)

// match is how far a rule fits: not, perhaps (only the shell could tell), surely.
type match = shell.Match

// names tells whether the rule is about a tool of this name.
func (r *Rule) names(tool string, u use) bool {
	if tool == "Task" {
		tool = "Agent"
	}
	switch {
	case r.Tool == tool:
		return true
	case r.wildName():
		if u != forbids && !r.grantsGlob() && r.Tool != "*" {
			return false
		}
		return glob(r.Tool, tool)
	case strings.HasPrefix(r.Tool, "mcp__") && !strings.Contains(r.Tool[len("mcp__"):], "__"):
		return strings.HasPrefix(tool, r.Tool+"__") // a whole server
	}
	return r.Tool == "Skill" && tool == "LoadSkill"
}

func (r *Rule) wildName() bool { return strings.Contains(r.Tool, "*") }

// grantsGlob tells whether a pattern of names has a literal server: mcp__github__get_*.
func (r *Rule) grantsGlob() bool {
	rest, ok := strings.CutPrefix(r.Tool, "mcp__")
	server, _, sep := strings.Cut(rest, "__")
	return ok && sep && server != "" && !strings.Contains(server, "*")
}

// reach is one thing that a call reaches, ready to be held against rules.
type reach struct {
	kind    TouchKind
	text    string        // as the call has it
	path    place         // of files
	cmd     shell.Command // of TouchCommand
	byShell bool          // a file that a command opens by redirection or option
	veiled  string        // why a command line or the path in it cannot be judged
}

// fits holds a rule against one thing that a call of tool reaches.
func (r *Rule) fits(tool string, t reach, input json.RawMessage, u use, at *Ground) match {
	named := r.names(tool, u)
	switch r.form() {
	case formAny:
		return sure(named || u == forbids && r.Tool == "Agent" && t.kind == TouchAgent)
	case formShell:
		return r.fitsCommand(named, t, u)
	case formPath:
		return r.fitsPath(named, t, u, at)
	case formHost:
		return sure(named && t.kind == TouchHost && host(strings.TrimPrefix(r.Specifier, "domain:"), t.text))
	case formAgents:
		return sure((named || u == forbids && t.kind == TouchAgent) && r.namesAgent(t, input))
	case formSkill:
		return sure(named && t.kind == TouchSkill && (glob(r.Specifier, t.text) || boundary(r.Specifier, t.text)))
	case formParam:
		return sure(u == forbids && named && r.fitsParam(input))
	}
	return shell.Miss
}

func sure(yes bool) match {
	if yes {
		return shell.Hits
	}
	return shell.Miss
}

func (r *Rule) fitsCommand(named bool, t reach, u use) match {
	switch {
	case !named || t.kind != TouchCommand:
		return shell.Miss
	case t.veiled != "":
		if u == forbids {
			return shell.May
		}
		return sure(r.Specifier == t.text) // exactly this line
	case u == forbids:
		return t.cmd.Hit(r.Specifier)
	}
	return sure(t.cmd.Covered(r.Specifier))
}

// fitsPath: Edit(p) covers all that writes, Read(p) all that reads, and as a refusal writing too.
func (r *Rule) fitsPath(named bool, t reach, u use, at *Ground) match {
	tool := r.Tool
	if r.Dialect == Claude && u != grants && r.dead() {
		if u == allows {
			return shell.Miss
		}
		tool = r.family()
	}
	writes := t.kind == TouchWrite
	reads := t.kind == TouchRead || t.kind == TouchSearch
	if u != grants {
		named = named || tool == "Edit" && writes || tool == "Read" && (reads || u == forbids && writes)
	}
	if !named || !writes && !reads {
		return shell.Miss
	}
	if t.veiled != "" {
		if u == forbids {
			return shell.May
		}
		return shell.Miss
	}
	return sure(at.fits(r.Specifier, t, u))
}

func (r *Rule) namesAgent(t reach, input json.RawMessage) bool {
	name := t.text
	if t.kind != TouchAgent {
		v, ok := scalar(input, "subagent_type")
		if !ok {
			return false
		}
		name = v
	}
	for n := range strings.SplitSeq(r.Specifier, ",") {
		if glob(strings.TrimSpace(n), name) {
			return true
		}
	}
	return false
}

func (r *Rule) fitsParam(input json.RawMessage) bool {
	m := param.Get().FindStringSubmatch(r.Specifier)
	v, ok := scalar(input, m[1])
	return ok && glob(strings.TrimSpace(m[2]), v)
}

// scalar is a top-level value of the input as text.
func scalar(input json.RawMessage, key string) (string, bool) {
	var m map[string]any
	if json.Unmarshal(input, &m) != nil {
		return "", false
	}
	switch v := m[key].(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// glob matches with * for any text.
func glob(pattern, text string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for {
		var part string
		part, rest, wild = strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(text, part)
		}
		_, after, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = after
	}
}

// boundary lets "p *" fit p alone.
func boundary(pattern, text string) bool {
	p, ok := strings.CutSuffix(pattern, " *")
	return ok && glob(p, text)
}

// host compares names of hosts: case and a trailing dot do not matter, a leading *. is any depth of sub-domains, another *
// stays within a label.
func host(pattern, name string) bool {
	pattern = strings.TrimSuffix(strings.ToLower(pattern), ".")
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if p, ok := strings.CutPrefix(pattern, "*."); ok {
		for {
			_, rest, ok := strings.Cut(name, ".")
			if !ok {
				return false
			}
			if labels(p, rest) {
				return true
			}
			name = rest
		}
	}
	return pattern == "*" || labels(pattern, name)
}

func labels(pattern, name string) bool {
	ps, ns := strings.Split(pattern, "."), strings.Split(name, ".")
	if len(ps) != len(ns) {
		return false
	}
	for i := range ps {
		if !glob(ps[i], ns[i]) {
			return false
		}
	}
	return true
}
