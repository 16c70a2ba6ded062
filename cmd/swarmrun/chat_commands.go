package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/session"
)

// chatCommand is a line of a chat that is no prompt. What it says is Markdown.
type chatCommand struct {
	name, args, says string
	always           bool // also while the agent works
	do               func(c *chat, arg string) (string, error)
}

// Errors that a chat acts on: the screen is emptied, or shows another session.
var (
	errCleared = errors.New("cleared")
	errResumed = errors.New("resumed")
)

func chatCommands() []chatCommand {
	return []chatCommand{
		{name: "agent", args: "[NAME]", says: "talk with another agent, or show them", do: (*chat).sayAgent},
		{name: "clear", says: "begin a new session", do: func(c *chat, _ string) (string, error) { c.leave("clear"); return "", errCleared }},
		{name: "cost", says: "tokens and money so far", always: true, do: (*chat).sayCost},
		{name: "export", args: "[FILE]", says: "write the conversation as Markdown", do: (*chat).export},
		{name: "help", says: "show this", always: true, do: (*chat).sayHelp},
		{name: "later", args: "TEXT", says: "give it to the agent when it is done", always: true, do: (*chat).later},
		{name: "model", args: "[MODEL | -]", says: "use another model, or the agent's own again", do: (*chat).sayModel},
		{name: "queue", args: "[clear]", says: "what waits for the agent", always: true, do: (*chat).sayQueue},
		{name: "quit", says: "end the chat", always: true, do: func(*chat, string) (string, error) { return "", errQuit }},
		{name: "reload", says: "look at the workspace now", do: (*chat).reload},
		{name: "sessions", args: "[ID]", says: "past sessions, or go on with one", do: (*chat).saySessions},
		{name: "skills", says: "skills and commands that can be typed", always: true, do: (*chat).saySkills},
		{name: "tools", says: "tools of the agent", always: true, do: (*chat).sayTools},
	}
}

// command finds what a line calls; false when it is a prompt.
func (c *chat) command(line string) (chatCommand, string, bool) {
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	if !strings.HasPrefix(line, "/") {
		return chatCommand{}, "", false
	}
	all := chatCommands()
	i := slices.IndexFunc(all, func(k chatCommand) bool { return k.name == name })
	if i < 0 {
		return chatCommand{}, "", false
	}
	return all[i], strings.TrimSpace(arg), true
}

// unknown says what could have been meant.
func (c *chat) unknown(name string) error {
	var names []string
	for _, k := range chatCommands() {
		names = append(names, k.name)
	}
	err := usagef("there is no command, no skill and nothing else named /%s", name)
	if near, ok := diag.Closest(name, append(names, c.w.commands()...)); ok {
		return err.hint("did you mean /%s?", near)
	}
	return err.hint("/help shows what there is")
}

func (c *chat) sayHelp(string) (string, error) {
	var b strings.Builder
	b.WriteString("| typed | what it does |\n|---|---|\n")
	for _, k := range chatCommands() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace("/"+k.name+" "+k.args), k.says)
	}
	b.WriteString("| `/NAME …` | a skill or command of the workspace |\n| `@FILE` | the file goes with the prompt |\n")
	return b.String(), nil
}

// keysHelp is what keys do on a screen.
const keysHelp = "| key | what it does |\n|---|---|\n| Enter | send; while the agent works: give it that between two turns |\n| Ctrl-J, Alt-Enter | a new line |\n" +
	"| Tab | complete `/commands` and `@files` |\n| ↑ ↓ | what was sent before |\n| PgUp PgDn, wheel | scroll |\n" +
	"| Ctrl-T | show or fold thinking and results |\n| Ctrl-C | stop the turn; twice: quit |\n"

func (c *chat) sayAgent(name string) (string, error) {
	if err := c.renew(); err != nil {
		return "", err
	}
	if name == "" {
		var b strings.Builder
		for _, d := range c.w.live.Report().List(config.KindAgent) {
			here := ""
			if d.Name == c.target {
				here = " ← here"
			}
			fmt.Fprintf(&b, "- **%s**%s: %s\n", d.Name, here, printable.Line(d.Description))
		}
		return b.String(), nil
	}
	if err := c.w.checkTarget(name); err != nil {
		return "", err
	}
	if err := c.w.demanded(name); err != nil {
		return "", err
	}
	c.target = name
	return "You talk with **" + name + "** now.", nil
}

func (c *chat) sayModel(ref string) (string, error) {
	if err := c.renew(); err != nil {
		return "", err
	}
	switch ref {
	case "":
		d, _ := c.w.live.Report().Show(config.KindAgent, c.target)
		var own []string
		if d != nil {
			for _, m := range d.Models {
				own = append(own, "`"+m.Reference+"`")
			}
		}
		text := c.target + " has " + strings.Join(own, ", then ")
		if own == nil {
			text = c.target + " has no model of its own"
		}
		if c.model != "" {
			text += "; here it uses `" + c.model + "`"
		}
		return text + ".", nil
	case "-":
		c.model = ""
		return "The agent's own model is used again.", nil
	}
	g, release, err := c.w.live.Acquire()
	if err != nil {
		return "", err
	}
	defer release()
	if _, err := g.Model(ref); err != nil {
		return "", err
	}
	c.model = ref
	return "`" + ref + "` answers from now on.", nil
}

func (c *chat) sayTools(string) (string, error) {
	d, ok := c.w.live.Report().Show(config.KindAgent, c.target)
	if !ok {
		return "", c.w.checkTarget(c.target)
	}
	var b strings.Builder
	for _, t := range d.Tools {
		if !t.Shown() {
			continue
		}
		fmt.Fprintf(&b, "- **%s**: %s, from %s\n", t.Name, t.Effect, t.Source)
	}
	if b.Len() == 0 {
		return c.target + " has no tools.", nil
	}
	return b.String(), nil
}

func (c *chat) saySkills(string) (string, error) {
	if err := c.renew(); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, k := range c.w.graph.Commands().All() {
		fmt.Fprintf(&b, "- **/%s**: %s\n", k.Name, cut(printable.Line(k.Description), 200))
	}
	if b.Len() == 0 {
		return "There are none in this workspace.", nil
	}
	return b.String(), nil
}

func (c *chat) sayCost(string) (string, error) {
	if c.turns == 0 {
		return "No turn is done yet.", nil
	}
	var b strings.Builder
	b.WriteString("| agent | input | cached | output | cost |\n|---|---|---|---|---|\n")
	for _, name := range c.order {
		u := c.each[name]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, tokens(u.Input), tokens(u.CachedInput), tokens(u.Output), money(u))
	}
	fmt.Fprintf(&b, "| all, %s | %s | %s | %s | %s |\n", plural(c.turns, "turn"), tokens(c.usage.Input), tokens(c.usage.CachedInput), tokens(c.usage.Output), money(c.usage))
	return b.String(), nil
}

func (c *chat) saySessions(id string) (string, error) {
	if id != "" {
		if err := session.CheckID(id); err != nil {
			return "", usagef("/sessions: %v", err)
		}
		if err := c.resume(id, true); err != nil {
			return "", err
		}
		return "", errResumed
	}
	list, err := c.w.sessions.List()
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "There are none yet.", nil
	}
	var b strings.Builder
	for i, s := range list {
		if i == 20 {
			fmt.Fprintf(&b, "- … and %d more: `swarmrun sessions list`\n", len(list)-i)
			break
		}
		here := ""
		if c.session != nil && c.session.ID() == s.ID {
			here = " ← here"
		}
		fmt.Fprintf(&b, "- `%s`%s: %s, %s, %s\n", s.ID, here, printable.Line(s.Target), plural(s.Turns, "turn"), s.Updated.Local().Format(time.DateTime))
	}
	return b.String(), nil
}

// reload looks at the workspace now; what is found is told as if it had been a save.
func (c *chat) reload(string) (string, error) {
	change, err := c.w.live.Reload(context.Background())
	if err != nil {
		return "", err
	}
	if !change.Published && !change.Rejected {
		return fmt.Sprintf("Nothing has changed since generation %d.", change.Generation), nil
	}
	head, details, faults := c.reloaded(change)
	return strings.Join(append([]string{head}, append(details, faultLines(faults)...)...), "\n\n"), nil
}

// faultLines are findings in a line each.
func faultLines(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		line := fmt.Sprintf("%s: %s", d.Range, d.Summary)
		if d.Suggestion != "" {
			line += " (" + d.Suggestion + ")"
		}
		out = append(out, printable.Line(line))
	}
	return out
}

func (c *chat) later(text string) (string, error) {
	return "", c.wait(text, func(text string) error {
		if err := c.queue.FollowUp(text); err != nil {
			return usagef("/later: %v", err)
		}
		return nil
	})
}

func (c *chat) sayQueue(arg string) (string, error) {
	switch arg {
	case "clear":
		return plural(c.queue.Clear(), "message") + " dropped.", nil
	case "":
	default:
		return "", usagef("/queue takes clear or nothing, not %q", arg)
	}
	var b strings.Builder
	for _, w := range c.queue.Pending() {
		fmt.Fprintf(&b, "- %s: %s\n", word(w.Kind == runner.Steering, "between two turns", "when it is done"), cut(printable.Line(w.Text), 200))
	}
	if b.Len() == 0 {
		return "Nothing waits.", nil
	}
	return b.String(), nil
}
