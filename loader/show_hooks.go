package loader

import (
	"time"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/hookevent"
)

// HookDetail is one hook on one event.
type HookDetail struct {
	Event   string // as it is written
	Name    string
	Order   int    // from 1, in which the hooks of an agent run
	Match   string // "" = everything
	Does    string // command, http, prompt, agent, mcp_tool, go
	OnError string // deny, allow
	Origin  diag.Range
}

// hookDetails are hooks in their order, one for each event.
func hookDetails(bound []*boundHook) []HookDetail {
	var out []HookDetail
	for i, b := range bound {
		for _, event := range b.On {
			out = append(out, HookDetail{
				Event: event, Name: b.Name, Order: i + 1, Match: b.Match.String(), Does: b.does(), OnError: b.failing(event), Origin: b.Origin,
			})
		}
	}
	return out
}

// does is the word for what a hook runs.
func (b *boundHook) does() string {
	if b.native == nil {
		return b.what.Type
	}
	switch h := b.native.Hook; {
	case h.HTTP.Set():
		return "http"
	case h.Prompt.Set():
		return "prompt"
	case h.Go.Set():
		return "go"
	}
	return "command"
}

// failing is what a failure of the hook means on an event.
func (b *boundHook) failing(event string) string {
	n, _ := hookevent.Lookup(event)
	switch {
	case b.Lenient:
		return "allow"
	case b.OnError != "":
		return b.OnError
	case n.Gate:
		return "deny"
	}
	return "allow"
}

// showHook shows a hook file, or the hooks of a file.
func (r *Report) showHook(d *Detail) {
	for _, f := range r.world.files {
		if f.kind != config.KindHook || f.def.Name != d.Definition.Name || f.def.File != d.Definition.File {
			continue
		}
		if f.hook == nil {
			for _, b := range r.world.hooks.shared {
				if b.file == f {
					d.Hooks = append(d.Hooks, hookDetails([]*boundHook{b})...)
				}
			}
			continue
		}
		for _, b := range r.world.hooks.listed[f.def.Name] {
			if b.file == f {
				d.Hooks = hookDetails([]*boundHook{b})
			}
		}
		d.Fields = hookFields(f)
		d.Prompt, d.PromptTokens = f.hook.Notes, tokens(f.hook.Notes)
	}
}

// hookFields are the settings of a hook file.
func hookFields(p *parsed) []Field {
	h := p.hook
	f := &fields{origin: string(p.def.Origin), file: p.name}
	show(f, "event", h.Events, nil, texts)
	show(f, "match", h.Match, nil, same)
	show(f, "if", h.If, nil, same)
	show(f, "run", h.Run, nil, same)
	show(f, "http", h.HTTP, nil, same)
	show(f, "headers", h.Headers, nil, func(v map[string]string) any { return headerNames(v) })
	show(f, "prompt", h.Prompt, nil, same)
	show(f, "model", h.Model, nil, same)
	show(f, "go", h.Go, nil, same)
	show(f, "timeout", h.Timeout, time.Minute.String(), duration)
	show(f, "on_error", h.OnError, "deny for before_*, else allow", same)
	show(f, "scope", h.Scope, "workspace", same)
	return f.list
}
