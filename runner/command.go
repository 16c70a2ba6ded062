package runner

import (
	"context"
	"errors"
	"strings"

	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/skills"
)

// filled is the record of texts of skills that were filled in, which may have run commands.
type filled struct {
	Text     string   `json:"text"`
	Kind     string   `json:"kind,omitempty"` // of the failure
	Problem  string   `json:"problem,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// input is the prompt of the run: as the request has it, or the text of the skill or command that a person called, with the
// request's prompt for its arguments. What the skill allows and takes away counts from the first turn on.
func (x *exchange) input(ctx context.Context) (string, *failure) {
	req := &x.run.req
	if req.Command == "" {
		x.settleSkills()
		return req.Input, nil
	}
	k, ok := x.command(req.Command)
	if !ok {
		return "", failed(event.KindUsage, "there is no skill and no command named %s", quote(req.Command))
	}
	x.called = k
	x.lend(k)
	x.settleSkills()
	out := &filled{}
	wait := x.run.w.Steps.Go(ctx, x.step("command"), out, func(ctx context.Context) error {
		text, err := k.Expand(ctx, x.use(k, req.Input))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			out.Kind, out.Problem = commandKind(err), x.redact("/"+k.Name+": "+err.Error())
		}
		out.Text = text
		return nil
	})
	err := wait()
	if f := ended(ctx); f != nil {
		return "", f
	}
	if err != nil {
		return "", broken(err)
	}
	if out.Kind != "" {
		return "", failed(out.Kind, "%s", out.Problem)
	}
	x.granted = append(x.granted, x.grants(k)...)
	text := out.Text
	if !k.Command {
		text = x.content(k, text)
		x.say(&event.SkillActivated{Name: k.Name, Tokens: skills.Tokens(text)})
	}
	return text, nil
}

// commandKind is the kind of failure of a text that could not be filled in.
func commandKind(err error) string {
	if _, refused := errors.AsType[*refusedCommand](err); refused {
		return event.KindPermissionDenied
	}
	return event.KindAgentFailed
}

// wholeSkills is the part of the prompt that holds skills; they are filled in once for a conversation, as instructions are
// read once.
func (x *exchange) wholeSkills(ctx context.Context) (string, error) {
	whole := x.agent.Skills.Whole()
	if len(whole) == 0 {
		return "", nil
	}
	if x.conv.Skills == nil {
		out := &filled{}
		wait := x.run.w.Steps.Go(ctx, x.step("skills"), out, func(ctx context.Context) error {
			var texts []string
			for _, k := range whole {
				body, err := k.Expand(ctx, x.use(k, ""))
				if ctx.Err() != nil {
					return context.Cause(ctx) // a conversation that goes on later still gets all of them
				}
				if err != nil {
					out.Warnings = append(out.Warnings, x.redact("the skill "+k.Name+" is not in the prompt: "+err.Error()))
					continue
				}
				texts = append(texts, x.content(k, body))
			}
			out.Text = strings.Join(texts, "\n\n")
			return nil
		})
		if err := wait(); err != nil {
			return "", err
		}
		for _, w := range out.Warnings {
			x.say(&event.Warning{Code: "skill", Message: w})
		}
		x.conv.Skills = &out.Text
	}
	return *x.conv.Skills, nil
}

// skillPrompt is what the system prompt says of skills: those that stand in it whole, and the names of those that can be
// loaded.
func (x *exchange) skillPrompt(ctx context.Context) (string, error) {
	if x.agent.Skills == nil {
		return "", nil
	}
	text, err := x.wholeSkills(ctx)
	return strings.TrimSpace(text + "\n\n" + skills.Catalogue(x.offered.loadable(), skillTool)), err
}

// tellSkills tells which skills the agent sees.
func (x *exchange) tellSkills() {
	set := x.agent.Skills
	if set == nil {
		return
	}
	names := x.skillNames()
	skipped := append([]string{}, set.Skipped()...)
	if len(names)+len(skipped) == 0 {
		return
	}
	x.say(&event.SkillsLoaded{Names: names, Skipped: skipped})
}

// skillNames are the skills that the agent has in its prompt or can load.
func (x *exchange) skillNames() []string {
	names := []string{}
	for _, k := range x.agent.Skills.Whole() {
		names = append(names, k.Name)
	}
	for _, k := range x.offered.loadable() {
		names = append(names, k.Name)
	}
	return names
}
