//go:build unix

package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestFirstPicture has the line to type in, in the place of the cursor, and no more lines than there is room for.
func TestFirstPicture(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := newChatScreen(false)
	s.loading, s.target = true, "lead"
	leave := s.firstPicture(w)
	leave()
	w.Close()
	shown, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	text, entered := strings.CutPrefix(string(shown), ansi.SetModeAltScreenSaveCursor)
	text, left := strings.CutSuffix(text, ansi.ResetModeAltScreenSaveCursor)
	lines := strings.Split(text, "\r\n")
	if !entered || !left || len(lines) != 24 {
		t.Fatalf("%d lines: %q", len(lines), shown)
	}
	_, x, y := s.lines()
	if input := lines[y]; !strings.HasPrefix(input, "› ") || !strings.HasSuffix(text, ansi.CursorPosition(x+1, y+1)) {
		t.Errorf("the cursor is at column %d of %q: %q", x, input, text)
	}
	if !strings.Contains(text, "loading") {
		t.Errorf("it does not say that the workspace is being loaded: %q", text)
	}
}
