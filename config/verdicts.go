package config

import (
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/wildcard"
)

// verdict is one line of permissions of which the last that matches counts.
type verdict struct {
	tool    string // a name, * stands for any text
	pattern string // of what the tool is called with; "*" = everything
	action  string // allow, ask, deny
	at      diag.Range
}

// verdicts are all lines of a file, and what becomes of them where deny comes before ask and ask before allow. What would
// come out weaker than it was written is refused.
type verdicts struct {
	agents   Value[[]Ref] // of Copilot: whom Agent may start
	disabled bool
	list     []verdict

	grants  []Ref        // specifiers of tools that have no other calls
	closed  bool         // only what is named is allowed
	asking  []diag.Range // rules that need an agent which asks by itself
	removed map[string]bool
}

// subject is a tool as permissions of opencode name it.
type subject struct {
	name   string
	same   []string // names that count as this one
	native []string
	spec   func(pattern string) ([]string, bool) // specifiers for a pattern; nil = it has none
	writes bool
}

func subjects() []subject {
	return []subject{
		{name: "bash", native: []string{"Bash"}, spec: commandSpec, writes: true},
		{name: "edit", same: []string{"write", "patch", "multiedit"}, native: []string{"Edit", "Write", "MultiEdit"}, spec: pathSpec, writes: true},
		{name: "read", native: []string{"Read"}, spec: pathSpec},
		{name: "grep", native: []string{"Grep"}},
		{name: "glob", same: []string{"list"}, native: []string{"Glob"}},
		{name: "webfetch", native: []string{"WebFetch"}},
		{name: "websearch", native: []string{"WebSearch"}},
		{name: "task", native: []string{"Agent"}, spec: nameSpec},
		{name: "todowrite", same: []string{"todoread"}, native: []string{"TodoWrite"}},
		{name: "skill", native: []string{"Skill"}, spec: nameSpec},
	}
}

// withoutSubject are permissions about things that an agent cannot do here anyhow.
var withoutSubject = []string{"external_directory", "doom_loop", "question", "lsp", "codesearch", "plan_enter", "plan_exit"}

// decide turns the lines into rules of the agent.
func (s *speaker) decide() {
	s.removed = map[string]bool{}
	s.closed = slices.ContainsFunc(s.list, func(v verdict) bool { return v.tool == "*" && v.action == "deny" && all(v.pattern) })
	for _, sub := range subjects() {
		s.decideSubject(sub)
	}
	s.decideOthers()
	if s.closed || len(s.grants) > 0 {
		s.close()
	}
	if s.to.Tools.Set() {
		for _, at := range s.asking {
			s.cannot(at, "what it allows goes without asking, and the rest asks; with another tool narrowed both cannot be had")
		}
	}
}

// decideSubject settles one tool: the last line about all of its calls, and those behind it.
func (s *speaker) decideSubject(sub subject) {
	var base *verdict
	var rest []verdict
	for i, v := range s.list {
		if !sub.matches(v.tool) {
			continue
		}
		if all(v.pattern) {
			base, rest = &s.list[i], nil
			continue
		}
		rest = append(rest, v)
	}
	if !s.ordered(rest) {
		return
	}
	weaker := func(than string) bool {
		return slices.ContainsFunc(rest, func(v verdict) bool { return rank(v.action) < rank(than) })
	}
	switch {
	case base == nil || base.action == "allow":
		if base != nil && !s.closed {
			s.rules(&s.to.Permissions.Allow, sub.native, base.at)
		}
	case base.action == "deny" && !weaker("deny"):
		for _, n := range sub.native {
			s.removed[n] = true
		}
		if s.closed && strings.Contains(base.tool, "*") {
			return // it is not among the tools that are listed
		}
		s.rules(&s.to.DisallowedTools.V, sub.native, base.at)
		s.to.DisallowedTools.At, s.to.DisallowedTools.Key = base.at, base.at.Span()
		return
	case base.action == "deny":
		for _, n := range sub.native {
			s.removed[n] = true
		}
		for _, v := range rest {
			if v.action != "deny" {
				s.specified(&s.grants, sub, v)
			}
		}
	case !weaker("ask"):
		s.rules(&s.to.Permissions.Ask, sub.native, base.at)
	case sub.writes:
		s.asking = append(s.asking, base.at)
	default:
		s.cannot(base.at, "some calls of a tool that only reads go and the rest asks")
	}
	for _, v := range rest {
		switch v.action {
		case "allow":
			s.specified(&s.to.Permissions.Allow, sub, v)
		case "ask":
			s.specified(&s.to.Permissions.Ask, sub, v)
		case "deny":
			s.specified(&s.to.Permissions.Deny, sub, v)
		}
	}
}

// ordered tells whether later lines are never weaker than earlier ones that may match the same call.
func (s *speaker) ordered(rest []verdict) bool {
	fine := true
	for i, later := range rest {
		at := slices.IndexFunc(rest[:i], func(v verdict) bool {
			return rank(later.action) < rank(v.action) && !disjoint(v.pattern, later.pattern)
		})
		if at >= 0 {
			s.cannot(later.at, "the line %s: %s comes after %s: %s and takes some of it back", later.pattern, later.action, rest[at].pattern, rest[at].action)
			fine = false
		}
	}
	return fine
}

// decideOthers settles lines about tools of MCP servers and about tools that are not known.
func (s *speaker) decideOthers() {
	for _, v := range s.list {
		if v.tool == "*" && v.action == "ask" && all(v.pattern) {
			s.rules(&s.to.Permissions.Ask, []string{"mcp__*"}, v.at)
		}
		if v.tool == "*" || slices.Contains(withoutSubject, v.tool) || slices.ContainsFunc(subjects(), func(u subject) bool { return u.matches(v.tool) }) {
			continue
		}
		if !all(v.pattern) && v.action != "allow" {
			s.cannot(v.at, "the calls of %s cannot be told apart", v.tool)
			continue
		}
		names := []string{v.tool}
		if strings.Contains(v.tool, "_") { // which part is the server cannot be seen
			names = []string{"mcp__" + strings.ReplaceAll(strings.ReplaceAll(v.tool, "_", "_*"), "**", "*")}
		}
		switch server, ok := strings.CutSuffix(v.tool, "_*"); {
		case v.action == "deny":
			s.rules(&s.to.Permissions.Deny, names, v.at)
		case v.action == "ask":
			s.rules(&s.to.Permissions.Ask, names, v.at)
		case ok && s.closed && !strings.Contains(server, "*"):
			s.rules(&s.grants, []string{"mcp__" + server + "__*"}, v.at)
		default:
			s.add(diag.New("W-TOOL-UNKNOWN", v.at, "%s has no counterpart here and is left out", shown(v.tool)))
		}
	}
}

// close lists the tools that are left, so that nothing else is inherited.
func (s *speaker) close() {
	at := s.doc.Fence
	if len(s.list) > 0 {
		at = s.list[0].at
	}
	out := []Ref{}
	for _, r := range everyTool(at) {
		if s.closed && !s.allowed(r.V) || s.removed[r.V] {
			continue
		}
		out = append(out, r)
	}
	s.to.Tools = Value[[]Ref]{V: append(out, s.grants...), At: at, Key: at.Span()}
}

// allowed tells whether a line lets a tool go where everything else is denied.
func (s *speaker) allowed(native string) bool {
	for _, sub := range subjects() {
		if !slices.Contains(sub.native, native) {
			continue
		}
		action := ""
		for _, v := range s.list {
			if sub.matches(v.tool) && all(v.pattern) {
				action = v.action
			}
		}
		return action == "allow" || action == "ask"
	}
	return false
}

// rules adds bare rules.
func (s *speaker) rules(to *[]Ref, names []string, at diag.Range) {
	for _, n := range names {
		*to = append(*to, Ref{V: n, At: at})
	}
	if s.to.Permissions.At.IsZero() {
		s.to.Permissions.At = at
	}
}

// specified adds rules for one pattern.
func (s *speaker) specified(to *[]Ref, sub subject, v verdict) {
	if sub.spec == nil {
		if v.action != "allow" || to == &s.grants {
			s.cannot(v.at, "the calls of %s cannot be told apart by %s", sub.name, v.pattern)
		}
		return
	}
	specs, ok := sub.spec(v.pattern)
	if !ok {
		if v.action != "allow" || to == &s.grants {
			s.cannot(v.at, "the pattern %s has no counterpart", v.pattern)
		}
		return
	}
	natives := sub.native
	if sub.name == "edit" && to != &s.grants {
		natives = natives[:1] // Edit(path) speaks of all tools that write
	}
	for _, native := range natives {
		for _, spec := range specs {
			s.rules(to, []string{native + "(" + spec + ")"}, v.at)
		}
	}
}

func (s *speaker) cannot(at diag.Range, format string, args ...any) {
	s.add(diag.New("E-PERMISSION-ORDER", at, "the permissions cannot be kept as they are: "+format, args...).
		Explain("Here deny comes before ask, and ask before allow, whatever their order; the last line that matches counts there.").
		Suggest("write the agent as a native file, with tools: and permissions: that say what is meant"))
}

// matches tells whether the tool of a line means the subject.
func (u subject) matches(tool string) bool {
	return wildcard.Match(tool, u.name) || slices.ContainsFunc(u.same, func(n string) bool { return wildcard.Match(tool, n) })
}

func all(pattern string) bool { return strings.Trim(pattern, "*") == "" }

func rank(action string) int { return slices.Index([]string{"allow", "ask", "deny"}, action) }

// disjoint tells whether two patterns surely match nothing in common: what stands before their first wildcard differs.
func disjoint(p, q string) bool {
	a, _, open := strings.Cut(p, "*")
	b, _, open2 := strings.Cut(q, "*")
	if !open && !open2 {
		return a != b
	}
	return !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a)
}

func commandSpec(p string) ([]string, bool) { return []string{p}, !strings.ContainsAny(p, "?()\n") }

func nameSpec(p string) ([]string, bool) { return []string{p}, !strings.ContainsAny(p, "*?(),:") }

// pathSpec is a path pattern whose * crosses folders as one whose * does not.
func pathSpec(p string) ([]string, bool) {
	p = strings.TrimPrefix(p, "./")
	if strings.ContainsAny(p, "?()[]{}!\\") {
		return nil, false
	}
	if strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	dir, base := "", p
	if i := strings.LastIndex(p, "/"); i >= 0 {
		dir, base = p[:i], p[i+1:]
	}
	switch {
	case strings.Contains(strings.ReplaceAll(dir, "**", ""), "*"):
		return nil, false
	case !strings.Contains(base, "*"):
		return []string{p}, true
	case dir == "":
		return []string{p, p + "/**"}, true
	case all(base):
		return []string{dir + "/**"}, true
	}
	return []string{dir + "/**/" + base, dir + "/**/" + base + "/**"}, true
}
