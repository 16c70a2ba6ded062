package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
		m, idle, err := saves(ctx, dir, max(5, b.rounds/2))
		if err != nil {
			return nil, err
		}
		rows = append(rows,
			row{fmt.Sprintf("one file of %d saved, from its settling until it is served", n), ms(m.wall), "", "", map[int]string{1000: "30 ms", 10000: "100 ms"}[n]},
			row{"… CPU time", ms(m.cpu), "", "", map[int]string{1000: "5 ms above parsing"}[n]})
		if n == 10000 {
			rows = append(rows,
				row{"watching 10000 files for 5 s in which nothing happens, CPU", fmt.Sprintf("%.2f %%", 100*idle.cpu.Seconds()/idle.wall.Seconds()), "", "", "0.0 %"},
				row{"… memory above that of the load", mib(idle.rss), "", "", "10 MiB"})
		}
	}
	mean, err := readers(ctx, filepath.Join(b.dir, "agents-1000"))
	if err != nil {
		return nil, err
	}
	return append(rows, row{"`Acquire` of 32 readers while it reloads every 10 ms, mean of 1,000", us(mean), "", "", "1 µs"}), nil
}

// quiet is how long the watcher waits for a save to settle.
const quiet = 100 * time.Millisecond

// saves watches a workspace: the medians of a save, from its settling on, and what watching costs while nothing happens.
func saves(ctx context.Context, dir string, rounds int) (save, idle sample, err error) {
	live, err := loader.Open(ctx, dir, &loader.Options{Env: standard.Environment()})
	if err != nil {
		return save, idle, err
	}
	defer live.Close()
	before := resident()
	ctx, cancel := context.WithCancel(ctx)
	told, done := make(chan agents.Change, 1), make(chan error, 1)
	go func() { done <- live.Watch(ctx, func(c agents.Change) { told <- c }, nil) }()
	defer func() { cancel(); <-done }()
	time.Sleep(2 * time.Second) // until all folders are watched
	idle.rss = max(0, resident()-before)
	spent, began := processTime(), time.Now()
	time.Sleep(5 * time.Second)
	idle.wall, idle.cpu = time.Since(began), processTime()-spent
	file := filepath.Join(dir, "agents", "agent-7.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return save, idle, err
	}
	var all []sample
	for i := range rounds {
		spent, began := processTime(), time.Now()
		if err := os.WriteFile(file, fmt.Appendf(text, "Save %d.\n", i), 0o644); err != nil {
			return save, idle, err
		}
		if c := <-told; !c.Published {
			return save, idle, fmt.Errorf("the save was not published: %v", c.Diagnostics)
		}
		all = append(all, sample{wall: time.Since(began) - quiet, cpu: processTime() - spent})
	}
	return middle(all), idle, nil
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
