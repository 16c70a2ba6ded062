package tools

import "github.com/swarmrun/swarmrun/config/diag"

// Rule is one permission rule as written: Tool or Tool(specifier). Make one with ParseRule.
type Rule struct {
	Text      string // as written, such as Bash(git diff *)
	Tool      string // a name, or a pattern of names such as mcp__github__*
	Specifier string // the text in parentheses; "" = every call
	At        diag.Range
	Dialect   Dialect
}

// Dialect is whose meaning a rule has where the tools differ.
type Dialect int

// The dialects: definitions of this program, and those of Claude Code.
const (
	Native Dialect = iota
	Claude
)

// Rules is all that decides what an agent may do. The zero Rules offers nothing.
type Rules struct {
	All     bool   // every tool of the workspace is offered (tools: "*")
	Grants  []Rule // else: the tools offered, each narrowed by its specifier
	Removed []Rule // disallowed_tools: wins over All and Grants
	Allow   []Rule
	Ask     []Rule
	Deny    []Rule
	// Approved are rules that a person gave when they were asked: what they cover is not asked about again. They offer no
	// tool, and a deny rule still refuses.
	Approved []Rule
	// Guarded are patterns of files, as in rules, that a tool writes only where a rule names them, although they lie inside
	// the directories: the definitions that decide what later runs may do.
	Guarded []string
	Mode    Mode
	Asking  bool // writing and running tools that are offered by inheritance only ask first (agents of Claude locations)
}

// Mode is how the answer "ask" and what no rule names are treated.
type Mode string

// The permission modes.
const (
	ModeDefault     Mode = "default"
	ModeAcceptEdits Mode = "accept-edits"
	ModePlan        Mode = "plan"
	ModeDenyAsks    Mode = "deny-asks"
	ModeBypass      Mode = "bypass"
)
