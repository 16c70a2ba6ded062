package diag

import (
	"iter"
	"slices"
)

// Entry explains one code. All text is for people: Title finishes the sentence "this says that", Cause tells how a file
// comes to it, Cure what to do.
type Entry struct {
	Code  Code
	Title string
	Cause string
	Cure  string
}

// Group is the codes of one subject.
type Group struct {
	Name    string
	Entries []Entry
}

// Lookup finds the explanation of a code.
func Lookup(c Code) (Entry, bool) {
	for _, g := range table {
		for _, e := range g.Entries {
			if e.Code == c {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// Groups yields the table in the order of docs/errors.md. The entries are the caller's own.
func Groups() iter.Seq[Group] {
	return func(yield func(Group) bool) {
		for _, g := range table {
			if !yield(Group{g.Name, slices.Clone(g.Entries)}) {
				return
			}
		}
	}
}

// table holds every code that swarmrun can print. A code never changes its meaning and is never used again for another;
// a new one gets a row here, next to its kin. docs/errors.md is written from it (go generate ./config/diag).
//
//go:generate go test -run ^TestErrorsDoc$ . -update
var table = []Group{
	{"Files", []Entry{
		{"E-ENCODING", "the file is not UTF-8 text",
			"The file is stored as UTF-16 or UTF-32, or holds a byte that is no UTF-8.",
			"Save it as UTF-8. A byte order mark at the start may stay."},
		{"E-FILE-READ", "the file or folder cannot be read",
			"It is gone, its permissions forbid it, or a link leads in a circle.",
			"Correct what the message names. Nothing that needs the file can run until then."},
		{"E-DIR-MISSING", "a folder that is named does not exist",
			"The settings or an agent name a folder that is not there.",
			"Create it, or correct the path. Relative paths start where the reference says."},
		{"E-FENCE-OPEN", "metadata stands without an opening fence",
			"The file starts with lines like `name: value`, but no `---` line comes before them.",
			"Put a line `---` above the metadata and one below it."},
		{"E-FENCE-CLOSE", "the frontmatter is never closed",
			"The file opens with `---`, and no later line holds just `---` or `...` at its very start. Indented fences are content.",
			"Put a line `---` where the metadata ends."},
		{"E-FENCE-CODE", "the frontmatter is wrapped in a code block",
			"The file starts with a Markdown code fence such as ```yaml around its `---` lines, often left by a copy from a chat.",
			"Remove the code fence, so that `---` is the first line."},
		{"W-FENCE-BLANK", "blank lines stand before the opening fence",
			"The first line is blank. Some other tools then see no frontmatter.",
			"Remove the blank lines."},
		{"W-BODY-EMPTY", "nothing follows the frontmatter",
			"The body of a definition is its prompt or script, and this one is empty.",
			"Write the prompt below the closing fence."},
		{"I-DOC", "the file is documentation, not a definition",
			"A Markdown file in a definition folder has no frontmatter, or in a Claude location no `name`.",
			"Nothing to do for a README. To make it a definition, give it frontmatter."},
		{"W-INACTIVE", "the file or entry is not used by this version",
			"The kind of definition is known, and this version does not act on it yet.",
			"Update swarmrun, or do without."},
		{"I-INACTIVE", "a file of another tool is not used by this version",
			"The tree of another tool holds a kind of file that this version does not act on.",
			"Nothing to do."},
	}},
	{"YAML", []Entry{
		{"E-YAML", "the YAML cannot be read",
			"The text is no YAML, and no repair that keeps its meaning was found. A tab, an open quote or a missing blank after a colon are the usual reasons.",
			"Correct the marked line; the help line names what was seen there."},
		{"E-YAML-DUPKEY", "a key is given twice",
			"The same key stands twice in one mapping. YAML readers disagree which one counts, so neither does.",
			"Remove one of the two; both lines are named."},
		{"E-YAML-ANCHOR", "anchors, aliases and merge keys are not allowed here",
			"The frontmatter uses `&name`, `*name` or `<<:`.",
			"Write the value out."},
		{"E-YAML-SHAPE", "the YAML has the wrong shape",
			"The root is not a mapping of keys to values, or a key is no text.",
			"Write `key: value` lines."},
		{"W-YAML-QUOTED", "a value was read as if it were quoted",
			"The value holds characters that YAML reads in its own way, such as a colon followed by a blank, or starts with `*`, `[` or `@`.",
			"Run `swarmrun fmt`, which writes the quotes, or quote the value yourself."},
		{"W-YAML-FOLDED", "a value over several lines was joined",
			"The lines of a value are not indented, so strict YAML ends it at the first line.",
			"Run `swarmrun fmt`, or use a block: `key: |` and indented lines."},
		{"W-YAML-COMMENT", "the rest of the value is a comment",
			"A `#` after a blank starts a comment in YAML; what follows is not part of the value.",
			"Quote the value if the text belongs to it."},
	}},
	{"Values and keys", []Entry{
		{"E-VALUE-TYPE", "a value has the wrong type",
			"The field takes another kind of value, and reading it wrongly would change what an agent may do or how the workspace behaves.",
			"Write the kind of value that the message names."},
		{"W-VALUE-TYPE", "a value of the wrong type is ignored",
			"The field takes another kind of value. It counts as not given.",
			"Write the kind of value that the message names."},
		{"E-VALUE-RANGE", "a value is out of range",
			"The number, duration or choice is not one of those that the field takes.",
			"Use a value that the help line allows."},
		{"W-VALUE-RANGE", "a value out of range is ignored",
			"A file of another tool gives a value that the field does not take here. It counts as not given.",
			"Use a value that the help line allows."},
		{"W-VALUE-NULL", "a key without value counts as absent",
			"The key stands there with nothing behind it.",
			"Give a value, write `[]` for an empty list, or remove the key."},
		{"W-VAR-UNSET", "a variable has no value",
			"The text names a variable of the environment that is not set, and gives no default.",
			"Set the variable, or write a default."},
		{"E-KEY-TWICE", "one field is given in two spellings",
			"The file has the same field under two names, such as `max_turns` and `maxTurns`.",
			"Keep one of the two."},
		{"E-KEY-UNKNOWN", "there is no such key",
			"The key is not part of this kind of definition. In YAML files that is an error, since a misspelt key would be lost in silence.",
			"Correct it, or move it to where it belongs. `swarmrun schema` prints all keys of a kind."},
		{"W-KEY-UNKNOWN", "an unknown key is ignored",
			"The key is not part of this kind of definition.",
			"Correct or remove it."},
		{"I-KEY-UNKNOWN", "a key of another tool is kept and not used",
			"The file was written for another tool and uses a field that swarmrun does not act on.",
			"Nothing to do."},
		{"W-KEY-NEAR", "a key looks like a misspelt one and is ignored",
			"The key is unknown and a letter or a case style away from a known one.",
			"Use the name that is suggested."},
		{"W-KEY-SECURITY", "a key looks like a restriction and restricts nothing",
			"The key resembles one that limits tools, but is not read in this kind of file: everything stays allowed.",
			"Use the key that is suggested, or remove it."},
	}},
	{"Identity and reload", []Entry{
		{"E-NAME", "the name cannot be used",
			"The name holds a `:`, which separates plugins from names, or starts with `-`, which looks like a flag.",
			"Choose another name."},
		{"E-NO-DESCRIPTION", "the description is missing",
			"Other agents choose whom to ask by the description, and the file has a name without one.",
			"Add a line `description:` that says when to use it."},
		{"W-DUP-NAME", "the name is taken by another file",
			"Two files of one tree define the same name. The one in the closest folder counts, then the first path.",
			"Rename one of the two, or remove it."},
		{"W-SHADOW", "the definition hides another of the same name",
			"A definition of the workspace counts before project trees, and these before user folders.",
			"Nothing to do if that is meant; else rename one."},
		{"W-STALE", "the last good version stays in use",
			"A saved change has errors, so running and new work go on with the version before it.",
			"Correct the errors that are printed with it."},
	}},
	{"Tools and models", []Entry{
		{"E-TOOL-UNKNOWN", "there is no such tool",
			"The name is no built-in tool, no tool of the workspace, no configured server and no agent.",
			"Correct the name; the help line lists what exists here."},
		{"W-TOOL-UNKNOWN", "a tool that does not exist here is left out",
			"A file written for another tool names something that swarmrun does not have.",
			"Remove the entry, or use the tool that is suggested."},
		{"E-ZERO-TOOLS", "none of the tools exist, so the agent cannot be started",
			"Every entry of `tools` is unknown. Starting the agent without tools would look like success.",
			"Correct the entries, or write `tools: []` for an agent without tools."},
		{"W-TOOL-SCOPED-DENY", "a deny with a specifier is read differently elsewhere",
			"swarmrun refuses only the calls that match. Claude Code takes the whole tool away.",
			"Name the tool alone if the file is to mean the same in both."},
		{"W-RULE-UNUSED", "a permission rule has no effect as written",
			"The rule names a tool that is checked under another one, such as `Write(path)` in Claude settings.",
			"Write the rule with the tool that is named."},
		{"E-MODEL-UNKNOWN", "there is no such model or provider",
			"The name is not defined under `models`, and what stands before the `/` is no provider.",
			"Write `provider/model`, or define the name in swarmrun.yaml."},
		{"W-MODEL-UNKNOWN", "the model is not in the price table",
			"The provider is known, but not this model: a new model, or a misspelt one. In a Claude location the agent runs on the inherited model.",
			"Check the spelling, or give prices and window under `models`."},
		{"E-MODEL-NONE", "the agent has no model",
			"Neither the agent nor the workspace nor the command line names one.",
			"Add `model:` to the agent, or `defaults: {model: …}` to swarmrun.yaml, or pass `-m provider/model`."},
		{"E-PRICE-UNKNOWN", "a budget in money cannot be kept without a price",
			"The agent has a limit in money and a model whose price nobody knows.",
			"Give prices under `models` in swarmrun.yaml, or limit tokens or turns."},
		{"W-MODEL-TWICE", "a model stands twice in one chain",
			"A fallback to the model that has just failed cannot help.",
			"Remove one of the two."},
	}},
	{"Hooks", []Entry{
		{"E-HOOK-MATCHER", "the matcher cannot be read",
			"The pattern is no valid RE2 expression. Look-around and back-references of JavaScript do not exist there.",
			"Rewrite the pattern without the construct that is named, or list the names with `|`."},
		{"E-HOOK-EVENT", "there is no such event",
			"A hook is set on an event that swarmrun does not have.",
			"Use one of the events that the message lists."},
		{"E-HOOK-INACTIVE", "the agent depends on hooks that this version does not run",
			"A hook may be what keeps the agent from doing harm, so it is not started without.",
			"Remove the hooks from the agent, or update swarmrun."},
		{"W-HOOK-EVENT", "a hook on an unknown event never runs",
			"A file written for another tool names an event that swarmrun does not have.",
			"Remove the hook, or set it on another event."},
		{"W-HOOK-MATCHER-NONE", "the matcher hits nothing",
			"A server name alone matches no tool: tools of a server are named `mcp__server__tool`.",
			"Write `mcp__server__.*`."},
		{"W-HOOK-FAIL-OPEN", "a hook that fails lets the action go ahead",
			"In files written for Claude Code a hook that crashes or times out does not stop what it guards.",
			"Move the hook to swarmrun's own hooks, which deny unless `on_error: allow` is set."},
		{"W-HOOK-MISSING", "the program of a hook was not found",
			"The script or interpreter does not exist, so the hook will fail each time.",
			"Correct the path or install the program."},
		{"W-HOOK-QUOTING", "a placeholder in a shell command is not quoted",
			"A path with blanks falls apart into several words.",
			"Put double quotes around the placeholder."},
		{"W-TIMEOUT-MS", "a timeout looks like milliseconds",
			"The number is 1000 or more, and bare numbers are seconds.",
			"Write seconds, or a duration such as `30s`."},
		{"W-TIMEOUT-S", "a timeout looks like seconds",
			"The field takes milliseconds here, and a value below 1000 is ignored.",
			"Write milliseconds."},
		{"I-HOOK-FORM", "the hook is written in another shape and was read all the same",
			"Flat groups, camelCase events and older field names are understood.",
			"Nothing to do."},
		{"I-HOOK-EVENT", "the event never happens here",
			"The event is known from another tool and has no counterpart in swarmrun.",
			"Nothing to do; the hook does not run."},
	}},
	{"MCP servers", []Entry{
		{"E-MCP-TYPE", "the type of the server is missing or unknown",
			"An entry with `url` needs `type`; without it another tool would start it as a program.",
			"Add `\"type\": \"http\"`."},
		{"E-MCP-NEST", "the fields of the server stand one level too deep",
			"The entry holds a `transport` object.",
			"Move its fields up into the entry."},
		{"E-MCP-TOOL-CLASH", "two tools of servers have the same name",
			"After cleaning, two names are equal, so a call could reach the wrong server. Neither is offered.",
			"Rename one of the servers."},
		{"W-MCP-ENV", "a variable in a server entry is not set",
			"The text keeps the placeholder as it is.",
			"Set the variable, or write `${NAME:-default}`."},
		{"W-MCP-NAME", "the server name holds characters that tool names cannot have",
			"Other characters than letters, digits, `_` and `-` become `_` in the names of its tools.",
			"Rename the server."},
		{"W-MCP-SPACE", "a value has blanks around it",
			"Blanks are kept and usually break the command or URL.",
			"Remove them."},
		{"W-MCP-WRAPPER", "the `mcpServers` object is missing",
			"The file lists servers at its root. That is only usual in plugins.",
			"Wrap the entries in `{\"mcpServers\": {…}}`."},
	}},
	{"Skills", []Entry{
		{"W-SKILL-DIR", "the skill is named differently from its folder",
			"Tools that follow the specification expect both to be equal.",
			"Rename one of the two."},
		{"W-SKILL-NAME", "the name of the skill breaks the rules for names",
			"A skill's name has lower-case letters, digits and hyphens. Where it cannot be used, the folder's name counts.",
			"Choose another name."},
		{"W-SKILL-FILE", "the skill file is not named SKILL.md",
			"`skill.md` and other spellings are read here, and by few other tools.",
			"Rename the file to `SKILL.md`."},
		{"W-SKILL-DESC", "the skill has no description",
			"A model chooses skills by their description. The first paragraph is used instead.",
			"Add a line `description:` that says when to use it."},
		{"W-SKILL-DESC-LEN", "the description of the skill is too long",
			"It is kept whole here; other tools cut or refuse more than 1,024 characters.",
			"Shorten it; details belong into the body."},
		{"W-SKILL-META", "a value in `metadata` is no text",
			"Metadata is a map from text to text; other values are kept as written.",
			"Write the value as text."},
		{"L-SKILL-KEY", "the skill has a key that the specification does not know",
			"Other tools may refuse the file.",
			"Move it below `metadata`, or remove it."},
		{"L-SKILL-NO-NAME", "the skill has no name of its own",
			"The name of its folder is used. The specification asks for `name`.",
			"Add a line `name:`."},
		{"L-SKILL-ALLOWED", "`allowed-tools` is not separated by blanks",
			"The specification separates entries by blanks; lists and commas are read here all the same.",
			"Separate the entries by blanks."},
		{"L-SKILL-DOLLAR", "a `$` in the text will be replaced",
			"`$1` and its like are placeholders for arguments, inside code too.",
			"Write `\\$1` for the characters themselves, or set `substitutions: false` in a native file."},
		{"L-SKILL-LONG", "the body of the skill is very long",
			"The whole body, here over 20,000 characters, goes into the context of the model when the skill is used.",
			"Move parts into files that the skill points to."},
		{"L-SKILL-COMPAT", "`compatibility` is too long",
			"The field is a text of at most 500 characters.",
			"Shorten it, or remove it."},
	}},
}
