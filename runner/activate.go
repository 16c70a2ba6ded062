package runner

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// loadedSkills is what a conversation has loaded in this process: name → arguments.
type loadedSkills struct {
	mu   sync.Mutex
	args map[string]string
}

// first tells whether a skill has not been loaded with these arguments.
func (l *loadedSkills) first(name, args string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if was, ok := l.args[name]; ok && was == args {
		return false
	}
	if l.args == nil {
		l.args = map[string]string{}
	}
	l.args[name] = args
	return true
}

func (l *loadedSkills) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.args, name)
}

// load makes a skill active: its text is the result of the call. A second time a short note is. What it pre-approves counts
// from the next turn on, until the exchange is over; its folder can be read for as long as its text is in the conversation.
func (x *exchange) load(ctx context.Context, k *skills.Skill, args string) (tools.Result, error) {
	args = strings.TrimSpace(args)
	active := slices.Contains(x.active, k) && args == ""
	if !tools.Of[loadedSkills](x.conv.State).first(k.Name, args) || active {
		return tools.Result{Content: "The skill " + quote(k.Name) + " is active already; its text stands above."}, nil
	}
	text, err := k.Expand(ctx, x.use(k, args))
	if err != nil || ctx.Err() != nil {
		tools.Of[loadedSkills](x.conv.State).forget(k.Name)
	}
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err != nil {
		return tools.Result{Content: "The skill " + quote(k.Name) + " was not loaded: " + err.Error(), IsError: true}, nil
	}
	return tools.Result{Content: x.content(k, text), Grant: x.grants(k)}, nil
}

// tellActivated tells that the result of a call brought a skill.
func (x *exchange) tellActivated(tool string, r *tools.Result) {
	if tool != skillTool || r.IsError {
		return
	}
	if name, ok := skills.NameOf(r.Content); ok {
		x.lending = append(x.lending, name)
		x.say(&event.SkillActivated{Name: name, Tokens: skills.Tokens(r.Content)})
	}
}

// maxSkill is how many characters of a skill a model is given at once.
const maxSkill = 80_000

// content is a skill as the model sees it, not longer than a result may be.
func (x *exchange) content(k *skills.Skill, text string) string {
	if r := []rune(text); len(r) > maxSkill {
		text = string(r[:maxSkill]) + "\n\n[Cut: the text goes on in " + k.File + ".]"
	}
	return k.Content(text)
}

// use is what a skill is filled in with.
func (x *exchange) use(k *skills.Skill, args string) skills.Use {
	effort := ""
	if t := x.thinking; t != nil {
		effort = t.Effort
	}
	return skills.Use{
		Arguments: args, Shell: x.shell(k), Attach: x.attach(k),
		Variables: map[string]string{
			"CLAUDE_PROJECT_DIR": x.offered.roots.Workspace, "CLAUDE_SESSION_ID": x.run.session.ID(), "CLAUDE_EFFORT": effort,
		},
	}
}

// grants are the rules that a skill brings: what it allows, and reading its folder.
func (x *exchange) grants(k *skills.Skill) []tools.Rule {
	return append(parsedRules(k, k.Allowed), reading(k)...)
}

// reading lets the files of a skill be read.
func reading(k *skills.Skill) []tools.Rule {
	if k.Folder == "" {
		return nil
	}
	r, err := tools.ParseRule("Read(/"+escaped(k.Folder)+"/**)", tools.Native, k.Origin)
	if err != nil {
		return nil // a folder whose name no rule can have is read like any other
	}
	return []tools.Rule{r}
}

// escaped is a path as a pattern that means nothing but it.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(path)
}

// parsedRules reads rules of a skill; the loader has told of those that cannot be read.
func parsedRules(k *skills.Skill, list []skills.Rule) []tools.Rule {
	dialect := tools.Native
	if k.Foreign {
		dialect = tools.Claude
	}
	var out []tools.Rule
	for _, r := range list {
		if rule, err := tools.ParseRule(r.Text, dialect, r.At); err == nil {
			out = append(out, rule)
		}
	}
	return out
}

// carried stands before the texts of skills that were kept when a conversation was made smaller.
const carried = "These skills were loaded before and are still active:\n\n"

// contents are the texts of skills in a message: what the tool gave, what a person called, and what was carried over.
func contents(m providers.Message) []string {
	var out []string
	switch m.Role {
	case providers.Tool:
		for _, p := range m.Parts {
			if r, ok := p.(providers.ToolResult); ok && r.Name == skillTool && !r.IsError {
				out = append(out, skills.Contents(r.Content)...)
			}
		}
	case providers.User:
		text := m.Text()
		if _, after, ok := strings.Cut(text, carried); ok {
			text = after
		}
		out = skills.Contents(text)
	}
	return out
}

// loaded are the texts of the skills of a conversation, each the last that was given of it, in the order of loading.
func loaded(messages []providers.Message) []string {
	var names, texts []string
	for _, m := range messages {
		for _, text := range contents(m) {
			name, _ := skills.NameOf(text)
			if i := slices.Index(names, name); i >= 0 {
				names, texts = slices.Delete(names, i, i+1), slices.Delete(texts, i, i+1)
			}
			names, texts = append(names, name), append(texts, text)
		}
	}
	return texts
}

// settleSkills finds out which skills are active: those that stand in the prompt, and those whose texts are in the
// conversation, whoever put them there and when.
func (x *exchange) settleSkills() {
	if x.agent.Skills == nil && x.called == nil {
		return
	}
	x.nest()
	x.active = slices.Clone(x.agent.Skills.Whole())
	for _, text := range loaded(x.conv.Messages) {
		name, _ := skills.NameOf(text)
		if k, ok := x.skillNamed(name); ok {
			x.active = append(x.active, k)
		}
	}
	x.readable = nil
	for _, k := range x.active {
		x.readable = append(x.readable, reading(k)...)
	}
	x.narrow()
	x.listen()
}

// inForce are the active skills, and what a person called, in the order of loading.
func (x *exchange) inForce() []*skills.Skill {
	if x.called == nil || slices.Contains(x.active, x.called) {
		return x.active
	}
	return append(slices.Clip(x.active), x.called)
}

// approved are the rules that skills bring to the calls of this turn.
func (x *exchange) approved() []tools.Rule { return slices.Concat(x.granted, x.readable) }

// stillLoaded is a text with the skills of a conversation that what stays of it does not hold; "" = it holds all.
func stillLoaded(all, rest []providers.Message) string {
	there := loaded(rest)
	lost := slices.DeleteFunc(loaded(all), func(text string) bool { return slices.Contains(there, text) })
	if len(lost) == 0 {
		return ""
	}
	return carried + strings.Join(lost, "\n\n")
}
