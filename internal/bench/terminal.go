package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// terminal is a program in a terminal of script's.
type terminal struct {
	cmd    *exec.Cmd
	in     io.WriteCloser // open, as a person's is
	out    io.Reader
	seen   []byte // all that it wrote
	looked int    // of that
}

func openTerminal(ctx context.Context, command string) (*terminal, error) {
	cmd := exec.CommandContext(ctx, "script", "-qfc", command, os.DevNull)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &terminal{cmd: cmd, in: in, out: out}, cmd.Start()
}

// until reads until a text was written that had not been looked at before.
func (t *terminal) until(text string) error {
	piece := make([]byte, 4096)
	for {
		if i := bytes.Index(t.seen[t.looked:], []byte(text)); i >= 0 {
			t.looked += i + len(text)
			return nil
		}
		t.looked = max(t.looked, len(t.seen)-len(text))
		n, err := t.out.Read(piece)
		t.seen = append(t.seen, piece[:n]...)
		if err != nil {
			return fmt.Errorf("no %q: %w", text, err)
		}
	}
}

// frames counts how often the screen was drawn: the cursor is hidden meanwhile.
func (t *terminal) frames() int { return bytes.Count(t.seen, []byte("\x1b[?25l")) }

// close ends the program.
func (t *terminal) close() {
	_ = t.cmd.Process.Kill()
	_ = t.in.Close()
	_, _ = io.Copy(io.Discard, t.out)
	_ = t.cmd.Wait() // it was ended
}
