package config

import (
	"slices"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/config/diag"
)

// agentFile is an agent and what its file says in words of other programs, before both become one.
type agentFile struct {
	Agent
	others *otherWords // nil = none
}

// otherWords are kept apart: few files have any, and agents are kept with what lies beside them.
type otherWords struct {
	provider       Ref
	bypass         Value[bool]
	effort         Value[string]
	requestTimeout Value[time.Duration]
	prompts        []Value[string]
}

func newAgentFile() *agentFile { return &agentFile{Agent: newAgent()} }

// other is what the file says in other words, to be read.
func (f *agentFile) other() otherWords {
	if f.others == nil {
		return otherWords{}
	}
	return *f.others
}

// say is the same, to be written.
func (f *agentFile) say() *otherWords {
	if f.others == nil {
		f.others = &otherWords{}
	}
	return f.others
}

// ReadAgent reads an agent file, by the rules of its origin. The agent is nil when the file is skipped or nothing of it could be
// read; see Broken. The definition is always filled, a broken one by its name line or its file.
func ReadAgent(src []byte, file string, o Origin) (*Agent, Definition, diag.List) {
	doc, def, d, ds := open(KindAgent, src, file, o)
	if o == FromGemini {
		if remote, ok := remoteAgents(doc, string(src), &def, ds); ok {
			return nil, def, remote
		}
	}
	if d == nil {
		return nil, def, ds
	}
	return d.agent(def, o)
}

// agent reads an agent of a file that was taken apart.
func (d *decoder) agent(def Definition, o Origin) (*Agent, Definition, diag.List) {
	f := newAgentFile()
	doc, file := d.doc, def.File
	root := doc.Root
	if t := tongueOf(o); t != nil {
		disabled := false
		if root, disabled = t.translate(d, root, f); disabled {
			def.Status = Skipped
			return nil, def, diag.List{diag.New("I-INACTIVE", doc.Fence, "the file says that the agent is not to be used")}
		}
	}
	decode(d, root, agentTable.Get(), f)
	if (o == FromClaude || o == FromGemini) && !f.Named && (child(doc.Root, "name") == nil || !d.ds.HasErrors()) {
		def.Status = Skipped
		if child(doc.Root, "name") == nil {
			d.ds = onlyInfo(d.ds)
		}
		d.add(diag.New("I-DOC", doc.Fence, "no name: the file counts as documentation"))
		return nil, def, d.ds
	}
	d.name(&def, Ref{V: f.Name, At: f.At})
	def.Description = f.Summary.V
	if strings.TrimSpace(f.Summary.V) == "" && !f.Summary.Lost() {
		d.add(diag.New("E-NO-DESCRIPTION", doc.Fence, "the agent has no description").
			Suggest("add a line \"description: when to use it\"; other agents and lists show it"))
	}
	f.Prompt = doc.Body
	if o == FromCopilot {
		f.Prompt = toolMention.Get().ReplaceAllString(f.Prompt, "$1")
	}
	f.Body = diag.Range{File: file, Start: doc.BodyAt, End: doc.BodyAt}
	d.combine(f)
	f.others = nil
	f.share()
	f.Definition = d.finish(def)
	return &f.Agent, f.Definition, d.ds
}

// onlyInfo drops the warnings about a file that turns out to be documentation.
func onlyInfo(ds diag.List) diag.List {
	return slices.DeleteFunc(ds, func(x diag.Diagnostic) bool { return x.Severity != diag.Info })
}

// combine brings what is written in words of other programs into the agent's own fields.
func (d *decoder) combine(f *agentFile) {
	d.combineFields(f)
	d.combinePrompt(f)
	for i := range f.Hooks.V { // the hooks of an agent run when it stops, whoever asked it
		if e := &f.Hooks.V[i].Event; e.V == "Stop" {
			e.V = "SubagentStop"
		}
	}
}

func (d *decoder) combineFields(f *agentFile) {
	d.combineModel(f)
	o := f.other()
	if o.effort.Set() {
		if f.Thinking.Set() && f.Thinking.V.Effort != "" {
			d.add(diag.New("E-KEY-TWICE", o.effort.KeyAt(), "\"effort\" and \"thinking\" are the same setting").
				Suggest("keep one of them").Note(f.Thinking.KeyAt(), "the other one"))
		}
		f.Thinking.V.Effort = o.effort.V
		if !f.Thinking.Set() {
			f.Thinking.At, f.Thinking.Key = o.effort.At, o.effort.Key
		}
	}
	if o.bypass.V {
		if f.PermissionMode.Set() {
			d.add(diag.New("E-KEY-TWICE", o.bypass.KeyAt(), "\"bypass_permissions\" and \"permission_mode\" are the same setting").
				Suggest("keep one of them").Note(f.PermissionMode.KeyAt(), "the other one"))
		}
		f.PermissionMode = Value[string]{V: "bypass", At: o.bypass.At, Key: o.bypass.Key}
	}
	if o.requestTimeout.Set() {
		if f.Retry == nil {
			f.Retry = &Retry{}
		}
		if f.Retry.AttemptTimeout.Set() {
			d.add(diag.New("E-KEY-TWICE", o.requestTimeout.KeyAt(), "\"request_timeout\" and \"retry.attempt_timeout\" are the same setting").
				Suggest("keep one of them").Note(f.Retry.AttemptTimeout.KeyAt(), "the other one"))
		}
		f.Retry.AttemptTimeout = o.requestTimeout
	}
	if f.Retry != nil {
		d.add(f.Retry.related(false)...)
	}
}

// combineModel puts the provider of SwarmSDK v2 in front of a model that names none.
func (d *decoder) combineModel(f *agentFile) {
	provider := f.other().provider
	if !provider.Set() {
		return
	}
	if len(f.Model.V) == 0 {
		d.add(diag.New("W-KEY-ALONE", provider.KeyAt(), "\"provider\" has no effect without \"model\"").
			Suggest("write model: %s/MODEL", provider.V))
		return
	}
	for i, m := range f.Model.V {
		if !strings.Contains(m.V, "/") && m.V != "inherit" {
			f.Model.V[i].V = provider.V + "/" + m.V
		}
	}
}

// combinePrompt takes a prompt out of the metadata when the body has none.
func (d *decoder) combinePrompt(f *agentFile) {
	for _, p := range f.other().prompts {
		switch {
		case strings.TrimSpace(f.Prompt) == "":
			f.Prompt = p.V
			f.Body = p.At
		case d.foreign: // where its own program has the body count
			d.add(diag.New("W-KEY-ALONE", p.KeyAt(), "the prompt here has no effect: the body is the prompt").
				Suggest("keep one of them").Note(f.Body, "the body"))
		default:
			d.add(diag.New("E-KEY-TWICE", p.KeyAt(), "the prompt is in the body and in the metadata").
				Suggest("keep one of them").Note(f.Body, "the body"))
		}
	}
	if len(f.other().prompts) == 0 {
		d.emptyBody()
	}
}
