package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// lookalikes are keys that people take for restrictions of an agent and that restrict nothing; each with the key they mean.
func lookalikes() map[string]string {
	return map[string]string{
		"allowedTools": "tools", "allowed_tools": "tools", "allowed-tools": "tools",
		"disallowed-tools": "disallowed_tools", "permission": "permissions",
	}
}

// agentWords are keys that other programs have for fields of an agent.
func agentWords() map[string]string {
	return map[string]string{
		"system": "system_prompt", "instruction": "system_prompt", "temperature": "parameters: {temperature: …}",
		"top_p": "parameters: {top_p: …}", "max_tokens": "parameters: {max_tokens: …}", "max_iterations": "max_turns",
		"steps": "max_turns", "sub_agents": "delegates_to", "response_format": "output",
	}
}

// lookalike warns of a key that looks like a restriction and restricts nothing (R11).
func (d *decoder) lookalike(k *yaml.Node, meant, noun string) {
	d.add(diag.New("W-KEY-SECURITY", d.at(k), "%q restricts nothing in %s", k.Value, noun).
		Explain("All tools are there that would be there without this line.").
		Suggest("write %q to restrict its tools", meant))
}

// labels are keys that every kind of Markdown file may carry. They say something to readers and nothing to this program.
var labels = []string{"version", "author", "tags", "category", "globs", "alwaysApply", "applyTo", "mode"}

// nativeKeys are the keys of agents of other programs, which have no table.
var nativeKeys = []string{
	"permission", "mcp-servers", "timeout_mins",
}

// knownKeys are those of all kinds together: what may be repaired, and what is never taken for a slip of the pen.
var knownKeys = lazy.Value[frontmatter.Keys]{New: func() frontmatter.Keys {
	keys := frontmatter.Keys{}
	for _, names := range [][]string{
		labels, skillTable.Get().names(), nativeKeys, agentTable.Get().names(), toolTable.Get().names(), hookTable.Get().names(), mcpTable.Get().names(),
	} {
		for _, n := range names {
			keys[n] = true
		}
	}
	return keys
}}

// unknown reports a key that no field of the mapping has (R11); names gives the keys it may be a slip of, meant the one
// that another program's key stands for. Where it is an error the result is the key that it is taken for, if any.
func (d *decoder) unknown(k *yaml.Node, names func() []string, meant string) string {
	x := diag.New(d.unknownCode(), d.at(k), "unknown key %q", k.Value).Suggest("correct the key, or remove the line")
	if meant != "" && !d.foreign {
		d.add(x.Suggest("did you mean %q?", meant))
		return d.onlyStrict(meant)
	}
	if !d.strict && d.known.Has(k.Value) {
		d.add(x.Explain("It belongs to another kind of definition and has no effect here.").Suggest("remove the line"))
		return ""
	}
	if name, ok := near(k.Value, names()); ok {
		if !d.strict {
			x = diag.New("W-KEY-NEAR", d.at(k), "unknown key %q", k.Value)
		}
		d.add(x.Suggest("did you mean %q?", name))
		return d.onlyStrict(name)
	}
	if d.strict {
		all := names()
		slices.Sort(all)
		x = x.Suggest("known keys here: %s", strings.Join(all, ", "))
	}
	d.add(x)
	return ""
}

// onlyStrict is a name where unknown keys are errors.
func (d *decoder) onlyStrict(name string) string {
	if d.strict {
		return name
	}
	return ""
}

func (d *decoder) unknownCode() diag.Code {
	switch {
	case d.strict:
		return "E-KEY-UNKNOWN"
	case d.skill:
		return "L-SKILL-KEY"
	case d.foreign:
		return "I-KEY-UNKNOWN"
	default:
		return "W-KEY-UNKNOWN"
	}
}

// near is the name that a key is a slip of: the same letters in another case style, else one edit away, two from six
// letters on.
func near(key string, names []string) (string, bool) {
	for _, n := range names {
		if letters(n) == letters(key) {
			return n, true
		}
	}
	limit := 1
	if len(key) >= 6 {
		limit = 2
	}
	best, found := limit+1, ""
	for _, n := range names {
		if e := edits(key, n, limit); e < best {
			best, found = e, n
		}
	}
	return found, found != ""
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// edits is the number of letters to put in, take out, change or swap with their neighbour to make b of a; more than limit
// is not counted out.
func edits(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
