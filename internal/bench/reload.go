package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/loader/standard"
)

// reload is what a save costs once it has settled, and what readers notice of reloads.
func reload(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	for _, n := range []int{1000, 10000} {
		dir, _, err := b.agentFiles(n)
		if err != nil {
			return nil, err
		}
		took, err := reloads(ctx, dir, max(5, b.rounds/2))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{fmt.Sprintf("one file of %d saved, until it is served", n), ms(took), "", "", map[int]string{1000: "30 ms", 10000: "100 ms"}[n]})
	}
	mean, err := readers(ctx, filepath.Join(b.dir, "agents-1000"))
	if err != nil {
		return nil, err
	}
	return append(rows, row{"`Acquire` of 32 readers while it reloads every 10 ms, mean of 1,000", us(mean), "", "", "1 µs"}), nil
}

// reloads is the median of reloading after one file changed.
func reloads(ctx context.Context, dir string, rounds int) (time.Duration, error) {
	live, err := loader.Open(ctx, dir, &loader.Options{Env: standard.Environment()})
	if err != nil {
		return 0, err
	}
	defer live.Close()
	file := filepath.Join(dir, "agents", "agent-7.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	time.Sleep(200 * time.Millisecond) // files that were just written are read again, since they may change without a new time
	if _, err := live.Reload(ctx); err != nil {
		return 0, err
	}
	var times []time.Duration
	for i := range rounds {
		if err := os.WriteFile(file, fmt.Appendf(text, "Save %d.\n", i), 0o644); err != nil {
			return 0, err
		}
		began := time.Now()
		c, err := live.Reload(ctx)
		if err != nil || !c.Published {
			return 0, fmt.Errorf("the save was not published: %w", err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// readers is the mean time of an Acquire, with its release, of 32 readers over a second of reloads.
func readers(ctx context.Context, dir string) (time.Duration, error) {
	live, err := loader.Open(ctx, dir, &loader.Options{Env: standard.Environment()})
	if err != nil {
		return 0, err
	}
	defer live.Close()
	const batch = 1000
	var stop atomic.Bool
	var batches, nanos atomic.Int64
	var all sync.WaitGroup
	fault := make(chan error, 33)
	for range 32 {
		all.Go(func() {
			for !stop.Load() {
				began := time.Now()
				for range batch {
					_, release, err := live.Acquire()
					if err != nil {
						fault <- err
						return
					}
					release()
				}
				nanos.Add(time.Since(began).Nanoseconds())
				batches.Add(1)
				time.Sleep(time.Millisecond) // readers that do something else as well
			}
		})
	}
	file := filepath.Join(dir, "agents", "agent-7.md")
	text, err := os.ReadFile(file)
	for i := 0; err == nil && i < 50; i++ {
		if err = os.WriteFile(file, fmt.Appendf(text, "Reader save %d.\n", i), 0o644); err == nil {
			_, err = live.Reload(ctx)
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop.Store(true)
	all.Wait()
	select {
	case err = <-fault:
	default:
	}
	if n := batches.Load(); n > 0 && err == nil {
		return time.Duration(nanos.Load() / n / batch), nil
	}
	return 0, err
}
