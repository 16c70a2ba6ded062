package main

import (
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// screen is stdout and stderr as a person sees them: on a terminal both share one cursor, so the live line must be gone
// before anything else is written. It is safe for concurrent use.
type screen struct {
	mu             sync.Mutex
	stdout, stderr io.Writer
	live           bool // stderr is a terminal: there may be a live line
	shared         bool // stdout is that terminal too
	color          bool
	shown          bool // a live line is on the screen
	mid            bool // the last text on stdout did not end its line
}

func newScreen(a *app) *screen {
	live := terminal(a.stderr) && a.env("TERM") != "dumb"
	return &screen{
		stdout: a.stdout, stderr: a.stderr, live: live, shared: live && terminal(a.stdout), color: a.color(a.stderr),
	}
}

// out writes a piece of the answer.
func (s *screen) out(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	s.mid = !strings.HasSuffix(text, "\n")
	_, err := io.WriteString(s.stdout, text)
	return err
}

// line writes one line to stderr.
func (s *screen) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	s.breakLine()
	io.WriteString(s.stderr, text+"\n")
}

// aside lets f write lines to stderr. On a nil screen nothing else is written meanwhile.
func (s *screen) aside(f func()) {
	if s == nil {
		f()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	s.breakLine()
	f()
}

// status shows the live line that text makes for a width, in place of the one before. While an answer is in the middle of a
// line there is none.
func (s *screen) status(text func(width int) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live || s.shared && s.mid {
		return
	}
	s.shown = true
	// Three columns stay free: the terminal's ^C would wrap a full line, which then could not be wiped.
	io.WriteString(s.stderr, "\r\x1b[K"+text(s.width()-3))
}

// clear takes the live line away.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
}

// newline ends a line that the answer left open.
func (s *screen) newline() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mid {
		return nil
	}
	s.wipe()
	s.mid = false
	_, err := io.WriteString(s.stdout, "\n")
	return err
}

func (s *screen) wipe() {
	if s.shown {
		io.WriteString(s.stderr, "\r\x1b[K")
		s.shown = false
	}
}

// breakLine makes room for a line of stderr on a terminal that an answer is in the middle of.
func (s *screen) breakLine() {
	if s.shared && s.mid {
		io.WriteString(s.stderr, "\n")
		s.mid = false
	}
}

func (s *screen) width() int {
	if f, ok := s.stderr.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 10 {
			return w
		}
	}
	return 80
}

// style wraps text in an SGR sequence where colour is wanted.
func (s *screen) style(code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// cut shortens a line to n characters. Sequences of style count as characters; lines that are cut have none.
func cut(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:max(0, n-1)]) + "…"
}
