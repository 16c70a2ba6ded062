package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/hookevent"
)

// ReadHook reads a hook file. The hook is nil when the file is skipped or nothing of it could be read; see Broken.
func ReadHook(src []byte, file string, o Origin) (*Hook, Definition, diag.List) {
	doc, def, d, ds := open(KindHook, src, file, o)
	if d == nil {
		return nil, def, ds
	}
	var h Hook
	decode(d, doc.Root, hookTable.Get(), &h)
	d.name(&def, h.NameRef)
	d.hookNames(&h)
	h.Notes = doc.Body
	if !slices.ContainsFunc(h.sources(), Value[string].Written) {
		h.Run, h.Interpreter, h.Notes = d.script("E-HOOK-SCRIPT", "the hook")
	}
	d.oneSource(&h)
	h.Notes = strings.TrimSpace(h.Notes)
	def.Description = h.Summary.Or(firstParagraph(h.Notes))
	if h.Run.Set() && h.Interpreter == "" {
		d.quoting(HookHandler{Type: "command", Command: h.Run.V, CommandAt: h.Run.At})
	}
	h.Definition = d.finish(def)
	return &h, h.Definition, d.ds
}

// sources are the ways to say what the hook runs.
func (h *Hook) sources() []Value[string] { return []Value[string]{h.Run, h.HTTP, h.Prompt, h.Go} }

// hookNames brings the events into the spelling of the table, and tells what the file asks for in vain.
func (d *decoder) hookNames(h *Hook) {
	if len(h.Events.V) == 0 {
		if !h.Events.Lost() {
			d.add(diag.New("E-HOOK-EVENT", d.doc.Fence, "the hook says on no event when it runs").
				Suggest("add a line event: with one of %s", strings.Join(hookevent.All(hookevent.Native), ", ")))
		}
		return
	}
	tools := false
	for i, r := range h.Events.V {
		name, ok := d.hookEvent(r)
		if !ok {
			continue
		}
		h.Events.V[i].V = name.Text
		tools = tools || name.Subject == hookevent.Tool
		if h.Match.Set() && (name.Subject == hookevent.Tool || len(h.Events.V) == 1) {
			d.matched(name, Ref{V: h.Match.V, At: h.Match.At})
		}
		if len(h.Events.V) == 1 {
			d.conditioned(name, h.If)
		}
	}
	if !tools && len(h.Events.V) > 1 && h.If.Set() {
		d.conditioned(hookevent.Name{Text: "these events", On: []string{""}}, h.If)
	}
}

// oneSource refuses a hook that says in two ways what it runs, and keys that belong to another way.
func (d *decoder) oneSource(h *Hook) {
	var first diag.Range
	for _, v := range h.sources() {
		at := v.Key.In(d.doc.File)
		switch {
		case !v.Written():
		case !first.IsZero():
			d.add(diag.New("E-HOOK-SCRIPT", at, "the hook says twice what it runs").
				Suggest("keep one of run, http, prompt and go").Note(first, "the other one"))
		default:
			first = at
		}
	}
	if first.IsZero() {
		return // that it runs nothing was told
	}
	for _, x := range []struct {
		set  bool
		key  diag.Range
		text string
		with Value[string]
		need string
	}{
		{h.Headers.Set(), h.Headers.KeyAt(), "headers", h.HTTP, "http"},
		{h.AllowedEnv.Set(), h.AllowedEnv.KeyAt(), "allowed_env", h.HTTP, "http"},
		{h.Model.Set(), h.Model.KeyAt(), "model", h.Prompt, "prompt"},
		{h.Env.Set(), h.Env.KeyAt(), "env", h.Run, "run or a script"},
	} {
		if x.set && !x.with.Written() {
			d.add(diag.New("W-KEY-ALONE", x.key, "%q has no effect without %s", x.text, x.need).Suggest("remove the line"))
		}
	}
}

// HookForm is whose file hooks stand in.
type HookForm int

// The forms: settings and plugins of Claude Code, whose gates fail open as they do there, and .github/hooks, which become
// native hooks.
const (
	ClaudeHooks HookForm = iota
	GitHubHooks
)

// HookFile is what a JSON file says about hooks.
type HookFile struct {
	Groups []HookGroup
	Off    bool // disableAllHooks; then there are no Groups
}

// ReadHooks reads the hooks of a settings file, of a plugin's hooks.json, or of .github/hooks: the map under the key hooks.
// Other keys are left to whoever reads the file. A value of another shape is an error: what it guards would be lost.
func ReadHooks(src []byte, file string, form HookForm) (HookFile, diag.List) {
	doc, ds := frontmatter.ParseJSON(src, file)
	if doc.Root == nil {
		return HookFile{}, ds
	}
	d := &decoder{doc: doc, known: knownKeys.Get(), foreign: true, secure: true, failClosed: form == GitHubHooks, ds: ds}
	var out HookFile
	if off := child(doc.Root, "disableAllHooks"); off != nil {
		out.Off, _ = parseFlag(off.Value)
	}
	groups := child(doc.Root, "hooks")
	switch {
	case groups == nil || isNull(groups) || out.Off:
	case groups.Kind != yaml.MappingNode:
		d.wrong(groups, "a map of events to hooks")
	default:
		d.hookEvents(groups, &out.Groups)
	}
	if form == GitHubHooks {
		d.unmatched(&out)
	}
	return out, d.ds
}

// unmatched drops matchers, which .github/hooks does not look at.
func (d *decoder) unmatched(f *HookFile) {
	for i := range f.Groups {
		if m := f.Groups[i].Matcher; m.V != "" && m.V != "*" {
			d.add(diag.New("I-HOOK-FORM", m.At, "a matcher is not looked at in such files, so the hook runs for every tool"))
			f.Groups[i].Matcher = Ref{}
		}
	}
}
