package loader

import (
	"maps"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// hookMaker makes the hooks of a graph, each once.
type hookMaker struct {
	w        *world
	o        *settled
	clients  *clients
	launcher sandbox.Launcher
	made     map[*boundHook]hook.Entry
}

func newHookMaker(w *world, o *settled, c *clients) *hookMaker {
	return &hookMaker{w: w, o: o, clients: c, launcher: launcher(w.tree, o), made: map[*boundHook]hook.Entry{}}
}

// chain makes hooks in their order.
func (m *hookMaker) chain(bound []*boundHook) hook.Chain {
	out := make(hook.Chain, 0, len(bound))
	for _, b := range bound {
		e, ok := m.made[b]
		if !ok {
			e = b.Entry
			if b.native != nil {
				e.Hook = m.native(b.native.Hook)
			} else {
				e.Hook = m.handler(b.what)
			}
			m.made[b] = e
		}
		out = append(out, e)
	}
	return out
}

// skills makes the hooks and the models that come with skills.
func (m *hookMaker) skills() map[*skills.Skill]agents.SkillUse {
	out := map[*skills.Skill]agents.SkillUse{}
	for _, k := range m.w.skills.all() {
		if len(k.hooks) > 0 || len(k.chain) > 0 {
			out[k.made] = agents.SkillUse{Hooks: m.chain(k.hooks), Model: m.clients.chain(k.chain, m.w.settings.Retry)}
		}
	}
	return out
}

// native makes what a hook file runs.
func (m *hookMaker) native(h *config.Hook) hook.Hook {
	switch {
	case h.HTTP.Set():
		return m.http(h.HTTP.V, h.Headers.V, h.AllowedEnv.V)
	case h.Prompt.Set():
		return &hook.Question{Text: h.Prompt.V, Model: m.model(h.Model)}
	case h.Go.Set():
		return m.o.env.Hooks[h.Go.V]
	}
	return &hook.Command{Launcher: m.launcher, Script: h.Run.V, Interpreter: h.Interpreter, Env: h.Env.V}
}

// handler makes what a handler of a group runs.
func (m *hookMaker) handler(h *handler) hook.Hook {
	switch h.Type {
	case "http":
		return m.http(h.URL, h.Headers, h.AllowedEnv)
	case "prompt", "agent":
		return &hook.Question{Text: h.Prompt, Model: m.model(h.Model), Look: h.Type == "agent"}
	case "mcp_tool":
		return &hook.ToolCall{Server: h.Server, Tool: h.Tool, Input: h.Input}
	}
	env := pluginVariables(h.plugin)
	maps.Copy(env, h.Env)
	c := &hook.Command{Launcher: m.launcher, Script: h.Command, Interpreter: h.Shell, Dir: h.Dir, Env: env}
	if h.Args != nil {
		c.Argv = append([]string{h.Command}, h.Args...)
	}
	return c
}

func (m *hookMaker) http(url string, headers map[string]string, allowed []config.Ref) hook.Hook {
	return &hook.HTTP{URL: url, Headers: headers, AllowedEnv: words(allowed), Lookup: m.o.lookup, Transport: m.o.env.HTTP}
}

// model is the model of a question; nil = the agent's.
func (m *hookMaker) model(ref config.Ref) providers.Model {
	if !ref.Set() {
		return nil
	}
	chain, ds := m.w.models.chain([]config.Ref{ref}, true)
	if ds.HasErrors() || len(chain) == 0 {
		return nil
	}
	return m.clients.chain(chain, m.w.settings.Retry)
}
