package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
)

// chatModel is the screen as bubbletea drives it.
type chatModel struct {
	*chatScreen
	c      *chat
	beside func(func(context.Context)) // runs something while the chat lasts; the chat waits for its end
	pump   *pump
	log    func(event.Event)
	err    error // what ended it, besides the person
}

// What reaches the screen besides events.
type (
	opened   struct{ err error }
	turnOver struct {
		res *event.Result
		err error
	}
	unasked struct{}
	tick    struct{}
	happens []any
)

// onScreen shows the chat until the person or a signal ends it.
func (c *chat) onScreen(ctx context.Context) error {
	a := c.app
	log, closeLog, err := a.openLog()
	if err != nil {
		return err
	}
	defer closeLog()
	ctx, cancel := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	m := &chatModel{
		chatScreen: newChatScreen(a.color(a.stdout)), c: c, pump: newPump(),
		beside: func(do func(context.Context)) { work.Go(func() { do(ctx) }) },
		log: func(e event.Event) {
			if log != nil {
				logEvent(log, e)
			}
		},
	}
	m.loading, m.target = true, c.target
	m.complete = m.completions
	leave := m.firstPicture(a.stdout)
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(a.stdin), tea.WithOutput(a.stdout), tea.WithoutSignalHandler(), tea.WithEnvironment(a.environ))
	m.beside(func(ctx context.Context) { m.pump.work(ctx, func(items []any) { p.Send(happens(items)) }) })
	_, err = p.Run()
	leave() // also where bubbletea did not come as far as its own picture
	cause := context.Cause(ctx)
	cancel(errInterrupt)
	work.Wait()
	defer c.close()
	switch {
	case m.err != nil:
		return m.err
	case cause != nil:
		return told{exitCode(event.KindCancelled, cause)}
	case err != nil && !errors.Is(err, tea.ErrInterrupted):
		return err
	}
	if text := c.farewell(); text != "" {
		a.note("%s", text)
	}
	return nil
}

// Init loads the workspace beside the first picture.
func (m *chatModel) Init() tea.Cmd {
	m.beside(func(ctx context.Context) { m.pump.put(opened{m.c.open(ctx, nil)}) })
	return ticking()
}

func ticking() tea.Cmd {
	return tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return tick{} })
}

// Update takes what happened.
func (m *chatModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return m, m.wish(m.press(msg))
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			m.scrollBy(3)
		} else {
			m.scrollBy(-3)
		}
	case tick:
		if m.busy() {
			return m, ticking()
		}
	case happens:
		var cmds []tea.Cmd
		for _, item := range msg {
			cmds = append(cmds, m.happened(item))
		}
		m.queued = m.c.queue.Pending()
		return m, tea.Batch(cmds...)
	}
	return m, nil
}

// View is the screen.
func (m *chatModel) View() tea.View {
	lines, x, y := m.lines()
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	if m.asking == nil {
		v.Cursor = tea.NewCursor(x, y)
	}
	return v
}

func (m *chatModel) happened(item any) tea.Cmd {
	switch item := item.(type) {
	case event.Event:
		m.event(item)
	case opened:
		return m.opened(item.err)
	case turnOver:
		m.c.count(item.res)
		m.asking = nil
		m.end(item.res, item.err)
		if !item.res.OK {
			break // what waits goes with the next turn
		}
		if next, ok := m.c.left(); ok {
			return m.turn(next)
		}
	case *asking:
		m.ask(item)
	case unasked:
		m.asking = nil
	case agents.Change:
		head, details, faults := m.c.reloaded(item)
		m.gen = item.Generation
		m.reload(head, append(details, faultLines(faults)...))
	case string:
		m.notice(m.theme.marked("!") + " " + printable.Line(item))
	}
	return nil
}

// opened begins the chat, or ends it with what is wrong.
func (m *chatModel) opened(err error) tea.Cmd {
	if err != nil {
		m.err = err
		return tea.Quit
	}
	c := m.c
	m.loading, m.target = false, c.target
	report := c.w.live.Report()
	m.gen = c.w.graph.Generation()
	for i, line := range faultLines(visible(report.Diagnostics, c.app.verbose)) {
		if i == 5 {
			m.notice("  … `swarmrun validate` shows all")
			break
		}
		m.notice(m.theme.marked("!") + " " + line)
	}
	m.past(c.target, c.messages())
	m.beside(func(ctx context.Context) {
		err := c.watch(ctx, func(change agents.Change) { m.pump.put(change) }, func(text string) { m.pump.put(text) })
		if err != nil && ctx.Err() == nil {
			m.pump.put("saves are not seen: " + err.Error())
		}
	})
	return nil
}

// wish does what a key asks for.
func (m *chatModel) wish(w wish, text string) tea.Cmd {
	switch w {
	case wishQuit:
		return tea.Quit
	case wishInterrupt:
		m.c.queue.Interrupt()
	case wishSend:
		return m.submit(text)
	}
	return nil
}

// submit gives a line to whom it is for: the chat itself, the agent at work, or a new turn.
func (m *chatModel) submit(line string) tea.Cmd {
	if k, arg, ok := m.c.command(line); ok {
		return m.run(k, arg)
	}
	if !m.working {
		return m.turn(line)
	}
	if err := m.c.wait(line, m.c.queue.Steer); err != nil {
		m.failed(err)
		m.put(line)
	}
	m.queued = m.c.queue.Pending()
	return nil
}

// run does a command of the chat.
func (m *chatModel) run(k chatCommand, arg string) tea.Cmd {
	if m.working && !k.always {
		m.failed(hasToWait(k.name))
		return nil
	}
	text, err := k.do(m.c, arg)
	m.queued, m.target = m.c.queue.Pending(), m.c.target
	if err == nil && arg != "" && (k.name == "model" || k.name == "agent") {
		m.model = m.c.model // "": as the next turn says
	}
	if k.name == "help" {
		text += "\n" + keysHelp
	}
	switch {
	case errors.Is(err, errQuit):
		return tea.Quit
	case errors.Is(err, errCleared):
		m.empty()
	case errors.Is(err, errResumed):
		m.empty()
		m.past(m.c.target, m.c.messages())
	case err != nil:
		m.failed(err)
	default:
		m.tell(text)
	}
	return nil
}

// failed shows an error with its way out.
func (m *chatModel) failed(err error) {
	var usage *usageError
	if errors.As(err, &usage) {
		m.wrong(usage.message, usage.way)
		return
	}
	m.wrong(err.Error(), "")
}

// turn begins a turn.
func (m *chatModel) turn(line string) tea.Cmd {
	req, err := m.c.request(line)
	if err == nil {
		err = m.c.ready()
	}
	if err != nil {
		m.failed(err)
		m.put(line)
		return nil
	}
	m.begin(line)
	who := &person{prompt: m.prompt, keep: keeper(m.c.w.root), told: func(text string) { m.pump.put(text) }} // of this run
	m.beside(func(ctx context.Context) {
		res, err := m.c.do(ctx, req, who, func(e event.Event) {
			m.log(e)
			m.pump.put(e)
		})
		m.pump.put(turnOver{res, err})
	})
	return ticking()
}

// prompt asks the person on the screen. It is called by a run.
func (m *chatModel) prompt(ctx context.Context, q tools.Question, always bool) (string, error) {
	a := &asking{q: q, always: always, reply: make(chan string, 1)}
	m.pump.put(a)
	answer, err := a.wait(ctx)
	if err != nil {
		m.pump.put(unasked{})
	}
	return answer, err
}
