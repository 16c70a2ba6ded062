package config

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/jsontext"
)

// ordered is a JSON object whose keys stay in order.
type ordered []member

type member struct {
	key   string
	value any
}

func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, v := range []any{m.key, m.value} {
			raw, err := jsontext.Marshal(v)
			if err != nil {
				return nil, err
			}
			if j == 1 {
				b.WriteByte(':')
			}
			b.Write(raw)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (o *ordered) put(key string, value any) { *o = append(*o, member{key, value}) }

// EncodeAgent writes an agent as a native file. Hooks and servers are left to whoever calls, who knows whether they can be
// kept.
func EncodeAgent(a *Agent) ([]byte, error) {
	var o ordered
	o.put("name", a.Name)
	o.put("description", a.Summary.V)
	if len(a.Model.V) == 1 {
		o.put("model", a.Model.V[0].V)
	} else if len(a.Model.V) > 1 {
		o.put("model", texts(a.Model.V))
	}
	if a.Tools.Set() {
		o.put("tools", texts(a.Tools.V))
	}
	if len(a.DisallowedTools.V) > 0 {
		o.put("disallowed_tools", texts(a.DisallowedTools.V))
	}
	o.permissions(a.Permissions)
	if a.PermissionMode.Set() {
		o.put("permission_mode", a.PermissionMode.V)
	}
	if a.Skills.Set() {
		o.put("skills", texts(a.Skills.V))
	}
	if a.Hooks.Set() {
		o.put("hooks", hookMap(a.Hooks.V))
	}
	o.delegates(a.Delegates.V)
	if a.Opening.Set() {
		o.put("initial_prompt", a.Opening.V)
	}
	if a.Instructions.Set() {
		o.put("instructions", a.Instructions.V)
	}
	if len(a.Directories.V) > 0 {
		o.put("directories", texts(a.Directories.V))
	}
	o.running(a)
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	yaml, err := frontmatter.EncodeYAML(raw)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("---\n")
	b.Write(yaml)
	b.WriteString("---\n")
	if body := strings.TrimSpace(a.Prompt); body != "" {
		b.WriteString(body + "\n")
	}
	return b.Bytes(), nil
}

func (o *ordered) permissions(p Permissions) {
	var lists ordered
	for _, l := range []struct {
		key  string
		refs []Ref
	}{{"allow", p.Allow}, {"ask", p.Ask}, {"deny", p.Deny}} {
		if len(l.refs) > 0 {
			lists.put(l.key, texts(l.refs))
		}
	}
	if len(lists) > 0 {
		o.put("permissions", lists)
	}
}

func (o *ordered) delegates(ds []Delegate) {
	if len(ds) == 0 {
		return
	}
	names := make([]string, len(ds))
	for i, d := range ds {
		names[i] = d.Agent.V
	}
	o.put("delegates_to", names)
}

// running are the settings of a run.
func (o *ordered) running(a *Agent) {
	if len(a.Output.V) > 0 {
		o.put("output", a.Output.V)
	}
	p := a.Parameters.V
	var params ordered
	if p.Temperature != nil {
		params.put("temperature", *p.Temperature)
	}
	if p.TopP != nil {
		params.put("top_p", *p.TopP)
	}
	if p.MaxTokens > 0 {
		params.put("max_tokens", p.MaxTokens)
	}
	if len(p.Stop) > 0 {
		params.put("stop", p.Stop)
	}
	for _, key := range sortedKeys(p.Extra) {
		params.put(key, p.Extra[key])
	}
	if len(params) > 0 {
		o.put("parameters", params)
	}
	var thinking ordered
	if t := a.Thinking.V; t.Effort != "" {
		thinking.put("effort", t.Effort)
	}
	if t := a.Thinking.V; t.Budget > 0 {
		thinking.put("budget", t.Budget)
	}
	if len(thinking) > 0 {
		o.put("thinking", thinking)
	}
	if a.MaxTurns.Set() {
		o.put("max_turns", a.MaxTurns.V)
	}
	if a.Timeout.Set() {
		o.put("timeout", a.Timeout.V.String())
	}
	if a.Template.V {
		o.put("template", true)
	}
	if len(a.Vars.V) > 0 {
		o.put("vars", a.Vars.V)
	}
}

// hookMap is groups in the form of Claude Code.
func hookMap(groups []HookGroup) ordered {
	var out ordered
	for _, event := range hookEventsOf(groups) {
		var list []ordered
		for _, g := range groups {
			if g.Event.V != event {
				continue
			}
			var group ordered
			if g.Matcher.V != "" {
				group.put("matcher", g.Matcher.V)
			}
			var handlers []ordered
			for _, h := range g.Handlers {
				one := ordered{{"type", "command"}, {"command", h.Command}}
				if h.If.V != "" {
					one.put("if", h.If.V)
				}
				if h.Timeout > 0 {
					one.put("timeout", h.Timeout.Seconds())
				}
				handlers = append(handlers, one)
			}
			group.put("hooks", handlers)
			list = append(list, group)
		}
		out.put(event, list)
	}
	return out
}

func hookEventsOf(groups []HookGroup) []string {
	var out []string
	seen := map[string]bool{}
	for _, g := range groups {
		if !seen[g.Event.V] {
			seen[g.Event.V] = true
			out = append(out, g.Event.V)
		}
	}
	return out
}

// EncodeSettings writes a swarmrun.yaml with a default target and names for models.
func EncodeSettings(defaultAgent string, models []NamedModel) ([]byte, error) {
	o := ordered{{"version", 1}}
	if defaultAgent != "" {
		o.put("default_agent", defaultAgent)
	}
	var named ordered
	for _, m := range models {
		named.put(m.Name, ordered{{"provider", m.Provider}, {"model", m.Model}, {"base_url", m.BaseURL}})
	}
	if len(named) > 0 {
		o.put("models", named)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return frontmatter.EncodeYAML(raw)
}
