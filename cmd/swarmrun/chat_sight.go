package main

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

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
