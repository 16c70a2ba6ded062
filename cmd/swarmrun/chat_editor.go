package main

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/swarmrun/swarmrun/internal/printable"
)

// editor is a text of several lines that is being written, with its cursor. bubbles has one too, which looks for the
// clipboard's programs whenever the process starts.
type editor struct {
	text []rune
	at   int // of the cursor
	want int // column that up and down keep to; -1 = the one it is in
}

func (e *editor) value() string { return string(e.text) }

// set replaces the text; the cursor is behind it.
func (e *editor) set(text string) {
	e.text, e.at, e.want = nil, 0, -1
	e.insert(text)
}

// insert puts text in at the cursor, but for what would steer a terminal.
func (e *editor) insert(text string) {
	r := []rune(printable.Text(text))
	e.text = slices.Insert(e.text, e.at, r...)
	e.at += len(r)
}

// cutTo takes out what lies between the cursor and another place.
func (e *editor) cutTo(to int) {
	from, to := min(e.at, to), max(e.at, to)
	e.text = slices.Delete(e.text, from, to)
	e.at = from
}

// press takes a key; what it does not know it writes, if that is text.
func (e *editor) press(name, text string) {
	keep := false
	switch name {
	case "left", "ctrl+b":
		e.at = max(e.at-1, 0)
	case "right", "ctrl+f":
		e.at = min(e.at+1, len(e.text))
	case "home", "ctrl+a":
		e.at = e.lineStart(e.at)
	case "end", "ctrl+e":
		e.at = e.lineEnd(e.at)
	case "up", "ctrl+p":
		e.vertical(-1)
		keep = true
	case "down", "ctrl+n":
		e.vertical(1)
		keep = true
	case "ctrl+left", "alt+left", "alt+b":
		e.at = e.word(-1)
	case "ctrl+right", "alt+right", "alt+f":
		e.at = e.word(1)
	case "backspace", "ctrl+h":
		e.cutTo(max(e.at-1, 0))
	case "delete", "ctrl+d":
		e.cutTo(min(e.at+1, len(e.text)))
	case "ctrl+w", "alt+backspace":
		e.cutTo(e.word(-1))
	case "ctrl+u":
		e.cutTo(e.lineStart(e.at))
	case "ctrl+k":
		e.cutTo(e.lineEnd(e.at))
	case "ctrl+j", "alt+enter", "shift+enter":
		e.insert("\n")
	default:
		e.insert(text)
	}
	if !keep {
		e.want = -1
	}
}

func (e *editor) lineStart(at int) int {
	for at > 0 && e.text[at-1] != '\n' {
		at--
	}
	return at
}

func (e *editor) lineEnd(at int) int {
	for at < len(e.text) && e.text[at] != '\n' {
		at++
	}
	return at
}

// first and last tell whether the cursor is in the first and in the last line.
func (e *editor) first() bool { return e.lineStart(e.at) == 0 }
func (e *editor) last() bool  { return e.lineEnd(e.at) == len(e.text) }

// vertical goes to the line above or below, in the same column as far as it has one.
func (e *editor) vertical(by int) {
	start := e.lineStart(e.at)
	if e.want < 0 {
		e.want = e.at - start
	}
	switch {
	case by < 0 && start > 0:
		above := e.lineStart(start - 1)
		e.at = min(above+e.want, start-1)
	case by > 0 && !e.last():
		below := e.lineEnd(e.at) + 1
		e.at = min(below+e.want, e.lineEnd(below))
	}
}

// word is where the next word ends, or the one before begins.
func (e *editor) word(by int) int {
	at := e.at
	letter := func(i int) bool { return unicode.IsLetter(e.text[i]) || unicode.IsDigit(e.text[i]) }
	if by < 0 {
		for at > 0 && !letter(at-1) {
			at--
		}
		for at > 0 && letter(at-1) {
			at--
		}
		return at
	}
	for at < len(e.text) && !letter(at) {
		at++
	}
	for at < len(e.text) && letter(at) {
		at++
	}
	return at
}

// draw is the text in lines of so many cells, at most so many of them around the cursor, and where that is.
func (e *editor) draw(width, height int) (lines []string, x, y int) {
	width = max(width, 2)
	var line strings.Builder
	used := 0
	next := func() {
		lines = append(lines, line.String())
		line.Reset()
		used = 0
	}
	for i, r := range e.text {
		cells := ansi.StringWidth(string(r))
		if r == '\t' {
			cells = 1
		}
		if r != '\n' && used+cells > width {
			next()
		}
		if i == e.at {
			x, y = used, len(lines)
		}
		switch r {
		case '\n':
			next()
			continue
		case '\t':
			r = ' '
		}
		line.WriteRune(r)
		used += cells
	}
	if e.at == len(e.text) {
		if used >= width {
			next()
		}
		x, y = used, len(lines)
	}
	next()
	if len(lines) > height {
		from := min(max(y-height+1, 0), len(lines)-height)
		lines, y = lines[from:from+height], y-from
	}
	return lines, x, y
}
