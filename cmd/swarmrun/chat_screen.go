package main

import (
	"context"
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/builtin"
)

// chatScreen is what a person sees of a chat, and what keys make of it. It knows no terminal: events, keys and sizes go in,
// lines come out.
type chatScreen struct {
	w, h  int
	theme *theme

	blocks   []*chatBlock
	open     map[string]*chatBlock // by run: the answer or thinking that grows
	calls    map[string]*chatBlock // by run and call: those that run
	unfolded bool
	scroll   int // lines below the window; 0 = the end is in sight
	total    int // lines in all, as counted last

	loading  bool
	working  bool
	stopping bool
	armed    string // what one more Ctrl-C does
	target   string
	model    string
	gen      int
	usage    event.Usage
	window   event.Context
	todos    []builtin.Todo
	queued   []runner.Waiting
	asking   *asking
	progress *progress // of the line that says what is going on

	input    editor
	sent     []string // history
	at       int      // in it; len(sent) = what is being written
	draft    string
	offers   []string // completions of the word at the cursor
	chosen   int
	complete func(word string) []string
}

// asking is a question of permission, with the way back to who asks.
type asking struct {
	q      tools.Question
	always bool
	reply  chan string
}

// inputLines is how many lines of what is being written are in sight.
const inputLines = 6

func newChatScreen(color bool) *chatScreen {
	s := &chatScreen{
		theme: newTheme(color), open: map[string]*chatBlock{}, calls: map[string]*chatBlock{},
		progress: newProgress(&screen{color: color}, false), w: 80, h: 24,
	}
	s.size(s.w, s.h)
	return s
}

// size fits everything into so many columns and lines.
func (s *chatScreen) size(w, h int) { s.w, s.h = max(w, 1), max(h, 1) }

// add puts a block at the end.
func (s *chatScreen) add(b *chatBlock) *chatBlock {
	s.blocks = append(s.blocks, b)
	return b
}

// notice adds a line of ours.
func (s *chatScreen) notice(text string) {
	b := s.add(&chatBlock{kind: blockNotice})
	b.say(text)
	b.finish()
}

// tell adds Markdown of ours.
func (s *chatScreen) tell(text string) {
	if text == "" {
		return
	}
	b := s.add(&chatBlock{kind: blockSaid})
	b.say(printable.Text(text))
	b.finish()
}

// wrong adds what went wrong, with the way out.
func (s *chatScreen) wrong(text, way string) {
	line := s.theme.marked("✗") + " " + strings.TrimSpace(printable.Text(text))
	if way != "" {
		line += "\n  " + s.theme.faint.Render("help: "+printable.Text(way))
	}
	s.notice(line)
}

// reload tells of a save. One right behind another takes its place.
func (s *chatScreen) reload(head string, details []string) {
	sign, rest, _ := strings.Cut(head, " ")
	text := s.theme.marked(sign) + " " + rest
	for _, d := range details {
		text += "\n  " + s.theme.faint.Render(printable.Text(d))
	}
	if n := len(s.blocks); n > 0 && s.blocks[n-1].id == reloadID {
		s.blocks = s.blocks[:n-1]
	}
	s.notice(text)
	s.blocks[len(s.blocks)-1].id = reloadID
}

const reloadID = "reload"

// begin shows what is sent.
func (s *chatScreen) begin(line string) {
	s.say(line)
	s.working, s.stopping, s.scroll = true, false, 0
	s.progress.now(s.target, "thinking")
}

func (s *chatScreen) say(line string) {
	b := s.add(&chatBlock{kind: blockUser})
	b.say(line)
	b.finish()
}

// end shows how a turn ended.
func (s *chatScreen) end(res *event.Result, cause error) {
	s.working, s.stopping, s.armed = false, false, ""
	s.finishOpen("")
	for id, b := range s.calls { // of a run that broke down
		b.failed = true
		b.finish()
		delete(s.calls, id)
	}
	switch {
	case res.OK:
		s.notice(s.theme.faint.Render(plural(res.Turns, "turn") + " · " + tokens(res.Usage.Tokens()) + " tokens · " + money(res.Usage) + " · " + took(res.Duration.Milliseconds())))
	case res.Kind == event.KindCancelled:
		s.notice(s.theme.marked("!") + " stopped; what was done stays in the conversation")
	default:
		s.wrong(failureText(res, cause), wayOut(res.Kind, cause))
	}
}

// empty forgets the conversation.
func (s *chatScreen) empty() {
	s.blocks, s.todos, s.window, s.scroll = nil, nil, event.Context{}, 0
}

// past shows messages of a session.
func (s *chatScreen) past(agent string, messages []providers.Message) {
	for _, m := range messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case providers.Text:
				if m.Role == providers.User {
					s.say(p.Text)
					s.sent = append(s.sent, p.Text)
					continue
				}
				b := s.add(&chatBlock{kind: blockAnswer, agent: agent})
				b.say(p.Text)
				b.finish()
			case providers.ToolCall:
				s.calls[p.ID] = s.add(&chatBlock{kind: blockCall, agent: agent, tool: p.Name, subject: subjectOf(p.Args), edits: editsOf(p.Name, p.Args)})
			case providers.ToolResult:
				if b := s.calls[p.CallID]; b != nil {
					b.result, b.failed = p.Content, p.IsError
					b.finish()
					delete(s.calls, p.CallID)
				}
			}
		}
	}
	s.at = len(s.sent)
}

// busy tells whether the screen changes by itself.
func (s *chatScreen) busy() bool { return s.working || s.loading }

// ask shows a question until it is answered.
func (s *chatScreen) ask(a *asking) { s.asking = a }

// wait is how a run's goroutine waits for an answer.
func (a *asking) wait(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case answer := <-a.reply:
		return answer, nil
	}
}
