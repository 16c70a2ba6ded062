package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/loader/standard"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/session"
)

// manyAgents is 500 runs side by side in one process against a server with latency.
func manyAgents(ctx context.Context, b *bench) ([]row, error) {
	const agents, turns, latency = 500, 10, 50 * time.Millisecond
	file := filepath.Join(b.dir, "data.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("a line of the file\n", 60)), 0o644); err != nil {
		return nil, err
	}
	srv, err := startServer(turns, file, latency)
	if err != nil {
		return nil, err
	}
	defer srv.close()
	dir, err := b.workspace(srv.url)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	n := strconv.Itoa(agents)
	ours, bare, err := pair(ctx, max(3, b.rounds/5), []string{self, "-swarm", n, dir, file}, []string{b.bare, srv.url, file, n})
	if err != nil {
		return nil, err
	}
	return []row{
		{"500 agents, 10 turns each, 50 ms latency", ms(ours.wall), ms(bare.wall), ratio(ours.wall, bare.wall), "2"},
		{"… CPU time", ms(ours.cpu), ms(bare.cpu), ratio(ours.cpu, bare.cpu), ""},
		{"… peak memory", mib(ours.rss), mib(bare.rss), "", "200 MiB"},
	}, nil
}

// swarm is the child process of manyAgents: n runs at once on one graph, each with a session on disk.
func swarm(ctx context.Context, n int, dir, file string) error {
	live, err := loader.Open(ctx, dir, &loader.Options{Env: standard.Environment()})
	if err != nil {
		return err
	}
	defer live.Close()
	r := runner.New(live, &runner.Options{Sessions: session.NewDir(filepath.Join(dir, ".swarmrun", "sessions"))})
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			_, errs[i] = r.Do(ctx, runner.Request{Target: "reader", Input: "Read " + file}, nil)
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
	}
	return nil
}
