package tools

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// form is how a specifier is read; the tool's name decides it.
type form int

const (
	formAny    form = iota // no specifier: every call
	formShell              // a pattern of commands
	formPath               // a pattern of files, as in .gitignore
	formHost               // domain:pattern
	formAgents             // names of agents
	formSkill              // a skill, with or without arguments
	formParam              // parameter:value
)

var (
	toolName = lazy.MustCompile(`^[A-Za-z0-9_*.:-]+$`)
	param    = lazy.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]*):(.+)$`)
)

// ParseRule reads Tool or Tool(specifier). The error says what is wrong and how it is written right; it does not know
// whether a tool of that name exists.
func ParseRule(text string, d Dialect, at diag.Range) (Rule, error) {
	r := Rule{Text: strings.TrimSpace(text), At: at, Dialect: d}
	name, spec, has := strings.Cut(r.Text, "(")
	r.Tool = strings.TrimSpace(name)
	switch {
	case r.Text == "":
		return Rule{}, errors.New("a rule is empty; write a tool's name, such as Read or Bash(git diff *)")
	case r.Tool == "":
		return Rule{}, fmt.Errorf("rule %q names no tool before the parenthesis; write it as Tool(specifier)", r.Text)
	case has && !strings.HasSuffix(spec, ")"):
		if strings.Contains(spec, ")") {
			return Rule{}, fmt.Errorf("rule %q goes on after the closing parenthesis", r.Text)
		}
		return Rule{}, fmt.Errorf("rule %q has no closing parenthesis", r.Text)
	case !toolName.Get().MatchString(r.Tool):
		return Rule{}, fmt.Errorf("rule %q: %q is no name of a tool (letters, digits, _, - and * are)", r.Text, r.Tool)
	}
	if r.Tool == "Task" {
		r.Tool = "Agent"
	}
	if !has {
		return r, nil
	}
	spec = strings.TrimSpace(strings.TrimSuffix(spec, ")"))
	if spec == "" {
		return Rule{}, fmt.Errorf("rule %q has empty parentheses; write %s for every call", r.Text, r.Tool)
	}
	r.Specifier = spec
	if err := r.check(); err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", r.Text, err)
	}
	return r, nil
}

// form tells how the specifier is meant.
func (r *Rule) form() form {
	switch r.Tool {
	case "Bash":
		if r.Specifier == "*" || r.Specifier == "" {
			return formAny
		}
		return formShell
	case "Read", "Edit", "Write", "MultiEdit", "Glob", "Grep", "LS", "NotebookRead", "NotebookEdit":
		if r.Specifier == "" {
			return formAny
		}
		return formPath
	}
	switch {
	case r.Specifier == "" || r.Specifier == "*":
		return formAny
	case r.Tool == "WebFetch" && strings.HasPrefix(r.Specifier, "domain:"):
		return formHost
	case r.Tool == "Agent" && !param.Get().MatchString(r.Specifier):
		return formAgents
	case r.Tool == "Skill":
		return formSkill
	}
	return formParam
}

// check looks at the specifier.
func (r *Rule) check() error {
	switch r.form() {
	case formPath:
		return checkPath(r.Specifier)
	case formHost:
		host := strings.TrimPrefix(r.Specifier, "domain:")
		if host == "" || strings.ContainsAny(host, "/: \t@") {
			return fmt.Errorf("%q is no host; write domain:example.com or domain:*.example.com", host)
		}
	case formAgents:
		for name := range strings.SplitSeq(r.Specifier, ",") {
			if strings.TrimSpace(name) == "" {
				return errors.New("there is an empty name between commas; write Agent(one, two)")
			}
		}
	case formParam:
		return r.checkParam()
	}
	return nil
}

func (r *Rule) checkParam() error {
	m := param.Get().FindStringSubmatch(r.Specifier)
	if m == nil {
		if r.Tool == "WebFetch" {
			return fmt.Errorf("WebFetch takes domain:HOST, not %q", r.Specifier)
		}
		if near, ok := diag.Closest(r.Tool, []string{"Bash", "Edit", "Glob", "Grep", "MultiEdit", "Read", "WebFetch", "Write"}); ok {
			return fmt.Errorf("there is no tool %s that takes it; did you mean %s?", r.Tool, near)
		}
		return fmt.Errorf("%s takes no such specifier; write %s for every call or %s(parameter:value)", r.Tool, r.Tool, r.Tool)
	}
	switch m[1] {
	case "command", "file_path", "path", "notebook_path", "url":
		return fmt.Errorf("the parameter %s cannot be matched as text; use the tool's own form, such as Read(docs/**), Bash(git *) or WebFetch(domain:x.com)", m[1])
	}
	return nil
}

func checkPath(pattern string) error {
	if strings.HasPrefix(pattern, "!") {
		return errors.New("a pattern that begins with ! is not understood; write what is meant as an allow or a deny rule")
	}
	if strings.ContainsRune(pattern, 0) {
		return errors.New("the pattern holds a NUL character")
	}
	if !doublestar.ValidatePattern(pattern) {
		return errors.New("the pattern does not parse: an open [ or {, or a \\ at its end")
	}
	wild := false
	for seg := range strings.SplitSeq(pattern, "/") {
		if seg == ".." && wild {
			return errors.New("the pattern has .. after a wildcard; write the folder that is meant")
		}
		wild = wild || strings.ContainsAny(seg, "*?[{")
	}
	return nil
}

// Unused is a rule, or a use of one, that decides nothing where it stands.
type Unused struct {
	Rule Rule
	Why  string
}

// Unused lists rules that are never consulted, for the warning W-RULE-UNUSED.
func (r *Rules) Unused() []Unused {
	var out []Unused
	add := func(rule Rule, why string) { out = append(out, Unused{Rule: rule, Why: why}) }
	for _, rule := range r.Grants {
		if rule.form() == formParam {
			add(rule, "a parameter can be matched in deny and ask only: this entry offers the tool but no call passes it")
		}
		if rule.wildName() && !rule.grantsGlob() {
			add(rule, "a wildcard is understood only after the name of an MCP server, as in mcp__github__*")
		}
	}
	for _, rule := range r.Allow {
		switch {
		case rule.Dialect == Claude && rule.dead():
			add(rule, fmt.Sprintf("Claude Code never consults %s(…) to allow something; write %s(…)", rule.Tool, rule.family()))
		case rule.form() == formParam:
			add(rule, "a parameter can be matched in deny and ask only")
		case rule.wildName() && !rule.grantsGlob():
			add(rule, "a wildcard is understood only after the name of an MCP server, as in mcp__github__*")
		}
	}
	for _, list := range [][]Rule{r.Grants, r.Removed, r.Allow, r.Ask, r.Deny} {
		for _, rule := range list {
			if name, value := rule.misread(); name != "" {
				add(rule, fmt.Sprintf("%s is no parameter that can be matched, so this names what begins with %q; write %s(%s)", name, name+":", rule.Tool, value))
			}
		}
	}
	for _, list := range [][]Rule{r.Ask, r.Deny} {
		for _, rule := range list {
			if rule.Dialect == Claude && rule.dead() {
				add(rule, fmt.Sprintf("Claude Code never consults %s(…); it counts as %s(%s)", rule.Tool, rule.family(), rule.Specifier))
			}
		}
	}
	return out
}

// misread is the parameter that a rule means to match and does not, since its tool has a form of its own for it.
func (r *Rule) misread() (name, value string) {
	m := param.Get().FindStringSubmatch(r.Specifier)
	if m == nil || m[2] == "*" {
		return "", ""
	}
	switch r.form() {
	case formShell:
		if m[1] != "command" {
			return "", ""
		}
	case formPath:
		if m[1] != "file_path" && m[1] != "path" && m[1] != "notebook_path" {
			return "", ""
		}
	default:
		return "", ""
	}
	return m[1], m[2]
}

// dead tells whether Claude Code knows the form but never looks at it.
func (r *Rule) dead() bool {
	return r.form() == formPath && (r.Tool == "Write" || r.Tool == "NotebookEdit" || r.Tool == "Glob")
}

// family is the rule that Claude Code consults in place of r's tool.
func (r *Rule) family() string {
	switch r.Tool {
	case "Write", "NotebookEdit":
		return "Edit"
	case "Glob":
		return "Read"
	}
	return r.Tool
}
