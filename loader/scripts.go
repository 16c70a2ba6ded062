package loader

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/script"
)

// buildScript makes the model of a rule file. Faults that only show then are told at their rules.
func (p *parsed) buildScript() diag.List {
	if p.script == nil || p.model != nil || p.def.Status == config.Skipped {
		return nil
	}
	rules := make([]script.Rule, len(p.script.Rules))
	for i := range rules {
		rules[i] = scriptRule(p.script.Rules[i])
		rules[i].Name = cmp.Or(rules[i].Name, fmt.Sprintf("rule %d", i+1))
	}
	m, err := script.New(scriptProvider+"/"+p.def.Name, rules)
	if err == nil && p.def.Status != config.Broken {
		p.model = m
		if p.was != nil {
			p.was.model = m // it counts what it said in a run, for all agents alike: those that are taken over have this one
		}
		return nil
	}
	var ds diag.List
	for i := range rules {
		ds.Add(p.ruleFaults(i, rules[i])...)
	}
	p.def.Status = config.Broken
	p.diags = append(p.diags, ds...)
	return ds
}

// ruleFaults tells what keeps the i-th rule from being used. Of one that has errors already only the conditions say anything:
// what its reply lacks may be what could not be read.
func (p *parsed) ruleFaults(i int, r script.Rule) diag.List {
	at := p.script.Rules[i].At
	if slices.ContainsFunc(p.diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && p.inRule(i, d.Range.Start) }) {
		r.Reply = script.Reply{}
	}
	_, err := script.New(p.def.Name, []script.Rule{r})
	if err == nil {
		return nil
	}
	var ds diag.List
	for fault := range strings.SplitSeq(strings.TrimPrefix(err.Error(), r.Name+": "), "\n") {
		ds.Add(diag.New("E-SCRIPT", at, "%s", fault).Suggest("correct the rule"))
	}
	return ds
}

// inRule tells whether a place is one of the i-th rule.
func (p *parsed) inRule(i int, at diag.Pos) bool {
	rules := p.script.Rules
	return at.Compare(rules[i].At.Start) >= 0 && (i+1 == len(rules) || at.Compare(rules[i+1].At.Start) < 0)
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
