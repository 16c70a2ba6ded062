package main

import (
	"context"
	"os/exec"
	"slices"
	"time"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// children is what a command costs that a hook or Bash starts: directly, and confined by the kernel, against its bare start.
// The first command of a program also finds out what the kernel can do; later ones find a process that waits for them.
func children(ctx context.Context, b *bench) ([]row, error) {
	argv := []string{"/bin/sh", "-c", "true"}
	command := sandbox.Command{Argv: argv, Dir: b.dir, Access: sandbox.Access{Read: []string{b.dir}, Write: []string{b.dir}}}
	fresh := func() sandbox.Launcher {
		return sandbox.Launcher{Path: b.swarmrun, Probe: &sandbox.Probe{}, Children: &sandbox.Children{}}
	}
	run := func(l sandbox.Launcher) error {
		_, err := l.Run(ctx, command)
		return err
	}
	used := fresh()
	defer used.Children.Close()
	ways := []func() (time.Duration, error){
		timed(func() error { return exec.CommandContext(ctx, argv[0], argv[1:]...).Run() }),
		timed(func() error { return run(sandbox.Launcher{Mode: sandbox.Off}) }),
		timed(func() error { return run(used) }),
		func() (time.Duration, error) {
			l := fresh()
			defer l.Children.Close()
			return timed(func() error { return run(l) })()
		},
	}
	times := make([][]time.Duration, len(ways))
	for round := range b.rounds + 1 {
		for i, way := range ways { // in turn: what else the machine does hits all of them
			took, err := way()
			if err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond) // a model takes longer; what comes after a command must not slow down the next one
			if round > 0 {                    // the first one reads the programs from the disk
				times[i] = append(times[i], took)
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
		{"… the first one of a program", ms(m[3]), ms(m[0]), ms(m[3] - m[0]), ""},
	}, nil
}

func timed(f func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		began := time.Now()
		err := f()
		return time.Since(began), err
	}
}
