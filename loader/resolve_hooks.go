package loader

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/hookevent"
	"github.com/swarmrun/swarmrun/internal/wildcard"
	"github.com/swarmrun/swarmrun/tools"
)

// hookTable is every hook that is not an agent's own, in the order in which they run: those of the workspace, of the
// person, and then of foreign trees, each by file.
type hookTable struct {
	shared []*boundHook            // scope: workspace
	listed map[string][]*boundHook // hook files by name, of both scopes
	broken map[string]bool
}

// boundHook is a hook on its way into the graph.
type boundHook struct {
	hook.Entry           // without Hook
	file       *parsed   // nil = of settings
	what       *handler  // what it runs
	native     *hookFile // of a hook file: what it runs
	personal   bool      // of the person's folders of another program: for the agents of such trees
	key        string    // the same for handlers that are the same; "" = it is one of its own
}

// handler is a handler of a group with what its file adds.
type handler struct {
	config.HookHandler
	plugin config.Plugin
}

// hookFile is a hook file.
type hookFile struct{ *config.Hook }

// The times of handlers that say none.
const (
	handlerTime = 10 * time.Minute
	agentTime   = time.Minute
	promptTime  = 30 * time.Second
	endTime     = 1500 * time.Millisecond
)

// resolveHooks collects the hooks of files, plugins and settings. What is wrong with one reaches every target, since what
// it guards would go unguarded.
func (w *world) resolveHooks(o *settled) diag.List {
	w.shell = o
	t := &hookTable{listed: map[string][]*boundHook{}, broken: map[string]bool{}}
	w.hooks = t
	var ds diag.List
	off := w.hooksOff(false)
	for _, f := range w.files {
		if f.kind != config.KindHook {
			continue
		}
		to := &t.shared
		if f.def.Status == config.Broken {
			t.broken[f.def.Name] = true
			w.faults.Add(errorsOf(f.diags)...)
			to = new([]*boundHook)
		}
		var more diag.List
		if f.hook != nil {
			more = w.bindHook(f)
		} else if !off {
			more = w.bindGroups(to, f.groups, f.name, f)
		}
		ds.Add(more...)
		w.faults.Add(errorsOf(more)...)
	}
	for _, s := range w.foreign {
		if !w.hooksOff(s.Managed) {
			more := w.bindGroups(&t.shared, s.Hooks, "", nil)
			ds.Add(more...)
			w.faults.Add(errorsOf(more)...)
		}
	}
	seen := map[string]bool{}
	t.shared = slices.DeleteFunc(t.shared, func(b *boundHook) bool {
		twice := b.key != "" && seen[b.key]
		seen[b.key] = true
		return twice
	})
	return ds
}

// hooksOff tells whether settings switch hooks of foreign trees off; those of an administrator only their own settings do.
func (w *world) hooksOff(managed bool) bool {
	return slices.ContainsFunc(w.foreign, func(s *config.TreeSettings) bool {
		return s.NoHooks.V && (s.Managed || !managed) || s.ManagedOnly.Hooks && !managed
	})
}

// bindHook binds a hook file.
func (w *world) bindHook(f *parsed) diag.List {
	h := f.hook
	b := &boundHook{file: f, native: &hookFile{h}}
	b.Name, b.Origin, b.Timeout, b.OnError = f.def.Name, f.def.At, h.Timeout.V, h.OnError.V
	b.On = words(h.Events.V)
	var ds diag.List
	var err error
	if b.Match, err = hook.ParseMatcher(h.Match.V); err != nil {
		ds.Add(diag.New("E-HOOK-MATCHER", h.Match.At, "%v", err))
	}
	ds.Add(w.misspelt(b.Match, b.On, h.Match.At)...)
	b.If, ds = w.condition(h.If, tools.Native, ds)
	ds.Add(w.missing(h.Run, h.Interpreter, config.Plugin{})...)
	if h.Model.Set() {
		ds.Add(w.hookModel(h.Model, false)...)
	}
	if h.Go.Set() && w.shell.env.Hooks[h.Go.V] == nil {
		ds.Add(suggest(diag.New("E-HOOK-UNKNOWN", h.Go.At, "the program brings no hook named %q", h.Go.V), h.Go.V, slices.Sorted(maps.Keys(w.shell.env.Hooks)), "Hooks of the program"))
	}
	if ds.HasErrors() || f.def.Status == config.Broken {
		f.def.Status, f.diags = config.Broken, append(f.diags, ds...)
		w.hooks.broken[b.Name] = true
		return ds
	}
	w.hooks.listed[b.Name] = append(w.hooks.listed[b.Name], b)
	if h.Scope.V != "listed" {
		w.hooks.shared = append(w.hooks.shared, b)
	}
	return ds
}

// bindGroups binds groups as Claude Code writes them.
func (w *world) bindGroups(to *[]*boundHook, groups []config.HookGroup, file string, f *parsed) diag.List {
	var ds diag.List
	for _, g := range groups {
		dialect := tools.Native
		if g.Open {
			dialect = tools.Claude
		}
		match, err := hook.ParseMatcher(g.Matcher.V)
		if err != nil {
			ds.Add(diag.New("E-HOOK-MATCHER", g.Matcher.At, "%v", err))
			continue
		}
		ds.Add(w.misspelt(match, []string{g.Event.V}, g.Matcher.At)...)
		for _, h := range g.Handlers {
			b := &boundHook{file: f, what: &handler{HookHandler: h}}
			if f != nil {
				b.what.plugin = f.plugin
			}
			b.Name = fmt.Sprintf("%s %s:%d", g.Event.V, h.At.File, h.At.Start.Line)
			b.On, b.Match, b.Lenient, b.Origin, b.Timeout = []string{g.Event.V}, match, g.Open, h.At, handlerTimeout(g, h)
			b.Async, b.Rewake = h.Async.V, h.Rewake.V
			ds.Add(aside(b, g, h)...)
			b.personal = g.Open && strings.HasPrefix(h.At.File, "/")
			if f == nil {
				b.key = fmt.Sprint(g.Event.V, "\x00", g.Matcher.V, "\x00", h.Type, h.Command, h.Args, h.URL, h.Prompt, h.Server, h.Tool, h.If.V, string(h.Input))
			}
			b.If, ds = w.condition(h.If, dialect, ds)
			ds.Add(w.missing(config.Value[string]{V: h.Command, At: h.CommandAt}, h.Shell, b.what.plugin)...)
			if h.Model.Set() {
				ds.Add(w.hookModel(h.Model, true)...)
			}
			if h.Type == "mcp_tool" && h.Server != "" && file == "" && w.servers.byName[h.Server] == nil {
				ds.Add(suggest(diag.New("W-HOOK-MISSING", h.At, "there is no MCP server named %q, so the hook fails each time", h.Server),
					h.Server, w.servers.names, "MCP servers here"))
			}
			if h.Type == "http" && h.URL != "" && !w.reachable(h.URL) {
				ds.Add(diag.New("W-HOOK-URL", h.At, "allowedHttpHookUrls does not name %s, so the hook does not run", h.URL).
					Suggest("add the address to the list, or remove the hook"))
				continue
			}
			if !h.Broken {
				*to = append(*to, b)
			}
		}
	}
	return ds
}

// aside tells what becomes of a hook that nobody waits for. A gate of a native file is waited for: it would guard nothing.
func aside(b *boundHook, g config.HookGroup, h config.HookHandler) diag.List {
	n, _ := hookevent.Lookup(g.Event.V)
	switch {
	case !b.Async:
		return nil
	case n.Gate && !g.Open:
		b.Async = false
		return diag.List{diag.New("W-KEY-ALONE", h.Async.KeyAt(), "async has no effect on %s: a hook that guards is waited for", g.Event.V).Suggest("leave async out")}
	case n.Gate:
		return diag.List{diag.New("I-HOOK-FORM", h.Async.KeyAt(), "nobody waits for the hook, so it refuses nothing")}
	}
	return nil
}

// misspelt tells of a matcher with a name that no tool has and that is nearly the name of one. Other unknown names may be
// those of delegates, or of tools of other programs.
func (w *world) misspelt(m hook.Matcher, events []string, at diag.Range) diag.List {
	if !slices.ContainsFunc(events, func(e string) bool {
		n, _ := hookevent.Lookup(e)
		return n.Subject == hookevent.Tool && slices.ContainsFunc(n.On, func(on string) bool { return strings.HasSuffix(on, "_tool") })
	}) {
		return nil
	}
	var ds diag.List
	for _, name := range m.Names() {
		if slices.Contains(w.tools.names, name) || w.exists(name) || config.ToolNames(config.FromClaude, name) != nil {
			continue
		}
		if near, ok := diag.Closest(name, w.tools.names); ok {
			ds.Add(diag.New("W-HOOK-MATCHER-NONE", at, "no tool is named %q, so the hook never runs for it", name).
				Suggest("did you mean %q?", near))
		}
	}
	return ds
}

// handlerTimeout is how long a handler may take.
func handlerTimeout(g config.HookGroup, h config.HookHandler) time.Duration {
	switch {
	case h.Timeout > 0 && g.Event.V == "SessionEnd":
		return min(h.Timeout, time.Minute)
	case h.Timeout > 0:
		return h.Timeout
	case g.Event.V == "SessionEnd":
		return endTime
	case h.Type == "prompt" || g.Event.V == "UserPromptSubmit":
		return promptTime
	case h.Type == "agent":
		return agentTime
	case !g.Open:
		return time.Minute
	}
	return handlerTime
}

// condition reads the rule of a hook.
func (w *world) condition(ref config.Ref, dialect tools.Dialect, ds diag.List) (*tools.Rule, diag.List) {
	if !ref.Set() {
		return nil, ds
	}
	r, err := tools.ParseRule(ref.V, dialect, ref.At)
	if err != nil {
		ds.Add(diag.New("E-RULE", ref.At, "%v", err).Suggest("write Tool or Tool(specifier), such as Edit(src/**) or Bash(git push *)"))
		return nil, ds
	}
	return &r, ds
}

// hookModel tells of a model that does not exist. In a Claude location the agent's own answers then.
func (w *world) hookModel(ref config.Ref, claude bool) diag.List {
	_, ds := w.models.chain([]config.Ref{ref}, claude)
	return ds
}

// reachable tells whether hooks of foreign trees may send to an address.
func (w *world) reachable(url string) bool {
	listed := false
	for _, s := range w.foreign {
		if !s.HTTPHooks.Set() {
			continue
		}
		listed = true
		if slices.ContainsFunc(s.HTTPHooks.V, func(r config.Ref) bool { return wildcard.Match(r.V, url) }) {
			return true
		}
	}
	return !listed
}

// resolveAgentHooks chooses the hooks of an agent: the shared ones, then those that it names, then its own.
func (w *world) resolveAgentHooks(a *agent) diag.List {
	for _, b := range w.hooks.shared {
		if !b.personal || a.claude() {
			a.hooks = append(a.hooks, b)
		}
	}
	return w.chooseHooks(&a.hooks, a.Hooks.V, a.File, nil)
}

// chooseHooks adds the hooks of a field: groups of handlers, and names of hook files.
func (w *world) chooseHooks(to *[]*boundHook, groups []config.HookGroup, file string, f *parsed) diag.List {
	var ds diag.List
	for _, g := range groups {
		if !g.Name.Set() {
			before := len(*to)
			ds.Add(w.bindGroups(to, []config.HookGroup{g}, file, f)...)
			for _, b := range (*to)[before:] {
				b.Always, b.Once = true, f != nil && b.what.Once
			}
			continue
		}
		named := w.hooks.listed[g.Name.V]
		switch {
		case w.hooks.broken[g.Name.V] && len(named) == 0:
			ds.Add(brokenRef(g.Name.At, config.KindHook, g.Name.V))
		case len(named) == 0:
			ds.Add(suggest(diag.New("E-HOOK-UNKNOWN", g.Name.At, "there is no hook named %q", g.Name.V), g.Name.V, slices.Sorted(maps.Keys(w.hooks.listed)), "Hooks here"))
		}
		for _, b := range named {
			if !slices.Contains(*to, b) {
				*to = append(*to, b)
			}
		}
	}
	return ds
}
