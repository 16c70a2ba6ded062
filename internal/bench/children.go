package main

import (
	"context"
	"os/exec"
	"slices"
	"time"

	"github.com/swarmrun/swarmrun/tools/sandbox"
	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// children is what a command costs that a hook or Bash starts: directly, and confined by the kernel, against its bare start.
func children(ctx context.Context, b *bench) ([]row, error) {
	argv := []string{"/bin/sh", "-c", "true"}
	command := sandbox.Command{Argv: argv, Dir: b.dir, Access: sandbox.Access{Read: []string{b.dir}, Write: []string{b.dir}}}
	confined := sandbox.Launcher{Path: b.swarmrun, Probe: &sandbox.Probe{}}
	ways := []func() error{
		func() error { return exec.CommandContext(ctx, argv[0], argv[1:]...).Run() },
		func() error { _, err := (sandbox.Launcher{Mode: sandbox.Off}).Run(ctx, command); return err },
		func() error { _, err := confined.Run(ctx, command); return err },
		func() error { // fails at once: nobody tells it a policy
			copied := exec.CommandContext(ctx, b.swarmrun, launch.Arg)
			copied.Env = []string{"GOMAXPROCS=1"} // as the sandbox starts it
			_ = copied.Run()
			return nil
		},
	}
	times := make([][]time.Duration, len(ways))
	for round := range b.rounds + 1 {
		for i, way := range ways { // in turn: what else the machine does hits all of them
			began := time.Now()
			if err := way(); err != nil {
				return nil, err
			}
			if round > 0 { // the first one reads the programs from the disk, and tries out what the kernel can do
				times[i] = append(times[i], time.Since(began))
			}
		}
	}
	m := make([]time.Duration, len(ways))
	for i, t := range times {
		slices.Sort(t)
		m[i] = t[len(t)/2]
	}
	return []row{
		{"a command without the sandbox", ms(m[1]), ms(m[0]), ms(m[1] - m[0]), "2 ms more"},
		{"… in the sandbox", ms(m[2]), ms(m[0]), ms(m[2] - m[0]), "15 ms more"},
		{"… of which the start of the copy", ms(m[3]), "", "", ""},
	}, nil
}
