package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/loader/standard"
)

// reload is what a save costs once it has settled, what readers notice of reloads, and what watching costs.
func reload(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	for _, n := range []int{1000, 10000} {
		dir, _, err := b.agentFiles(n)
		if err != nil {
			return nil, err
		}
		save, err := saves(ctx, dir, max(10, b.rounds))
		if err != nil {
			return nil, err
		}
		rows = append(rows,
			row{fmt.Sprintf("one file of %d saved, from its settling until it is served", n), ms(save.wall), "", "", map[int]string{1000: "30 ms", 10000: "100 ms"}[n]},
			row{"… CPU time", ms(save.cpu), "", "", map[int]string{1000: "5 ms above parsing"}[n]})
	}
	dir := filepath.Join(b.dir, "agents-10000")
	share, err := idle(ctx, b, dir)
	if err != nil {
		return nil, err
	}
	held, err := watching(ctx, dir)
	if err != nil {
		return nil, err
	}
	mean, err := readers(ctx, filepath.Join(b.dir, "agents-1000"))
	if err != nil {
		return nil, err
	}
	return append(rows,
		row{"watching 10000 files for 5 s in which nothing happens, CPU", share, "", "", "0.0 %"},
		row{"… memory above that of the load", mib(held), "", "", "10 MiB"},
		row{"`Acquire` of 32 readers while it reloads every 10 ms, mean of 1,000", us(mean), "", "", "1 µs"}), nil
}

// quiet is how long the watcher waits for a save to settle.
const quiet = 100 * time.Millisecond

// watched opens a workspace and watches it until end.
func watched(ctx context.Context, dir string) (live *loader.Live, told <-chan agents.Change, end func(), err error) {
	live, err = loader.Open(ctx, dir, &loader.Options{Env: standard.Environment()})
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	changes, done := make(chan agents.Change, 1), make(chan error, 1)
	go func() { done <- live.Watch(ctx, func(c agents.Change) { changes <- c }, nil) }()
	return live, changes, func() { cancel(); <-done; _ = live.Close() }, nil
}

// settling is until all folders are watched.
const settling = 2 * time.Second

// watching is the memory that watching holds above that of the load.
func watching(ctx context.Context, dir string) (int64, error) {
	live, err := loader.Open(ctx, dir, &loader.Options{Env: standard.Environment()})
	if err != nil {
		return 0, err
	}
	before := resident()
	runtime.KeepAlive(live)
	if err := live.Close(); err != nil {
		return 0, err
	}
	_, _, end, err := watched(ctx, dir)
	if err != nil {
		return 0, err
	}
	defer end()
	time.Sleep(settling)
	return max(0, resident()-before), nil
}

// saves watches a workspace: the medians of a save, from its settling on.
func saves(ctx context.Context, dir string, rounds int) (sample, error) {
	_, told, end, err := watched(ctx, dir)
	if err != nil {
		return sample{}, err
	}
	defer end()
	time.Sleep(settling)
	file := filepath.Join(dir, "agents", "agent-7.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return sample{}, err
	}
	var all []sample
	for i := range rounds {
		spent, began := processTime(), time.Now()
		if err := os.WriteFile(file, fmt.Appendf(text, "Save %d.\n", i), 0o644); err != nil {
			return sample{}, err
		}
		if c := <-told; !c.Published {
			return sample{}, fmt.Errorf("the save was not published: %v", c.Diagnostics)
		}
		all = append(all, sample{wall: time.Since(began) - quiet, cpu: processTime() - spent})
	}
	return middle(all), nil
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
