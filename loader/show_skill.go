package loader

import (
	"context"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/skills"
)

// showSkill is a skill or command as a model is given it: without arguments, its commands not run.
func (r *Report) showSkill(d *Detail) {
	k := r.world.skills.byName[d.Definition.Name]
	if d.Definition.Kind == config.KindCommand {
		k = r.world.skills.commands[d.Definition.Name]
	}
	if k == nil {
		return
	}
	made := *k.made
	if k.file.brief {
		if whole := reread(k.file.file); whole.skill != nil {
			made.Text = whole.skill.Text
		}
	}
	text, err := made.Expand(context.Background(), skills.Use{})
	if err != nil {
		text = made.Text // nothing is run, so nothing fails
	}
	if !made.Command {
		text = made.Content(text)
	}
	d.Prompt, d.PromptTokens = text, skills.Tokens(text)
	d.Fields = skillFields(k)
}

// skillFields are the settings of a skill.
func skillFields(k *skill) []Field {
	f := &fields{origin: string(k.file.def.Origin), file: k.file.name}
	show(f, "description", k.Summary, k.Summary.V, same)
	show(f, "when_to_use", k.When, nil, same)
	show(f, "argument-hint", k.Hint, nil, same)
	show(f, "arguments", k.Arguments, nil, texts)
	show(f, "license", k.License, nil, same)
	show(f, "compatibility", k.Compatibility, nil, same)
	show(f, "metadata", k.Metadata, nil, same)
	show(f, "allowed-tools", k.Allowed, nil, texts)
	show(f, "disallowed-tools", k.Disallowed, nil, texts)
	show(f, "tools", k.Tools, nil, texts)
	show(f, "disable-model-invocation", k.NoModel, false, same)
	show(f, "user-invocable", k.Invocable, true, same)
	show(f, "model", k.Model, nil, texts)
	show(f, "effort", k.Effort, nil, same)
	show(f, "context", k.Fork, nil, same)
	show(f, "agent", k.Agent, nil, same)
	show(f, "paths", k.Paths, nil, texts)
	if k.Verbatim {
		f.list = append(f.list, Field{Key: "substitutions", Value: false, Origin: f.origin})
	}
	return f.list
}
