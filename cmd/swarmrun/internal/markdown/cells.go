package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// wrap cuts styled text into lines of at most width cells, between words where that can be.
func wrap(s string, width int) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(lipgloss.Wrap(s, width, ""), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// chop cuts text without styles into pieces of at most width cells, wherever that is.
func chop(s string, width int) []string { return strings.Split(ansi.Hardwrap(s, width, true), "\n") }

// cells is the beginning of a line, of at most width cells.
func cells(s string, width int) string { return ansi.Truncate(s, width, "…") }

// pad fills a line up to width cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-lipgloss.Width(s), 0))
}
