package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// sample is one run of a command.
type sample struct {
	wall time.Duration
	cpu  time.Duration // user and system: what a busy machine does not change much
	rss  int64         // peak resident memory, bytes
}

// once runs a command to its end.
func once(ctx context.Context, argv ...string) (sample, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	wall := time.Since(begin)
	if err != nil {
		return sample{}, fmt.Errorf("%v: %w\n%s", argv, err, out)
	}
	state := cmd.ProcessState
	return sample{wall: wall, cpu: state.UserTime() + state.SystemTime(), rss: peak(state)}, nil
}

// median runs a command and returns the medians.
func median(ctx context.Context, rounds int, argv ...string) (sample, error) {
	m, _, err := pair(ctx, rounds, argv, nil)
	return m, err
}

// pair alternates two commands, so that both meet the same weather, and returns the medians of each. An empty b is left out.
func pair(ctx context.Context, rounds int, a, b []string) (ma, mb sample, err error) {
	var as, bs []sample
	for i := range rounds + 1 {
		s, err := once(ctx, a...)
		if err != nil {
			return ma, mb, err
		}
		var t sample
		if len(b) > 0 {
			if t, err = once(ctx, b...); err != nil {
				return ma, mb, err
			}
		}
		if i > 0 { // the first run warms the caches
			as, bs = append(as, s), append(bs, t)
		}
	}
	return middle(as), middle(bs), nil
}

// resident is the memory that this process holds once garbage is collected and given back.
func resident() int64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

func middle(s []sample) sample {
	walls, cpus, rss := make([]time.Duration, len(s)), make([]time.Duration, len(s)), make([]int64, len(s))
	for i := range s {
		walls[i], cpus[i], rss[i] = s[i].wall, s[i].cpu, s[i].rss
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	slices.Sort(rss)
	return sample{walls[len(walls)/2], cpus[len(cpus)/2], rss[len(rss)/2]}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func ratio(a, b time.Duration) string { return fmt.Sprintf("%.2f", float64(a)/float64(b)) }
