package config

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// skillSpec are the keys of the open specification (agentskills.io); it knows no others.
var skillSpec = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

// skillTable is the fields of a skill.
var skillTable = lazyTable[Skill]{New: func() *table[Skill] {
	t := newTable(append([]field[Skill]{
		value("name", text(), func(s *Skill) *Ref { return &s.NameRef }).
			or("folder name").like("release-notes").means("what it is called by: a-z, 0-9 and -, the same as its folder"),
		value("license", text(), func(s *Skill) *Value[string] { return &s.License }).
			like("Apache-2.0").means("for readers"),
		value("compatibility", text(), func(s *Skill) *Value[string] { return &s.Compatibility }).
			like("needs git").means("what it needs, for readers; 500 characters"),
		value("metadata", metadata(), func(s *Skill) *Value[map[string]string] { return &s.Metadata }).
			or("{}").like("{owner: docs}").means("texts for readers and other programs"),
	}, promptFields()...)...)
	t.lookalikes, t.noun = map[string]string{"allowedTools": "tools", "allowed_tools": "tools"}, "a skill"
	return t
}}

// commandTable is the fields of a slash command: those of a skill, but for what its file says already.
var commandTable = lazyTable[Skill]{New: func() *table[Skill] {
	t := newTable(promptFields()...).labelled()
	t.lookalikes, t.noun = map[string]string{"allowedTools": "tools", "allowed_tools": "tools"}, "a command"
	return t
}}

// promptFields are what skills and commands have in common.
func promptFields() []field[Skill] {
	rules := func(words string) shape[[]Ref] { return list(words, true, false) }
	return append([]field[Skill]{
		value("description", text(), func(s *Skill) *Value[string] { return &s.Summary }).
			or("the first paragraph").like("Writes release notes from the log. Use it before a release.").
			means("what it does and when to use it; models choose by it; 1,024 characters"),
		value("when_to_use", text(), func(s *Skill) *Value[string] { return &s.When }).
			like("When a tag is about to be set.").means("added to the description"),
		value("argument-hint", text(), func(s *Skill) *Value[string] { return &s.Hint }).
			like("\"[version]\"").means("what arguments it takes, for people"),
		value("arguments", rules("list or text of names"), func(s *Skill) *Value[[]Ref] { return &s.Arguments }).
			or("[]").like("[since, until]").means("names of the arguments in order; $since in the body is the first of them"),
		value("allowed-tools", rules("blank-separated text, comma string or list of rules"), func(s *Skill) *Value[[]Ref] { return &s.Allowed }).guarded().
			or("[]").like("Bash(git log *) Read").means("rules that need no approval while it is active; gives nobody a tool"),
		value("disallowed-tools", rules("text or list of rules"), func(s *Skill) *Value[[]Ref] { return &s.Disallowed }).guarded().
			or("[]").like("[WebFetch]").means("rules that are refused while it is active"),
		value("tools", rules("text or list of rules"), func(s *Skill) *Value[[]Ref] { return &s.Tools }).guarded().
			or("[]").like("[Read, Grep]").means("the only tools that are left while it is the last one loaded (SwarmSDK v2); [] is no limit"),
		value("disable-model-invocation", boolean(), func(s *Skill) *Value[bool] { return &s.NoModel }).
			or("false").like("true").means("models do not see it; only a person calls it"),
		value("user-invocable", boolean(), func(s *Skill) *Value[bool] { return &s.Invocable }).
			or("true").like("false").means("a person can call it as /name"),
		with("substitutions", boolean(), func(s *Skill, v Value[bool]) { s.Verbatim = !v.V }).
			or("true").like("false").means("false: the body is shown as it is; native files only"),
		value("model", list("reference, or list of references", false, true), func(s *Skill) *Value[[]Ref] { return &s.Model }).
			or("the agent's").like("fast").means("the model from its loading to the end of the exchange"),
		value("effort", word(nil, efforts...), func(s *Skill) *Value[string] { return &s.Effort }).
			or("the agent's").like("high").means("the effort of thinking for as long"),
		value("context", word(nil, "fork"), func(s *Skill) *Value[string] { return &s.Fork }).
			like("fork").means("fork: it is worked on in a conversation of its own, whose answer comes back"),
		value("agent", text(), func(s *Skill) *Ref { return &s.Agent }).
			or("whoever loads it").like("reviewer").means("who works on it with context: fork"),
		value("paths", list("comma string or list of patterns", false, false), func(s *Skill) *Value[[]Ref] { return &s.Paths }).
			or("all").like("[\"**/*.sql\"]").means("models are told of it when they reach such a file"),
		value("hooks", hookGroups(), func(s *Skill) *Value[[]HookGroup] { return &s.Hooks }).guarded().
			or("[]").like("{PreToolUse: [{matcher: Bash, hooks: [{type: command, command: ./check}]}]}").means("hooks while it is active"),
		with("shell", text(), func(s *Skill, v Value[string]) {
			if v.V != "bash" {
				s.Inactive = append(s.Inactive, Ref{V: "shell", At: v.At, Key: v.Key})
			}
		}).or("bash").like("bash").means("what runs the commands of the body"),
	}, promptIdle()...)
}

// promptIdle are the fields of Claude Code that are understood and have no effect in this version.
func promptIdle() []field[Skill] {
	unused := func(key, words, doc string) field[Skill] {
		return idle(key, words, func(s *Skill) *[]Ref { return &s.Inactive }).means("%s", doc)
	}
	return []field[Skill]{
		unused("background", "true or false", "Claude Code: runs beside the caller"),
	}
}

// metadata is a map of texts. Other values become texts as they are written, nested ones with a word.
func metadata() shape[map[string]string] {
	s := textMap()
	s.read = func(d *decoder, n *yaml.Node) (map[string]string, bool) {
		if n.Kind != yaml.MappingNode {
			d.wrong(n, "a map")
			return nil, false
		}
		out := make(map[string]string, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if v.Kind != yaml.ScalarNode || hasForeignTag(v) || isNull(v) {
				d.add(diag.New("W-SKILL-META", d.at(v), "the value of %s is no text", shown(k.Value)).
					Explain("It is kept as it is written.").Suggest("write it in quotes"))
			}
			out[k.Value] = d.written(v)
		}
		return out, true
	}
	return s
}

// beyondSpec tells whether the open specification does not know a key of a skill.
func beyondSpec(key string) bool { return !slices.Contains(skillSpec, key) }
