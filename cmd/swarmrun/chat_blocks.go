package main

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/swarmrun/swarmrun/internal/printable"
)

// The kinds of blocks.
type blockKind int

const (
	blockUser     blockKind = iota
	blockAnswer             // Markdown of an agent
	blockThinking           // of a model; folded
	blockCall               // of a tool or another agent
	blockNotice             // a line of ours
	blockSaid               // Markdown of ours
)

// How much is shown of a result, and of the difference of an edit, in lines.
const (
	shownResult = 20
	shownDiff   = 12
)

// chatBlock is one thing in a conversation. What is over is drawn once for a width.
type chatBlock struct {
	kind  blockKind
	agent string
	depth int
	text  strings.Builder
	over  bool // nothing will change it

	drawn   []string // blocks of text that are whole
	settled int      // bytes of text in drawn

	id, tool, subject string // of a call
	began             time.Time
	ms                int64
	failed            bool
	result            string
	edits             []edit

	lines []string // as drawn last; nil = to be drawn
	width int
}

// say adds text.
func (b *chatBlock) say(text string) {
	b.text.WriteString(text)
	b.lines = nil
}

// finish ends the block.
func (b *chatBlock) finish() { b.over, b.lines = true, nil }

// fold makes the block be drawn again, whole or folded.
func (b *chatBlock) fold() { b.lines = nil }

// draw is the block as lines of at most width cells.
func (b *chatBlock) draw(t *theme, width int, unfolded bool) []string {
	if b.width != width {
		b.width, b.lines, b.drawn, b.settled = width, nil, nil, 0
	}
	if b.lines != nil && (b.over || b.kind != blockCall) {
		return b.lines
	}
	indent := strings.Repeat(" ", min(2*b.depth, width/4))
	room := max(width-len(indent), 1)
	var out []string
	switch b.kind {
	case blockUser:
		out = hang(t.user.Render("› "), wrapped(printable.Text(b.text.String()), max(room-2, 1)))
	case blockAnswer, blockSaid:
		out = b.markdown(t, room)
	case blockThinking:
		out = b.thinking(t, room, unfolded)
	case blockCall:
		out = b.call(t, room, unfolded)
	case blockNotice:
		for line := range strings.SplitSeq(b.text.String(), "\n") {
			n := min(len(line)-len(strings.TrimLeft(line, " "))+2, room/2)
			wrapped := strings.Split(ansi.Wrap(line, room, ""), "\n")
			if len(wrapped) > 1 { // what does not fit stands below what it belongs to
				rest := strings.TrimSpace(strings.Join(wrapped[1:], " "))
				wrapped = append(wrapped[:1], strings.Split(ansi.Wrap(rest, max(room-n, 1), ""), "\n")...)
				for i := range wrapped[1:] {
					wrapped[i+1] = strings.Repeat(" ", n) + wrapped[i+1]
				}
			}
			out = append(out, wrapped...)
		}
	}
	for i, line := range out {
		if lipgloss.Width(line) > room {
			line = ansi.Truncate(line, room, "…")
		}
		out[i] = indent + line
	}
	b.lines = out
	return out
}

// markdown draws the blocks that are new since the last time.
func (b *chatBlock) markdown(t *theme, width int) []string {
	tail := b.text.String()[b.settled:]
	cut := t.md.Settled(tail)
	if b.over {
		cut = len(tail)
	}
	if cut > 0 {
		b.drawn = spaced(b.drawn, t.md.Render(tail[:cut], width))
		b.settled += cut
	}
	lines := spaced(b.drawn, t.md.Render(tail[cut:], width))
	if b.kind == blockAnswer {
		lines = append([]string{t.badge.Render(printable.Line(b.agent))}, lines...)
	}
	return lines
}

// spaced joins lines, in a new slice, with an empty one between them.
func spaced(head, lines []string) []string {
	out := append(make([]string, 0, len(head)+len(lines)+1), head...)
	if len(head) > 0 && len(lines) > 0 {
		out = append(out, "")
	}
	return append(out, lines...)
}

func (b *chatBlock) thinking(t *theme, width int, unfolded bool) []string {
	text := strings.TrimSpace(printable.Text(b.text.String()))
	if unfolded {
		return hang(t.faint.Render("✻ "), styledLines(t.faint, wrapped(text, max(width-2, 1))))
	}
	if b.over {
		return []string{t.faint.Render(cutCells("✻ thought, "+tokens(len([]rune(text)))+" characters", width))}
	}
	const head = "✻ thinking: "
	line := printable.Line(text)
	if room := width - lipgloss.Width(head); lipgloss.Width(line) > room && room > 1 {
		line = "…" + ansi.TruncateLeft(line, lipgloss.Width(line)-room+1, "")
	}
	return []string{t.faint.Render(cutCells(head+line, width))}
}

// call is its state, what it is about, how long it took, and what it changed.
func (b *chatBlock) call(t *theme, width int, unfolded bool) []string {
	sign, took := mark(b.failed), " ("+took(b.ms)+")"
	if !b.over {
		sign, took = spinner(time.Since(b.began)), fmt.Sprintf(" · %.0f s", time.Since(b.began).Seconds())
	}
	name := printable.Line(b.tool)
	if b.depth > 0 {
		name = printable.Line(b.agent) + " " + name
	}
	room := width - 2 - lipgloss.Width(name) - len(took)
	head := t.marked(sign) + " " + t.bold.Render(cutCells(name, max(width-2, 1)))
	if subject := printable.Line(b.subject); subject != "" && room > 4 {
		head += " " + cutCells(subject, room-1)
	}
	if room >= 0 {
		head += t.faint.Render(took)
	}
	out := []string{head}
	for _, line := range diffLines(t, b.edits, max(width-4, 1)) {
		out = append(out, "    "+line)
	}
	result := strings.TrimSpace(printable.Text(b.result))
	if result == "" || !unfolded && !b.failed {
		return out
	}
	shown := shownResult
	if !unfolded {
		shown = 2
	}
	lines := wrapped(result, max(width-4, 1))
	if len(lines) > shown {
		lines = append(lines[:shown:shown], fmt.Sprintf("… %d more lines", len(lines)-shown))
	}
	for _, line := range lines {
		out = append(out, "    "+t.faint.Render(line))
	}
	return out
}

// spinner is a picture of the time since something began.
func spinner(since time.Duration) string {
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(frames[since.Milliseconds()/100%int64(len(frames))])
}

// wrapped cuts text into lines of at most width cells.
func wrapped(text string, width int) []string {
	return strings.Split(ansi.Wrap(strings.ReplaceAll(text, "\t", "    "), width, ""), "\n")
}

func styledLines(st lipgloss.Style, lines []string) []string {
	for i, line := range lines {
		lines[i] = st.Render(line)
	}
	return lines
}

// hang puts a mark before the first line and blanks before the others.
func hang(mark string, lines []string) []string {
	for i, line := range lines {
		if i == 0 {
			lines[i] = mark + line
		} else {
			lines[i] = strings.Repeat(" ", lipgloss.Width(mark)) + line
		}
	}
	return lines
}

// cutCells is the beginning of a line of at most width cells.
func cutCells(text string, width int) string { return ansi.Truncate(text, max(width, 0), "…") }
