package importer

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/hookevent"
	"github.com/swarmrun/swarmrun/tools"
)

// adjust turns an agent of a foreign tree into a native one that may do no more; false when that cannot be had.
func (b *builder) adjust(a *config.Agent) bool {
	for _, key := range a.Inactive {
		b.left.Add(diag.New("W-NOT-CARRIED", key.KeyAt(), "%s has no counterpart here", key.V))
	}
	a.Inactive = nil
	a.Change()
	if a.MCP.Set() {
		b.left.Add(diag.New("W-NOT-CARRIED", a.MCP.KeyAt(), "servers are files of their own here: write mcp/NAME.md and list them under mcp:"))
		a.MCP = config.Value[[]config.MCPRef]{}
	}
	if len(a.Skills.V) > 0 {
		b.left.Add(diag.New("W-NOT-CARRIED", a.Skills.KeyAt(), "skills are loaded when they are needed; the agent sees all of the workspace"))
	}
	a.Skills = config.Value[[]config.Ref]{}
	if a.Tools.Set() && !slices.ContainsFunc(a.Tools.V, func(r config.Ref) bool { return r.V == "*" || strings.HasPrefix(r.V, "Skill") }) {
		a.Skills = config.Value[[]config.Ref]{V: []config.Ref{}, At: a.At, Key: a.At.Span()} // it could load none
	}
	b.bind(a)
	if !b.hooks(a) || !b.offer(a) {
		return false
	}
	a.DisallowedTools.V = b.known(a.DisallowedTools.V)
	a.Permissions.Ask = b.known(stricter(a.Permissions.Ask))
	a.Permissions.Deny = b.known(stricter(a.Permissions.Deny))
	a.Permissions.Allow = b.reached(a, b.known(b.useful(a.Permissions.Allow)))
	b.knownModels(a, nil)
	if !a.Instructions.Set() {
		a.Instructions = config.Value[bool]{V: true, At: a.At, Key: a.At.Span()}
	}
	a.Prompt = quoted(a.Prompt)
	return true
}

// bind adds what the settings of the tree say about all of its agents.
func (b *builder) bind(a *config.Agent) {
	s := b.given
	if s == nil {
		return
	}
	a.Permissions.Allow = append(a.Permissions.Allow, s.Permissions.Allow...)
	a.Permissions.Ask = append(a.Permissions.Ask, s.Permissions.Ask...)
	a.Permissions.Deny = append(a.Permissions.Deny, s.Permissions.Deny...)
	if !a.PermissionMode.Set() {
		a.PermissionMode = s.Mode
	}
	if s.NoBypass && a.PermissionMode.V == "bypass" {
		a.PermissionMode.V = "default"
	}
	if !a.Model.Set() {
		a.Model = s.Model
	}
}

// offer settles tools:. An agent without it has all that are built in, and asks before it uses one that changes something,
// as it does where it lies.
func (b *builder) offer(a *config.Agent) bool {
	if !a.Tools.Set() {
		a.Tools = config.Value[[]config.Ref]{At: a.At, Key: a.At.Span()}
		for _, name := range b.names {
			a.Tools.V = append(a.Tools.V, config.Ref{V: name, At: a.At})
			if !b.tools[name] {
				a.Permissions.Ask = append(a.Permissions.Ask, config.Ref{V: name, At: a.At})
			}
		}
		return true
	}
	had := len(a.Tools.V)
	a.Tools.V = b.known(a.Tools.V)
	if had > 0 && len(a.Tools.V) == 0 {
		b.left.Add(diag.New("E-NOT-CARRIED", a.Tools.KeyAt(), "none of the tools of %q exist here", a.Name).Suggest("write the agent by hand"))
		return false
	}
	return true
}

// hooks keeps commands, which a native file runs in the same way but with failures that deny. Another kind of hook that
// guards something leaves the agent out.
func (b *builder) hooks(a *config.Agent) bool {
	var kept []config.HookGroup
	for _, g := range a.Hooks.V {
		name, _ := hookevent.Lookup(g.Event.V)
		plain := len(name.On) > 0 && !slices.ContainsFunc(g.Handlers, func(h config.HookHandler) bool {
			return h.Type != "command" || h.Args != nil || h.Shell != "" || h.Dir != "" || len(h.Env) > 0 || h.Once
		})
		switch {
		case plain:
			kept = append(kept, g)
		case name.Gate:
			b.left.Add(diag.New("E-NOT-CARRIED", g.Event.At, "the hook of %s guards %q and cannot be carried", g.Event.V, a.Name).Suggest("write a hook file and the agent by hand"))
			return false
		default:
			b.left.Add(diag.New("W-NOT-CARRIED", g.Event.At, "the hook of %s is not carried", g.Event.V))
		}
	}
	a.Hooks.V = kept
	if len(kept) == 0 {
		a.Hooks = config.Value[[]config.HookGroup]{}
	}
	return true
}

// stricter writes rules that Claude Code reads as others the way it reads them.
func stricter(refs []config.Ref) []config.Ref {
	out := slices.Clone(refs)
	for i, r := range out {
		tool, spec, has := strings.Cut(r.V, "(")
		switch {
		case has && (tool == "Write" || tool == "NotebookEdit"):
			out[i].V = "Edit(" + spec
		case has && tool == "Glob":
			out[i].V = "Read(" + spec
		}
	}
	return out
}

// useful drops what Claude Code never looks at.
func (b *builder) useful(refs []config.Ref) []config.Ref {
	return slices.DeleteFunc(slices.Clone(refs), func(r config.Ref) bool {
		rule, err := tools.ParseRule(r.V, tools.Claude, r.At)
		if err != nil {
			return true
		}
		rules := tools.Rules{Allow: []tools.Rule{rule}}
		dead := len(rules.Unused()) > 0
		if dead {
			b.left.Add(diag.New("W-NOT-CARRIED", r.At, "%s allows nothing there either", r.V))
		}
		return dead
	})
}

// reached drops what is allowed of a tool that is asked about as a whole: here ask comes first.
func (b *builder) reached(a *config.Agent, refs []config.Ref) []config.Ref {
	return slices.DeleteFunc(refs, func(r config.Ref) bool {
		tool, _, _ := strings.Cut(r.V, "(")
		for i, q := range a.Permissions.Ask {
			if q.V != tool {
				continue
			}
			if r.V == tool && q.At == a.At { // asked about only because it was inherited
				a.Permissions.Ask = slices.Delete(a.Permissions.Ask, i, i+1)
				return false
			}
			b.left.Add(diag.New("W-NOT-CARRIED", r.At, "%s is asked about all the same: %s asks, and asking comes first here", r.V, tool))
			return true
		}
		return false
	})
}

// quoted puts lines that would include a file into code: there they were text.
func quoted(body string) string {
	var b strings.Builder
	from := 0
	for _, i := range config.Includes(body) {
		line := body[i.Start:i.End]
		b.WriteString(body[from:i.Start])
		b.WriteString(strings.Replace(line, "@"+i.Path, "`@"+i.Path+"`", 1))
		from = i.End
	}
	b.WriteString(body[from:])
	return b.String()
}
