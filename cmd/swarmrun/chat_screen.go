package main

import (
	"context"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

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
	b.say(printable(text))
	b.finish()
}

// wrong adds what went wrong, with the way out.
func (s *chatScreen) wrong(text, way string) {
	line := s.theme.marked("✗") + " " + strings.TrimSpace(printable(text))
	if way != "" {
		line += "\n  " + s.theme.faint.Render("help: "+printable(way))
	}
	s.notice(line)
}

// reload tells of a save. One right behind another takes its place.
func (s *chatScreen) reload(head string, details []string) {
	sign, rest, _ := strings.Cut(head, " ")
	text := s.theme.marked(sign) + " " + rest
	for _, d := range details {
		text += "\n  " + s.theme.faint.Render(printable(d))
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

// lines is the screen: exactly as many lines as it has, none wider than it is, and where the cursor stands.
func (s *chatScreen) lines() (lines []string, x, y int) {
	foot, x, y := s.foot()
	if s.hold(s.h - len(foot)) { // the foot says how far it is
		foot, x, y = s.foot()
	}
	if room := s.h - len(foot); room > 0 {
		head := s.sight(room)
		y += len(head)
		lines = append(lines, head...)
	} else {
		y -= len(foot) - s.h
		foot = foot[len(foot)-s.h:]
	}
	lines = append(lines, foot...)
	for i, line := range lines {
		if lipgloss.Width(line) > s.w {
			lines[i] = ansi.Truncate(line, s.w, "")
		}
	}
	return lines, min(x, s.w-1), max(y, 0)
}

// hold keeps what is read where it is while more comes, and within the conversation. It tells whether the window moved.
func (s *chatScreen) hold(room int) bool {
	if s.scroll == 0 {
		s.total = 0
		return false
	}
	before, total := s.scroll, 0
	for i := range s.blocks {
		total += len(s.drawn(i))
	}
	if s.total > 0 {
		s.scroll += total - s.total
	}
	s.total = total
	s.scroll = min(max(s.scroll, 0), max(total-room, 0))
	return s.scroll != before
}

// sight is the part of the conversation that is in sight, in so many lines.
func (s *chatScreen) sight(room int) []string {
	need := room + s.scroll
	var parts [][]string
	for i := len(s.blocks) - 1; i >= 0 && need > 0; i-- {
		part := s.drawn(i)
		parts = append(parts, part)
		need -= len(part)
	}
	var all []string
	for i := len(parts) - 1; i >= 0; i-- {
		all = append(all, parts[i]...)
	}
	all = all[:max(len(all)-s.scroll, 0)]
	if len(all) > room {
		all = all[len(all)-room:]
	}
	for len(all) < room {
		all = append(all, "")
	}
	return all
}

// drawn is a block with the empty line above it.
func (s *chatScreen) drawn(i int) []string {
	b := s.blocks[i]
	lines := b.draw(s.theme, s.w, s.unfolded)
	if i == 0 || len(lines) == 0 || b.close(s.blocks[i-1]) {
		return lines
	}
	return append([]string{""}, lines...)
}

// close tells whether a block stands right under the one before.
func (b *chatBlock) close(before *chatBlock) bool {
	acts := func(b *chatBlock) bool {
		return b.kind == blockCall || b.kind == blockThinking || b.kind == blockNotice
	}
	return acts(b) && acts(before)
}

// foot is what stands below the conversation, and where the cursor is in it.
func (s *chatScreen) foot() (lines []string, x, y int) {
	tall := s.h >= 10
	if tall {
		lines = append(lines, s.todoLines()...)
	}
	if s.working {
		text := s.progress.status(s.w)
		switch {
		case s.stopping:
			text = "stopping…"
		case s.asking != nil:
			text = s.theme.warn.Render("waits for an answer")
		}
		lines = append(lines, cutCells(text, s.w))
	}
	for i, q := range s.queued {
		if i == 3 || !tall && i == 1 {
			lines = append(lines, s.theme.faint.Render(fmt.Sprintf("  … %d more wait", len(s.queued)-i)))
			break
		}
		lines = append(lines, s.theme.faint.Render(cutCells(word(q.Kind == runner.Steering, "⧗ ", "⧗ later: ")+clean(q.Text), s.w)))
	}
	lines = append(lines, s.offerLines()...)
	if s.scroll > 0 {
		lines = append(lines, s.theme.faint.Render(cutCells(fmt.Sprintf("↓ %s below · End", plural(s.scroll, "line")), s.w)))
	}
	if tall {
		lines = append(lines, s.theme.faint.Render(strings.Repeat("─", s.w)))
	}
	if s.asking != nil {
		lines = append(lines, s.question()...)
		return append(lines, s.status()), 0, len(lines) - 1
	}
	written, x, y := s.input.draw(s.w-3, min(inputLines, max(s.h/3, 1))) // the cursor needs a cell behind the text
	if len(s.input.text) == 0 {
		written = []string{s.theme.faint.Render(cutCells("Ask something, or /help", s.w-2))}
	}
	x, y = x+2, y+len(lines)
	lines = append(lines, hang(s.theme.user.Render("› "), written)...)
	return append(lines, s.status()), x, y
}

// offerLines are completions, those around the chosen one.
func (s *chatScreen) offerLines() []string {
	var lines []string
	room := min(6, max(s.h/4, 1))
	from := min(max(s.chosen-room+1, 0), max(len(s.offers)-room, 0))
	for i := from; i < min(from+room, len(s.offers)); i++ {
		mark := "  "
		if i == s.chosen {
			mark = s.theme.user.Render("▸ ")
		}
		lines = append(lines, mark+cutCells(clean(s.offers[i]), s.w-2))
	}
	return lines
}

// question is what is asked, and the keys that answer it.
func (s *chatScreen) question() []string {
	q := s.asking.q
	out := wrapped(fmt.Sprintf("? %s wants to use %s: %s", clean(q.Agent), clean(q.Tool), clean(q.Text)), s.w)
	if limit := max(s.h/3, 1); len(out) > limit {
		out = append(out[:limit:limit], "…")
	}
	out[0] = s.theme.marked("?") + strings.TrimPrefix(out[0], "?")
	if q.Rule != "" && s.h >= 10 {
		out = append(out, s.theme.faint.Render(cutCells("  because of the rule "+clean(q.Rule), s.w)))
	}
	keys := "y once · r this run"
	if s.asking.always {
		keys += " · a always: " + clean(q.Always)
	}
	return append(out, wrapped(keys+" · n no", s.w)...)
}

// todoLines is the task list: what is done in one line, then what is left.
func (s *chatScreen) todoLines() []string {
	done, left := 0, []builtin.Todo(nil)
	for _, t := range s.todos {
		if t.Status == "completed" {
			done++
		} else {
			left = append(left, t)
		}
	}
	if len(left) == 0 {
		return nil
	}
	share := fmt.Sprintf("tasks %d/%d", done, len(s.todos))
	if s.h < 16 {
		now := left[0].Content
		for _, t := range left {
			if t.Status == "in_progress" {
				now = t.ActiveForm
			}
		}
		return []string{s.theme.faint.Render(cutCells(share+" · "+clean(now), s.w))}
	}
	out := []string{s.theme.faint.Render(share)}
	for i, t := range left {
		if i == s.h/6 {
			out = append(out, s.theme.faint.Render(fmt.Sprintf("  … %d more", len(left)-i)))
			break
		}
		if t.Status == "in_progress" {
			out = append(out, s.theme.bold.Render(cutCells("▸ "+clean(t.ActiveForm), s.w)))
		} else {
			out = append(out, cutCells("☐ "+clean(t.Content), s.w))
		}
	}
	return out
}

// status is the last line; what matters less goes first where it is narrow.
func (s *chatScreen) status() string {
	if s.armed != "" {
		return s.theme.warn.Render(cutCells(s.armed, s.w))
	}
	if s.loading {
		return s.theme.faint.Render(cutCells("loading the workspace…", s.w))
	}
	parts := []string{clean(s.target)}
	if s.usage.Tokens() > 0 {
		parts = append(parts, money(s.usage))
	}
	if s.window.Limit > 0 {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", bar(s.window.Percentage), s.window.Percentage))
	}
	if n := s.usage.Tokens(); n > 0 {
		parts = append(parts, tokens(n)+" tokens")
	}
	if s.model != "" {
		parts = append(parts, clean(s.model))
	}
	parts = append(parts, fmt.Sprintf("generation %d", s.gen))
	line := parts[0]
	for _, p := range parts[1:] {
		if lipgloss.Width(line)+3+lipgloss.Width(p) <= s.w {
			line += " · " + p
		}
	}
	name := cutCells(parts[0], s.w)
	return s.theme.badge.Render(name) + s.theme.faint.Render(strings.TrimPrefix(line, parts[0]))
}

// bar is a share of a hundred as a picture.
func bar(percent float64) string {
	full := min(max(int(percent/100*8+0.5), 0), 8)
	return strings.Repeat("█", full) + strings.Repeat("░", 8-full)
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
