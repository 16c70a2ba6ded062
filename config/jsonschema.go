package config

import "encoding/json"

// KindSettings is swarmrun.yaml, which is no definition but has a schema and a reference like one.
const KindSettings Kind = "settings"

// Described are the kinds that have a schema and a reference, in the order in which people meet them.
func Described() []Kind {
	return []Kind{KindSettings, KindAgent, KindSkill, KindCommand, KindTool, KindHook, KindMCP, KindModel, KindJob}
}

// JSONSchema is the JSON Schema (draft 2020-12) of what people write of a kind: the frontmatter of a Markdown file, or a
// whole YAML file. False: the kind has none yet.
func JSONSchema(kind Kind) (json.RawMessage, bool) {
	s, title, ok := objectOf(kind)
	if !ok {
		return nil, false
	}
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = title
	raw, err := json.MarshalIndent(s, "", "  ")
	return append(raw, '\n'), err == nil
}

func objectOf(kind Kind) (s schema, title string, ok bool) {
	switch kind {
	case KindSettings:
		s = settingsTable.Get().object()
		allowVariables(s)
		return s, "swarmrun.yaml", true
	case KindAgent:
		s = agentTable.Get().object()
		s["additionalProperties"] = true // an unknown key is a warning there, not an error
		return s, "frontmatter of an agent", true
	case KindSkill:
		s = skillTable.Get().object()
		s["additionalProperties"] = true
		return s, "frontmatter of a skill", true
	case KindCommand:
		s = commandTable.Get().object()
		s["additionalProperties"] = true
		return s, "frontmatter of a slash command", true
	case KindTool:
		s = toolTable.Get().object()
		s["additionalProperties"] = true
		return s, "frontmatter of a custom tool", true
	case KindHook:
		s = hookTable.Get().object()
		s["additionalProperties"] = true
		return s, "frontmatter of a hook", true
	case KindMCP:
		s = mcpTable.Get().object()
		s["additionalProperties"] = true
		allowVariables(s)
		return s, "frontmatter of an MCP server", true
	case KindModel:
		return scriptTable.Get().object(), "rules of a script model", true
	case KindJob:
		s = jobTable.Get().object()
		allowVariables(s)
		return s, "CI job", true
	}
	return nil, "", false
}

// allowVariables lets a reference such as ${VAR} stand for every value that is no text by itself.
func allowVariables(s schema) {
	for _, key := range []string{"properties", "additionalProperties", "items"} {
		switch inner := s[key].(type) {
		case schema:
			if key != "properties" {
				allowVariables(inner)
				continue
			}
			for _, p := range inner {
				allowVariables(p.(schema))
			}
		}
	}
	if alternatives, ok := s["anyOf"].([]schema); ok {
		for _, a := range alternatives {
			allowVariables(a)
		}
		return
	}
	plain := schema{}
	for key, v := range s {
		if key != "description" && key != "default" {
			plain[key] = v
		}
	}
	if _, enum := s["enum"]; enum || s["type"] == "integer" || s["type"] == "number" || s["type"] == "boolean" {
		for key := range plain {
			delete(s, key)
		}
		s["anyOf"] = []schema{plain, {"type": "string", "pattern": `\$\{`}}
	}
}
