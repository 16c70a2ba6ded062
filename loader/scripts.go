package loader

import (
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
)

// buildScript makes the model of a rule file. Faults that only show then are told at their rules.
func (p *parsed) buildScript() diag.List {
	if p.script == nil || p.def.Status == config.Broken || p.model != nil {
		return nil
	}
	rules := make([]script.Rule, len(p.script.Rules))
	for i, r := range p.script.Rules {
		rules[i] = scriptRule(r)
	}
	name := scriptProvider + "/" + p.def.Name
	m, err := script.New(name, rules)
	if err == nil {
		p.model = m
		if p.was != nil {
			p.was.model = m // it counts what it said in a run, for all agents alike: those that are taken over have this one
		}
		return nil
	}
	var ds diag.List
	for i := range rules {
		if _, err := script.New(name, rules[i:i+1]); err != nil {
			ds.Add(diag.New("E-SCRIPT", p.script.Rules[i].At, "%v", err))
		}
	}
	if len(ds) == 0 {
		ds.Add(diag.New("E-SCRIPT", p.def.At, "%v", err))
	}
	p.def.Status = config.Broken
	p.diags = append(p.diags, ds...)
	return ds
}

func scriptRule(r config.ScriptRule) script.Rule {
	out := script.Rule{Name: r.Name, Times: r.Times, Reply: scriptReply(r.Reply)}
	for _, w := range r.When {
		out.When = append(out.When, scriptWhen(w))
	}
	return out
}

func scriptWhen(w config.ScriptWhen) script.When {
	out := script.When{
		Agent: w.Agent, Model: w.Model, Turn: w.Turn, Prompt: w.Prompt, System: w.System, ToolResult: w.ToolResult,
		Tool: w.Tool, ToolError: w.ToolError, Offered: w.Offered,
	}
	if w.Not != nil {
		not := scriptWhen(*w.Not)
		out.Not = &not
	}
	return out
}

func scriptReply(r config.ScriptReply) script.Reply {
	out := script.Reply{Text: r.Text.V, Thinking: r.Thinking.V, Finish: r.Finish, Delay: r.Delay, ChunkDelay: r.ChunkDelay}
	for _, c := range r.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, script.Call{Name: c.Name, ID: c.ID, Input: c.Input})
	}
	if u := r.Usage; u != nil {
		out.Usage = &providers.Usage{
			Input: u.Input, CachedInput: u.CachedInput, CacheWrite: u.CacheWrite, Output: u.Output, Reasoning: u.Reasoning,
		}
	}
	if e := r.Error; e != nil {
		out.Error = &script.Failure{
			Kind: providers.Kind(e.Kind), Status: e.Status, Code: e.Code, RetryAfter: e.RetryAfter, After: e.After,
		}
	}
	return out
}
