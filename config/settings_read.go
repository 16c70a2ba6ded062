package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/v2"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// ReadSettings merges the layers. The settings are never nil: values that are an error are not in them, and the list says
// which. Without any source they are empty, and everything has its default.
func ReadSettings(in Layers) (*Settings, diag.List) {
	s := newStack(in.Env)
	s.file("user", in.User)
	s.file("workspace", in.Workspace)
	s.environment(in.Env)
	s.flags(in.Flags)

	root, all := s.merged()
	out := &Settings{File: in.Workspace.File}
	d := s.decoder(&frontmatter.Document{File: in.Workspace.File})
	decode(d, root, settingsTable.Get(), out)
	out.Models, out.Providers = out.models.V, out.providers.V
	out.models, out.providers = Value[[]ModelEntry]{}, Value[[]ProviderEntry]{}
	if out.Retry != nil {
		s.ds.Add(out.Retry.related(true)...)
	}
	out.Override = s.override()
	out.Origins = s.origins(all)
	return out, s.ds
}

// deadlineOf treats the two deadlines in the environment, which are clamped to their range and never wrong: what is no time
// counts as not set. Other values stay as they are.
func deadlineOf(layer string, path []string, value string) (string, bool) {
	if layer != "env" || len(path) != 2 || path[0] != "retry" || path[1] != "deadline" && path[1] != "child_deadline" {
		return value, true
	}
	v, _, ok := parseSpan(strings.TrimSpace(value))
	if !ok {
		return "", false
	}
	return min(max(v, time.Second), 600*time.Second).String(), true
}

// override is what beats the fields of agents.
func (s *stack) override() *Agent {
	var out *Agent
	if flags := s.raw("flag", "defaults"); flags != nil {
		if a, ok := defaultAgent().read(s.decoder(&frontmatter.Document{}), s.mapping("defaults", flags)); ok {
			out = &a
		}
	}
	deadlines := s.raw("env", "retry")
	for key, to := range map[string]func(*Retry) *Value[time.Duration]{
		"deadline":       func(r *Retry) *Value[time.Duration] { return &r.Deadline },
		"child_deadline": func(r *Retry) *Value[time.Duration] { return &r.ChildDeadline },
	} {
		i, ok := deadlines[key].(int)
		if !ok {
			continue
		}
		if out == nil {
			a := newAgent()
			out = &a
		}
		if out.Retry == nil {
			out.Retry = &Retry{}
		}
		n := s.leaves[i].node
		v, _, _ := parseSpan(n.Value) // deadlineOf wrote it
		*to(out.Retry) = Value[time.Duration]{V: v, At: s.docs[n].Range(n), Key: s.docs[n].Range(n).Span()}
	}
	return out
}

// raw is a map of one layer; nil: it has none there.
func (s *stack) raw(name, key string) map[string]any {
	for _, l := range s.layers {
		if l.name == name {
			m, _ := l.values.Raw()[key].(map[string]any)
			return m
		}
	}
	return nil
}

// origins lists every value with its layer, and the defaults of those that nobody wrote, by path.
func (s *stack) origins(all *koanf.Koanf) []SettingOrigin {
	var out []SettingOrigin
	add := func(path string, o SettingOrigin) {
		o.Path = strings.ReplaceAll(path, delimiter, ".")
		if o.Secret = isSecret(path); o.Secret {
			o.Value = ""
		}
		out = append(out, o)
	}
	for path, v := range all.All() {
		if i, ok := v.(int); ok {
			l := s.leaves[i]
			doc := s.docs[l.node]
			value, ok := s.vars.written[l.node]
			if !ok {
				value = doc.Written(l.node)
			}
			add(path, SettingOrigin{Layer: l.layer, At: doc.Range(l.node), Value: value})
		}
	}
	for path, def := range builtinDefaults() {
		if !all.Exists(path) {
			add(path, SettingOrigin{Layer: "default", Value: def})
		}
	}
	slices.SortFunc(out, func(a, b SettingOrigin) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// builtinDefaults are the defaults of settings that do not belong to a name, by path.
func builtinDefaults() map[string]string {
	out := defaultsOf(settingsTable.Get().keys, "")
	maps.Copy(out, defaultsOf(retryTable.Get().keys, "retry"))
	maps.Copy(out, defaultsOf(sandboxTable.Get().keys, "sandbox"))
	for _, key := range []string{"max_turns", "timeout"} {
		out[join("defaults", key)] = agentTable.Get().find(key).def
	}
	return out
}

func defaultsOf(ks keys, path string) map[string]string {
	out := map[string]string{}
	for _, f := range ks.all {
		if f.def != "" {
			out[join(path, f.key)] = f.def
		}
	}
	return out
}

// isSecret tells whether a value must not be shown: keys, and headers, which may carry them.
func isSecret(path string) bool {
	steps := strings.Split(path, delimiter)
	return slices.Contains(steps, "api_key") || slices.Contains(steps, "headers")
}
