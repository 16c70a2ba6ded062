package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 20, "runs of each side of a comparison")
	only := flag.String("only", "", "run the benchmarks whose name holds this text")
	child := flag.Int("swarm", 0, "run so many agents in this process (internal: arguments are workspace and file)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *child > 0 {
		if err := swarm(ctx, *child, flag.Arg(0), flag.Arg(1)); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(ctx, *rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// row is one line of the table.
type row struct{ name, ours, baseline, ratio, bar string }

// benchmark is one figure, or several that come from the same runs.
type benchmark struct {
	name string
	run  func(ctx context.Context, b *bench) ([]row, error)
}

// bench is what the benchmarks share.
type bench struct {
	swarmrun, bare string // binaries
	dir            string // scratch
	rounds         int
}

func run(ctx context.Context, rounds int, only string) error {
	dir, err := os.MkdirTemp("", "swarmrun-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{swarmrun: filepath.Join(dir, "swarmrun"), bare: filepath.Join(dir, "bare"), dir: dir, rounds: rounds}
	for out, pkg := range map[string]string{b.swarmrun: "./cmd/swarmrun", b.bare: "./internal/bench/bare"} {
		if err := build(ctx, out, pkg); err != nil {
			return err
		}
	}
	fmt.Println("| what | swarmrun | baseline | ratio | bar |\n|---|---|---|---|---|")
	for _, m := range []benchmark{
		{"start", start}, {"one-shot", oneShot}, {"turns", fiftyTurns}, {"validate", validate}, {"agents", manyAgents}, {"clients", clients}, {"servers", servers},
		{"children", children}, {"crowd", crowd}, {"reload", reload}, {"chat", chat}, {"jobs", jobs},
	} {
		if !strings.Contains(m.name, only) {
			continue
		}
		rows, err := m.run(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, r := range rows {
			fmt.Printf("| %s | %s | %s | %s | %s |\n", r.name, r.ours, r.baseline, r.ratio, r.bar)
		}
	}
	return nil
}

func build(ctx context.Context, out, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, text)
	}
	return nil
}
