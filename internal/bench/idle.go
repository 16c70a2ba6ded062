package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// idle is the share of a processor that `swarmrun dev` takes while nothing happens. It is counted from outside: a process that
// asks for its own count wakes up to do so, which was all that was ever counted.
func idle(ctx context.Context, b *bench, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.swarmrun, "-C", dir, "dev", "agent-7")
	in, err := cmd.StdinPipe() // open, as a person's is
	if err != nil {
		return "", err
	}
	defer in.Close()
	said, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // it was ended
	}()
	lines := bufio.NewReader(said)
	for line := ""; !strings.Contains(line, "every save is checked"); {
		if line, err = lines.ReadString('\n'); err != nil {
			return "", fmt.Errorf("dev ended: %w: %s", err, line)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	const settles, watched = time.Second, 5 * time.Second
	before, after := time.Duration(-1), time.Duration(0)
	for wait := settles; before != after && ctx.Err() == nil; { // until all folders are watched
		time.Sleep(wait)
		before = after
		if after, err = spent(cmd.Process.Pid); err != nil {
			return "not counted here", nil
		}
	}
	time.Sleep(watched)
	if after, err = spent(cmd.Process.Pid); err != nil {
		return "", err
	}
	return fmt.Sprintf("%.3f %%", 100*(after-before).Seconds()/watched.Seconds()), ctx.Err()
}
