package config

import (
	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

// copilot is how Copilot and VS Code write agents, chat modes among them.
func copilot() *tongue {
	return &tongue{
		origin: FromCopilot,
		same:   map[string]string{"mcp-servers": "mcpServers"},
		own: map[string]func(s *speaker, k, v *yaml.Node){
			"tools":  (*speaker).toolList,
			"model":  (*speaker).models,
			"agents": (*speaker).team,
		},
		told: []string{
			"target", "argument-hint", "user-invocable", "user-invokable", "disable-model-invocation", "infer", "metadata", "handoffs",
			"hooks",
		},
		done: (*speaker).narrowTeam,
	}
}

// team reads which agents may be started.
func (s *speaker) team(k, v *yaml.Node) {
	refs := []Ref{}
	if s.items(v, false, false, &refs) {
		s.agents = Value[[]Ref]{V: refs, At: s.at(v), Key: s.at(k).Span()}
	}
}

// narrowTeam makes agents: a part of tools:, where it restricts whom Agent starts. Without tools: it cannot add any.
func (s *speaker) narrowTeam() {
	if !s.agents.Set() {
		return
	}
	for _, r := range s.agents.V {
		if r.V == "*" {
			return
		}
	}
	if len(s.agents.V) == 0 {
		s.to.DisallowedTools = Value[[]Ref]{V: []Ref{{V: "Agent", At: s.agents.At}}, At: s.agents.At, Key: s.agents.Key}
		return
	}
	rule := "Agent("
	for i, r := range s.agents.V {
		if i > 0 {
			rule += ", "
		}
		rule += r.V
	}
	narrowed := Ref{V: rule + ")", At: s.agents.At}
	if !s.to.Tools.Set() || len(s.to.Tools.V) == 1 && s.to.Tools.V[0].V == "*" {
		s.to.Tools = Value[[]Ref]{V: everyTool(s.agents.At), At: s.agents.At, Key: s.agents.Key}
	}
	for i, r := range s.to.Tools.V {
		if r.V == "Agent" {
			s.to.Tools.V[i] = narrowed
		}
	}
}

// everyTool are the tools that an agent without tools: has, for one that is to have all but some.
func everyTool(at diag.Range) []Ref {
	var out []Ref
	for _, name := range []string{"Read", "Grep", "Glob", "Edit", "Write", "Bash", "WebFetch", "WebSearch", "TodoWrite", "Agent", "Skill"} {
		out = append(out, Ref{V: name, At: at})
	}
	return out
}

// toolMention is a reference to a tool in the text of a Copilot agent.
var toolMention = lazy.MustCompile(`#tool:([A-Za-z0-9_./-]+)`)
