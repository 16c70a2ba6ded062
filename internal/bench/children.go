package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// children is what a command costs that a hook or Bash starts: directly, and confined by the kernel, against its bare start; what
// the hook of a run takes, which is the first command of the program; and what the whole run takes above one without it.
func children(ctx context.Context, b *bench) ([]row, error) {
	argv := []string{"/bin/sh", "-c", "true"}
	command := sandbox.Command{Argv: argv, Dir: b.dir, Access: sandbox.Access{Read: []string{b.dir}, Write: []string{b.dir}}}
	confined := sandbox.Launcher{Path: b.swarmrun, Probe: &sandbox.Probe{}, Children: &sandbox.Children{}}
	defer confined.Children.Close()
	plain, err := b.hooked("")
	if err != nil {
		return nil, err
	}
	hooked, err := b.hooked("---\nevent: run_start\nrun: \"true\"\n---\n")
	if err != nil {
		return nil, err
	}
	start := func(l sandbox.Launcher) func() error {
		return func() error { _, err := l.Run(ctx, command); return err }
	}
	m, err := inTurn(b.rounds, []func() error{
		func() error { return exec.CommandContext(ctx, argv[0], argv[1:]...).Run() },
		start(sandbox.Launcher{Mode: sandbox.Off}),
		start(confined),
		func() error { _, err := once(ctx, plain...); return err },
		func() error { _, err := once(ctx, hooked...); return err },
	})
	if err != nil {
		return nil, err
	}
	first, err := firstHook(ctx, b.rounds, hooked)
	if err != nil {
		return nil, err
	}
	bare, without := m[0], m[3]+m[0]
	return []row{
		{"a command without the sandbox", ms(m[1]), ms(bare), ms(m[1] - bare), "2 ms more"},
		{"… in the sandbox", ms(m[2]), ms(bare), ms(m[2] - bare), "15 ms more"},
		{"… the hook of a run, which is the first one", ms(first), ms(bare), ms(first - bare), "15 ms more"},
		{"… that run, above one without it and the bare start", ms(m[4]), ms(without), ms(m[4] - without), ""},
	}, nil
}

// firstHook is how long the hook of a run takes, as its event says.
func firstHook(ctx context.Context, rounds int, run []string) (time.Duration, error) {
	var times []time.Duration
	for range rounds {
		cmd := exec.CommandContext(ctx, run[0], append([]string{"-o", "jsonl"}, run[1:]...)...)
		out, err := cmd.Output()
		if err != nil {
			return 0, fmt.Errorf("%v: %w", run, err)
		}
		for line := range bytes.Lines(out) {
			var e struct {
				Type string
				MS   int64 `json:"duration_ms"`
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return 0, err
			}
			if e.Type == "hook_executed" {
				times = append(times, time.Duration(e.MS)*time.Millisecond)
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(times) != rounds {
		return 0, fmt.Errorf("%d hooks in %d runs", len(times), rounds)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// hooked writes an agent, with a hook or "", and gives the command line of a run.
func (b *bench) hooked(hook string) ([]string, error) {
	dir, err := os.MkdirTemp(b.dir, "hooked-")
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		"swarmrun.yaml": "version: 1\n",
		"agents/a.md":   "---\ndescription: Talks.\nmodel: script/m\ntools: []\n---\nTalk.\n",
		"models/m.yaml": "version: 1\nrules:\n  - name: talk\n    reply: {text: \"Done.\"}\n",
	}
	if hook != "" {
		files["hooks/h.md"] = hook
	}
	return []string{b.swarmrun, "-C", dir, "-q", "run", "a", "Talk to me"}, writeFiles(dir, files)
}

// inTurn does things one after the other, in many rounds, so that what else the machine does hits all of them, and gives the
// medians of their times.
func inTurn(rounds int, ways []func() error) ([]time.Duration, error) {
	times := make([][]time.Duration, len(ways))
	for round := range rounds + 1 {
		for i, way := range ways {
			began := time.Now()
			if err := way(); err != nil {
				return nil, err
			}
			took := time.Since(began)
			time.Sleep(50 * time.Millisecond) // a model takes longer; what comes after a command must not slow down the next one
			if round > 0 {                    // the first one reads the programs from the disk
				times[i] = append(times[i], took)
			}
		}
	}
	medians := make([]time.Duration, len(ways))
	for i, t := range times {
		slices.Sort(t)
		medians[i] = t[len(t)/2]
	}
	return medians, nil
}
