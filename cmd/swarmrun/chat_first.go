package main

import (
	"os"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// firstPicture draws a screen before bubbletea does: that one waits for its clock, and draws while the workspace is loaded beside
// it. What is typed meanwhile waits in the terminal. leave goes back to what was there before.
func (s *chatScreen) firstPicture(stdout any) (leave func()) {
	out, ok := stdout.(*os.File)
	if !ok || runtime.GOOS == "windows" { // whose console knows no sequences before bubbletea has asked for them
		return func() {}
	}
	if w, h, err := term.GetSize(int(out.Fd())); err == nil && w > 0 && h > 0 {
		s.size(w, h)
	}
	lines, x, y := s.lines()
	_, _ = out.WriteString(ansi.SetModeAltScreenSaveCursor + strings.Join(lines, "\r\n") + ansi.CursorPosition(x+1, y+1))
	return func() { _, _ = out.WriteString(ansi.ResetModeAltScreenSaveCursor) }
}
