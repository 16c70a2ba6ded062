package main

import (
	"charm.land/lipgloss/v2"

	"github.com/swarmrun/swarmrun/cmd/swarmrun/internal/markdown"
	"github.com/swarmrun/swarmrun/internal/printable"
)

// theme is the looks of a chat. Without colour it writes no sequences at all.
type theme struct {
	color                                     bool
	bold, faint, user, good, bad, warn, badge lipgloss.Style
	md                                        *markdown.Renderer
}

func newTheme(color bool) *theme {
	t := &theme{color: color}
	plain := lipgloss.NewStyle()
	var st markdown.Styles
	if color {
		of := func(c string) lipgloss.Style { return plain.Foreground(lipgloss.Color(c)) }
		t.bold, t.faint, t.user = plain.Bold(true), plain.Faint(true), of("6").Bold(true)
		t.good, t.bad, t.warn, t.badge = of("2"), of("1"), of("3"), of("5").Bold(true)
		st = markdown.Styles{
			Heading: of("4").Bold(true), Strong: plain.Bold(true), Emphasis: plain.Italic(true), Strike: plain.Strikethrough(true),
			Code: of("6"), Link: plain.Underline(true), Faint: plain.Faint(true),
		}
	}
	t.md = markdown.New(st, printable.Text)
	return t
}

// marked is a mark in the colour of what it says.
func (t *theme) marked(mark string) string {
	switch mark {
	case "✓":
		return t.good.Render(mark)
	case "✗":
		return t.bad.Render(mark)
	case "!", "?":
		return t.warn.Render(mark)
	}
	return t.faint.Render(mark)
}
