package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// figure is what the testing package says of one benchmark.
type figure struct {
	time   time.Duration
	allocs int
}

// clients is what the layers of a model call cost, by the benchmarks of the package that has the client.
func clients(ctx context.Context, _ *bench) ([]row, error) {
	got, err := measured(ctx, "./providers/openai", "Stream10k", "Bare10k", "OneShot", "Chain")
	if err != nil {
		return nil, err
	}
	stream, bare, once, chain := got["Stream10k"], got["Bare10k"], got["OneShot"], got["Chain"]
	return []row{
		{"Retry, Fallback and Scope around a call", us(chain.time), us(once.time), us(chain.time - once.time), "50 µs more"},
		{"… allocations", strconv.Itoa(chain.allocs), strconv.Itoa(once.allocs), strconv.Itoa(chain.allocs - once.allocs), "60 more"},
		{"stream of 10,000 chunks", ms(stream.time), ms(bare.time), ratio(stream.time, bare.time), "2"},
	}, nil
}

// crowd is the check of 5,000 files as people publish them, by the benchmark of the package that makes them.
func crowd(ctx context.Context, _ *bench) ([]row, error) {
	got, err := measured(ctx, "./loader", "Crowd")
	if err != nil {
		return nil, err
	}
	return []row{
		{"check of 5,000 real-looking files, on one processor", ms(got["Crowd"].time), "", "", "1 s"},
		{"… allocations", strconv.Itoa(got["Crowd"].allocs), "", "", ""},
	}, nil
}

// measured runs benchmarks of a package on one processor, and keeps the quickest of three runs of each: what else the machine
// does only ever adds.
func measured(ctx context.Context, pkg string, names ...string) (map[string]figure, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-bench=^Benchmark("+strings.Join(names, "|")+")$",
		"-benchmem", "-cpu=1", "-count=3", "-benchtime=300ms", pkg)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", pkg, err, out)
	}
	got := map[string]figure{}
	for line := range strings.Lines(string(out)) {
		var name string
		var n, bytes, allocs int
		var ns float64
		if _, err := fmt.Sscanf(line, "Benchmark%s %d %g ns/op %d B/op %d allocs/op", &name, &n, &ns, &bytes, &allocs); err != nil {
			continue
		}
		f := figure{time.Duration(ns), allocs}
		if old, seen := got[name]; !seen || f.time < old.time {
			got[name] = f
		}
	}
	for _, name := range names {
		if _, ok := got[name]; !ok {
			return nil, fmt.Errorf("%s has no benchmark %s:\n%s", pkg, name, out)
		}
	}
	return got, nil
}

func us(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1000) }
