package config

import (
	"gopkg.in/yaml.v3"
)

// opencode is how opencode writes agents: the file is the name, tools are a map, and of permissions the last match counts.
func opencode() *tongue {
	return &tongue{
		origin: FromOpencode,
		same:   map[string]string{"steps": "max_turns", "maxSteps": "max_turns", "prompt": "system_prompt"},
		own: map[string]func(s *speaker, k, v *yaml.Node){
			"tools":       (*speaker).switches,
			"permission":  (*speaker).permissionMap,
			"permissions": (*speaker).permissionList,
			"temperature": (*speaker).temperature,
			"top_p":       (*speaker).topP,
			"model":       (*speaker).models,
			"disable":     func(s *speaker, _, v *yaml.Node) { text, _ := scalar(v); s.disabled, _ = parseFlag(text) },
		},
		told: []string{"mode", "hidden", "color", "variant", "name"},
		rest: (*speaker).extra,
		done: (*speaker).decide,
	}
}

func (s *speaker) topP(k, v *yaml.Node) {
	if f, ok := number(0, 1).read(s.decoder, v); ok {
		s.to.Parameters.V.TopP = &f
		s.parametersAt(k, v)
	}
}

// switches reads tools: {name: bool}. What is switched off is denied, in the order of the file.
func (s *speaker) switches(k, v *yaml.Node) {
	if v.Kind != yaml.MappingNode {
		s.wrong(v, "a map of tools to true or false")
		return
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		name, value := v.Content[i], v.Content[i+1]
		text, _ := scalar(value)
		on, ok := parseFlag(text)
		if !ok {
			s.wrong(value, "true or false")
			continue
		}
		action := "deny"
		if on {
			action = "allow"
		}
		s.list = append(s.list, verdict{tool: name.Value, pattern: "*", action: action, at: s.at(name)})
	}
}

// permissionMap reads permission: {tool: action or {pattern: action}}, or one action for all.
func (s *speaker) permissionMap(k, v *yaml.Node) {
	if v.Kind == yaml.ScalarNode {
		s.permit("*", "*", v, v)
		return
	}
	if v.Kind != yaml.MappingNode {
		s.wrong(v, "a map of tools to allow, ask or deny")
		return
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		tool, value := v.Content[i], v.Content[i+1]
		if value.Kind != yaml.MappingNode {
			s.permit(tool.Value, "*", tool, value)
			continue
		}
		for j := 0; j+1 < len(value.Content); j += 2 {
			s.permit(tool.Value, value.Content[j].Value, value.Content[j], value.Content[j+1])
		}
	}
}

// permissionList reads permissions: [{action, resource, effect}].
func (s *speaker) permissionList(k, v *yaml.Node) {
	if v.Kind != yaml.SequenceNode {
		s.wrong(v, "a list of {action, resource, effect}")
		return
	}
	for _, entry := range v.Content {
		action, effect, pattern := child(entry, "action"), child(entry, "effect"), "*"
		if action == nil || effect == nil {
			s.wrong(entry, "a map with action, resource and effect")
			continue
		}
		if r := child(entry, "resource"); r != nil {
			pattern = r.Value
		}
		s.permit(action.Value, pattern, action, effect)
	}
}

func (s *speaker) permit(tool, pattern string, at, action *yaml.Node) {
	switch action.Value {
	case "allow", "ask", "deny":
		s.list = append(s.list, verdict{tool: tool, pattern: pattern, action: action.Value, at: s.at(at)})
	default:
		s.wrong(action, "allow, ask or deny")
	}
}
