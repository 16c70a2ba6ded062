package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
)

// plainChat is a chat in lines: a person's at a terminal, who may write while the agent works, or those of a pipe, of which
// each is a turn.
type plainChat struct {
	*dev
	c       *chat
	live    bool // there is a person
	asking  *asking
	answers chan *asking
	failed  *event.Result // the first turn that did
}

func (c *chat) plain(ctx context.Context) error {
	a := c.app
	p := &plainChat{dev: &dev{app: a}, c: c, live: terminal(a.stdin) && terminal(a.stderr), answers: make(chan *asking)}
	p.openLines()
	ctx, p.cancel = context.WithCancelCause(ctx)
	defer p.cancel(nil)
	if err := c.open(ctx, p.graphEvent); err != nil {
		return err
	}
	defer c.close()
	p.w, p.r = c.w, c.r
	p.begin(word(p.live, "/help shows what can be typed, Ctrl-D ends", "each line is a turn"))
	over := p.watch(ctx, nil)
	p.input = make(chan string)
	go readLines(ctx, a.stdin, p.input)
	a.interrupt.Store(c.queue)
	err := p.loop(ctx)
	a.interrupt.Store(nil)
	p.cancel(nil)
	<-over
	c.ended(exited)
	res := &event.Result{OK: true}
	if p.failed != nil && !p.live {
		res = p.failed
	}
	if err := p.end(err, res); err != nil {
		return err
	}
	if p.live && p.lines == nil {
		if text := c.farewell(); text != "" {
			a.note("%s", text)
		}
	}
	if !res.OK {
		return told{res.ExitCode}
	}
	return nil
}

// loop takes lines and saves as they come.
func (p *plainChat) loop(ctx context.Context) error {
	for {
		p.invite()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case c := <-p.changes:
			p.changed(c, nil)
		case line, open := <-p.input:
			if !open {
				return nil
			}
			err := p.typed(ctx, strings.TrimSpace(line))
			if errors.Is(err, errQuit) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
}

// invite shows that a line is waited for.
func (p *plainChat) invite() {
	if p.live && !p.app.quiet {
		fmt.Fprint(p.app.stderr, "› ")
	}
}

// typed does what a line says. Its error ends the chat.
func (p *plainChat) typed(ctx context.Context, line string) error {
	if line == "" {
		return nil
	}
	if k, arg, ok := p.c.command(line); ok {
		return p.command(k, arg)
	}
	for {
		res, err := p.turn(ctx, line)
		if err != nil {
			return err
		}
		if !res.OK {
			p.failed = cmp.Or(p.failed, res)
			return nil
		}
		next, ok := p.c.left()
		if !ok {
			return nil
		}
		line = next
	}
}

// command does a command of the chat.
func (p *plainChat) command(k chatCommand, arg string) error {
	text, err := k.do(p.c, arg)
	switch {
	case errors.Is(err, errQuit):
		return err
	case errors.Is(err, errCleared):
		text = "a new session begins"
	case errors.Is(err, errResumed):
		text = "session " + p.c.session.ID() + " goes on"
	case err != nil:
		p.app.complain(err)
		return nil
	}
	if text != "" {
		p.app.note("%s", strings.Join(newTheme(false).md.Render(printable.Text(text), 100), "\n"))
	}
	return nil
}

// turn runs one turn. Its error is that of stdout.
func (p *plainChat) turn(ctx context.Context, line string) (*event.Result, error) {
	req, err := p.c.request(line)
	if err == nil {
		err = p.c.ready()
	}
	if err != nil {
		p.app.complain(err)
		return &event.Result{Kind: kindOf(err), Message: err.Error(), ExitCode: exitCode(kindOf(err), err)}, nil
	}
	view, err := p.app.newView(p.cancel)
	if err != nil {
		return nil, err
	}
	defer view.close()
	view.lines = p.lines
	ask := view.asker(p.w.root)
	if who, ok := ask.(*person); ok {
		who.prompt = p.prompt(who)
	}
	done := make(chan turnOver, 1)
	go func() {
		res, err := p.c.do(ctx, req, ask, view.event)
		done <- turnOver{res, err}
	}()
	over := p.during(done, view)
	p.c.count(over.res)
	return over.res, p.show(view, over.res, over.err)
}

// during takes what a person writes while the agent works: the answer to a question, a command, or a message to the agent.
func (p *plainChat) during(done <-chan turnOver, v *view) turnOver {
	input := p.input
	if !p.live {
		input = nil // of a pipe, the next line is the next turn
	}
	for {
		select {
		case over := <-done:
			p.asking = nil
			return over
		case c := <-p.changes:
			p.changed(c, v.screen)
		case p.asking = <-p.answers:
			if input == nil {
				p.answer("") // nobody can any more
			}
		case line, open := <-input:
			if !open {
				input = nil
				p.answer("")
				continue
			}
			v.screen.aside(func() { p.heard(strings.TrimSpace(line)) })
		}
	}
}

// answer gives a line to the question that is asked, if one is.
func (p *plainChat) answer(line string) bool {
	if p.asking == nil {
		return false
	}
	p.asking.reply <- line // it has room for one
	p.asking = nil
	return true
}

func (p *plainChat) heard(line string) {
	if p.answer(line) {
		return
	}
	k, arg, ok := p.c.command(line)
	switch {
	case line == "":
	case ok && k.always && k.name != "quit":
		_ = p.command(k, arg) // only /quit has an error
	case ok:
		p.app.complain(hasToWait(k.name))
	default:
		if err := p.c.wait(line, p.c.queue.Steer); err != nil {
			p.app.complain(err)
			return
		}
		p.app.note("⧗ %s", line)
	}
}

// prompt asks in lines; what is answered comes through the loop.
func (p *plainChat) prompt(who *person) func(context.Context, tools.Question, bool) (string, error) {
	return func(ctx context.Context, q tools.Question, always bool) (string, error) {
		who.put(q, always)
		a := &asking{q: q, always: always, reply: make(chan string, 1)}
		select {
		case p.answers <- a:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		return a.wait(ctx)
	}
}
