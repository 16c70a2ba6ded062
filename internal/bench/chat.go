package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// chat is the time until its screen is there, in a workspace of 1,000 agents, which it loads beside that, against that of
// `swarmrun version`. The terminal is script's, of util-linux.
func chat(ctx context.Context, b *bench) ([]row, error) {
	if _, err := exec.LookPath("script"); err != nil {
		return []row{{"first picture of `chat`", "script is not here", "", "", "60 ms"}}, nil
	}
	dir, _, err := b.agentFiles(1000)
	if err != nil {
		return nil, err
	}
	commands := [2]string{b.swarmrun + " -C " + filepath.Clean(dir) + " chat agent-7", b.swarmrun + " version; printf ›"}
	var times [2][]time.Duration
	rounds := max(b.rounds/2, 5)
	for range rounds {
		for i, command := range commands {
			began := time.Now()
			if err := firstBytes(ctx, command); err != nil {
				return nil, err
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	ours, start := times[0][rounds/2], times[1][rounds/2]
	return []row{{"first picture of `chat`, 1000 agents", ms(ours), ms(start), ratio(ours, start), "60 ms"}}, nil
}

// firstBytes runs a command in a terminal until it has shown the mark of a prompt.
func firstBytes(ctx context.Context, command string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "script", "-qfc", command, os.DevNull)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	in, err := cmd.StdinPipe() // open, as a person's is
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var seen bytes.Buffer
	piece := make([]byte, 4096)
	for !bytes.Contains(seen.Bytes(), []byte("›")) {
		n, err := out.Read(piece)
		seen.Write(piece[:n])
		if err != nil {
			cancel()
			return errors.Join(err, cmd.Wait())
		}
	}
	cancel()
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // it was ended
	return nil
}
