package main

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/tools/builtin"
)

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
		lines = append(lines, s.theme.faint.Render(cutCells(word(q.Kind == runner.Steering, "⧗ ", "⧗ later: ")+printable.Line(q.Text), s.w)))
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
		lines = append(lines, mark+cutCells(printable.Line(s.offers[i]), s.w-2))
	}
	return lines
}

// question is what is asked, and the keys that answer it.
func (s *chatScreen) question() []string {
	q := s.asking.q
	out := wrapped(fmt.Sprintf("? %s wants to use %s: %s", printable.Line(q.Agent), printable.Line(q.Tool), printable.Line(q.Text)), s.w)
	if limit := max(s.h/3, 1); len(out) > limit {
		out = append(out[:limit:limit], "…")
	}
	out[0] = s.theme.marked("?") + strings.TrimPrefix(out[0], "?")
	if q.Rule != "" && s.h >= 10 {
		out = append(out, s.theme.faint.Render(cutCells("  because of the rule "+printable.Line(q.Rule), s.w)))
	}
	keys := "y once · r this run"
	if s.asking.always {
		keys += " · a always: " + printable.Line(q.Always)
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
		return []string{s.theme.faint.Render(cutCells(share+" · "+printable.Line(now), s.w))}
	}
	out := []string{s.theme.faint.Render(share)}
	for i, t := range left {
		if i == s.h/6 {
			out = append(out, s.theme.faint.Render(fmt.Sprintf("  … %d more", len(left)-i)))
			break
		}
		if t.Status == "in_progress" {
			out = append(out, s.theme.bold.Render(cutCells("▸ "+printable.Line(t.ActiveForm), s.w)))
		} else {
			out = append(out, cutCells("☐ "+printable.Line(t.Content), s.w))
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
	parts := []string{printable.Line(s.target)}
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
		parts = append(parts, printable.Line(s.model))
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
