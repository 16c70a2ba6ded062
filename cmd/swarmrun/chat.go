package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/runner/session"
	"github.com/swarmrun/swarmrun/tools"
)

func (a *app) chatCommand() *cobra.Command {
	var f runFlags
	var plain bool
	cmd := &cobra.Command{
		Use:   "chat [TARGET]",
		Short: "Talk with an agent in the terminal; saves are taken up between two turns",
		Long: "Talk with an agent. Its answer, its tool calls and what they cost are shown as they come. What is typed while it works is\n" +
			"given to it between two turns. Saves in the workspace are published at once and count from the next turn on.\n\n" +
			"Without a terminal, or with --plain, it reads lines and writes lines; in a pipe each line is a turn. /help shows what can\n" +
			"be typed.",
		ValidArgsFunction: a.completeAgents,
		Args:              atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSONL); err != nil {
				return err
			}
			if err := notZero(cmd, "budget"); err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			c := &chat{app: a, flags: f, model: f.model, queue: runner.NewQueue("")}
			if len(args) > 0 {
				c.target = args[0]
			}
			if plain || a.output != formatText || !terminal(a.stdin) || !terminal(a.stdout) || a.env("TERM") == "dumb" {
				return c.plain(cmd.Context())
			}
			return c.onScreen(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&plain, "plain", false, "lines instead of a screen")
	flags.StringVarP(&f.model, "model", "m", "", "`model` instead of the agent's: a name of models:, or provider/model")
	flags.StringToStringVar(&f.vars, "var", nil, "variable of a template, as `name=value`; may be repeated")
	flags.StringVar(&f.session, "session", "", "go on with the session `id`")
	_ = cmd.RegisterFlagCompletionFunc("session", a.completeSession) // the flag is there
	flags.BoolVar(&f.resume, "continue", false, "go on with the latest session")
	flags.Float64Var(&f.budget, "budget", 0, "end a turn when it has cost `usd` US dollars, delegates included")
	flags.StringVar(&f.mode, "permission-mode", "", "permission `mode` of every agent: default, accept-edits, plan, deny-asks, bypass")
	return cmd
}

// chat is a conversation with an agent, whatever shows it. Its methods are called by one goroutine, but for do, which another
// one may be in.
type chat struct {
	app           *app
	flags         runFlags
	target, model string

	w       *workspace
	r       *runner.Runner
	queue   *runner.Queue
	session *session.Handle // nil before the first turn
	opens   string          // of the next session: why it begins, in Claude Code's words
	usage   event.Usage
	each    map[string]event.Usage // by agent
	order   []string               // its keys, as they came
	turns   int
}

// open loads the workspace.
func (c *chat) open(ctx context.Context, sink func(event.Event)) error {
	a := c.app
	w, err := a.openWorkspace(ctx)
	if err != nil {
		return err
	}
	c.w = w
	w.release() // each turn leases its own generation
	c.r = runner.New(w.live, &runner.Options{Sessions: w.sessions, Home: a.env("HOME"), Environ: a.environ, HookOutput: a.verbose, Sink: sink})
	c.each = map[string]event.Usage{}
	w.known = effectsOf(w.live.Report())
	if err := c.again(); err != nil {
		return err
	}
	if err := w.checkTarget(c.target); err != nil {
		return err
	}
	if c.target == "" {
		c.target = w.graph.Default()
	}
	return w.demanded(c.target)
}

// again goes on with the session of the flags, if they name one.
func (c *chat) again() error {
	id, err := c.w.sessionOf(c.flags)
	if err != nil || id == "" {
		return err
	}
	return c.resume(id, c.target == "")
}

// resume goes on with a stored session, and where that is asked for with the agent that it began with.
func (c *chat) resume(id string, withAgent bool) error {
	target := c.target
	if withAgent {
		stored, err := c.w.sessions.Read(id)
		if err != nil {
			return sessionError(id, err)
		}
		if err := c.w.checkTarget(stored.Head.Target); err != nil {
			return err
		}
		target = stored.Head.Target
	}
	h, err := session.Resume(c.w.sessions, id)
	if err != nil {
		return sessionError(id, err)
	}
	c.leave("resume")
	c.session, c.target = h, target
	return nil
}

// exited is why the last session of a chat ends, in Claude Code's words.
const exited = "prompt_input_exit"

// ended tells hooks that the session at hand ends.
func (c *chat) ended(why string) {
	if c.session != nil {
		c.r.Ended(c.session, c.target, why)
	}
}

// leave lets go of the session at hand; why is what hooks are told, in Claude Code's words.
func (c *chat) leave(why string) {
	c.opens = ""
	if why == "clear" {
		c.opens = why
	}
	if c.session != nil {
		c.ended(why)
		_ = c.session.Close() // all of it is on disk
	}
	c.session = nil
	c.queue.Clear()
}

func (c *chat) close() {
	if c.w != nil {
		c.leave(exited)
		c.w.close()
	}
}

// request makes a turn's request of what was typed: a skill or command, or a prompt whose @words are files.
func (c *chat) request(line string) (runner.Request, error) {
	if err := c.renew(); err != nil {
		return runner.Request{}, err
	}
	if err := c.w.checkTarget(c.target); err != nil {
		return runner.Request{}, err
	}
	command, words := c.w.slash([]string{line})
	if name, ok := slashed(line); ok && command == "" {
		return runner.Request{}, c.unknown(name)
	}
	req := runner.Request{
		Target: c.target, Command: command, Input: strings.Join(words, " "), Vars: c.flags.vars, Model: c.model,
		Mode: tools.Mode(c.flags.mode), Budget: agents.Budget{Cost: c.flags.budget},
	}
	if command != "" {
		return req, nil
	}
	for _, name := range mentioned(line) {
		info, err := os.Stat(c.app.path(name))
		if err != nil || info.IsDir() {
			continue // a name like any other
		}
		text, blob, err := c.app.attachment(name)
		if err != nil {
			return req, err
		}
		if blob != nil {
			req.Attachments = append(req.Attachments, *blob)
		} else {
			req.Input += "\n\n" + text
		}
	}
	return req, nil
}

// slashed is the name of a line that calls something; a path is no name.
func slashed(line string) (name string, ok bool) {
	name, _, _ = strings.Cut(line, " ")
	name, ok = strings.CutPrefix(name, "/")
	return name, ok && !strings.Contains(name, "/")
}

// wait gives a line to the agent at work, by add. What it calls would reach the agent as a text.
func (c *chat) wait(line string, add func(string) error) error {
	name, ok := slashed(line)
	switch {
	case !ok:
		return add(line)
	case slices.Contains(c.w.commands(), name):
		return hasToWait(name)
	}
	return c.unknown(name)
}

func hasToWait(name string) error {
	return usagef("/%s has to wait until the agent is done", name).hint("Ctrl-C stops it")
}

// mentioned are the words behind an @.
func mentioned(line string) []string {
	var out []string
	for _, word := range strings.Fields(line) {
		if name, ok := strings.CutPrefix(word, "@"); ok && name != "" {
			out = append(out, strings.TrimRight(name, ",.;:!?"))
		}
	}
	return out
}

// renew looks at the generation that is served now.
func (c *chat) renew() error {
	g, release, err := c.w.live.Acquire()
	if err != nil {
		return err
	}
	defer release()
	c.w.graph = g
	return nil
}

// ready has a session for a turn.
func (c *chat) ready() error {
	if c.session != nil {
		return nil
	}
	now := time.Now()
	h, err := session.New(c.w.sessions, session.Head{
		ID: runner.NewID(now), Created: event.Time{Time: now}, Workspace: c.w.graph.Name(), Target: c.target,
	})
	c.session = h
	return err
}

// do runs a turn. It may be another goroutine's.
func (c *chat) do(ctx context.Context, req runner.Request, ask tools.Asker, sink func(event.Event)) (*event.Result, error) {
	return c.r.Do(ctx, req, &runner.RunOptions{Session: c.session, Opens: c.opens, Queue: c.queue, Ask: ask, Sink: sink})
}

// count adds a turn to the sums.
func (c *chat) count(res *event.Result) {
	c.turns += res.Turns
	c.usage = c.usage.Add(res.Usage)
	for name, u := range res.PerAgent {
		if _, seen := c.each[name]; !seen {
			c.order = append(c.order, name)
		}
		c.each[name] = c.each[name].Add(u.Usage)
	}
}

// left is what the agent did not hear of since it stopped at that moment: the next prompt, taken out of the queue.
func (c *chat) left() (string, bool) {
	waiting := c.queue.Pending()
	if len(waiting) == 0 {
		return "", false
	}
	c.queue.Clear()
	for _, w := range waiting[1:] {
		_ = c.queue.FollowUp(w.Text) // there is room: it was there before
	}
	return waiting[0].Text, true
}

// watch takes saves up until ctx ends.
func (c *chat) watch(ctx context.Context, told func(agents.Change), note func(string)) error {
	return c.w.live.Watch(ctx, told, &loader.WatchOptions{Note: note})
}

// reloaded tells of a save.
func (c *chat) reloaded(change agents.Change) (head string, details []string, faults diag.List) {
	c.r.Reloaded(change)
	return c.w.saved(change, c.app.verbose)
}

// farewell says how to go on.
func (c *chat) farewell() string {
	if c.session == nil {
		return ""
	}
	return fmt.Sprintf("%s · %s tokens · %s · swarmrun chat --session %s goes on", plural(c.turns, "turn"), tokens(c.usage.Tokens()), money(c.usage), c.session.ID())
}

// errQuit ends a chat as it should.
var errQuit = errors.New("quit")
