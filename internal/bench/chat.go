package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// chat is the time until its screen is there, in a workspace of 1,000 agents, which it loads beside that, against that of
// `swarmrun help`. The terminal is script's, of util-linux.
func chat(ctx context.Context, b *bench) ([]row, error) {
	if _, err := exec.LookPath("script"); err != nil {
		return []row{{"first picture of `chat`", "script is not here", "", "", "60 ms"}}, nil
	}
	dir, _, err := b.agentFiles(1000)
	if err != nil {
		return nil, err
	}
	commands := [2]string{b.swarmrun + " -C " + filepath.Clean(dir) + " chat agent-7", b.swarmrun + " help >/dev/null; printf ›"}
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
	t, err := openTerminal(ctx, command)
	if err != nil {
		return err
	}
	defer t.close()
	return t.until("›")
}

// frames is how often a chat draws its screen while a model says 10,000 words in ten seconds, and how many of them the session
// has in the end.
func frames(ctx context.Context, b *bench) ([]row, error) {
	const words = 10_000
	if _, err := exec.LookPath("script"); err != nil {
		return []row{{"`chat` of 10,000 pieces in ten seconds, frames a second", "script is not here", "", "", "30"}}, nil
	}
	dir := filepath.Join(b.dir, "talker")
	var said strings.Builder
	for i := range words {
		fmt.Fprintf(&said, "word%d ", i)
		if i%40 == 39 {
			said.WriteString("\\n\\n")
		}
	}
	if err := writeFiles(dir, map[string]string{
		"agents/a.md":   "---\ndescription: Talks.\nmodel: script/m\ntools: []\n---\nTalk.\n",
		"models/m.yaml": "rules: [{reply: {chunk_delay: 1ms, text: \"" + said.String() + "\"}}]\n",
	}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	t, err := openTerminal(ctx, b.swarmrun+" -C "+dir+" chat a")
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.until("generation 1"); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(t.in, "go\r"); err != nil {
		return nil, err
	}
	if err := t.until("word0"); err != nil {
		return nil, err
	}
	began, before := time.Now(), t.frames()
	if err := t.until("1 turn"); err != nil {
		return nil, err
	}
	rate := float64(t.frames()-before) / time.Since(began).Seconds()
	sessions, err := filepath.Glob(filepath.Join(dir, ".swarmrun", "sessions", "*.jsonl"))
	if err != nil || len(sessions) != 1 {
		return nil, fmt.Errorf("%d sessions of one chat", len(sessions))
	}
	kept, err := os.ReadFile(sessions[0])
	has := 0
	for i := range words {
		if bytes.Contains(kept, fmt.Appendf(nil, "word%d ", i)) {
			has++
		}
	}
	return []row{
		{"`chat` of 10,000 pieces in ten seconds, frames a second", fmt.Sprintf("%.0f", rate), "", "", "30"},
		{"… pieces that its session has", fmt.Sprint(has), "", "", "10000"},
	}, err
}
