package config

import "github.com/swarmrun/swarmrun/config/diag"

// Skill is a skill (SKILL.md) or a slash command (.claude/commands): a text that is put in front of a model when it is
// asked for, and what the model may do meanwhile.
type Skill struct {
	Definition
	Text string     // the body
	Body diag.Range // where the body begins

	NameRef       Ref
	Summary       Value[string] // description
	When          Value[string] // when_to_use
	Hint          Value[string] // argument-hint
	License       Value[string]
	Compatibility Value[string]
	Metadata      Value[map[string]string]
	Arguments     Value[[]Ref]  // names of the arguments, in order
	Allowed       Value[[]Ref]  // allowed-tools: rules that are pre-approved
	Disallowed    Value[[]Ref]  // disallowed-tools: rules that are refused
	Tools         Value[[]Ref]  // SwarmSDK v2: the only tools that are left; empty = no limit
	NoModel       Value[bool]   // disable-model-invocation: only a person calls it
	Invocable     Value[bool]   // user-invocable: a person may call it
	Verbatim      bool          // substitutions: false
	Model         Value[[]Ref]  // instead of the agent's, for the rest of the exchange
	Effort        Value[string] // of thinking, likewise
	Fork          Value[string] // context: "fork" = it is worked on in a conversation of its own
	Agent         Ref           // who works on it there
	Paths         Value[[]Ref]  // patterns: models see it when they reach such a file; not Set = at once
	Hooks         Value[[]HookGroup]
	Inactive      []Ref // fields that are understood and that this version does not act on: V is the key
}
