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
	in := flag.String("in", "", "run the one benchmark that -only names, with the programs in this folder (internal)")
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
	work := func() error { return run(ctx, *rounds, *only) }
	if *in != "" {
		work = func() error { return one(ctx, *rounds, *only, *in) }
	}
	if err := work(); err != nil {
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

// benchmarks are all of them, in the order of the table.
func benchmarks() []benchmark {
	return []benchmark{
		{"start", start}, {"one-shot", oneShot}, {"turns", fiftyTurns}, {"validate", validate}, {"agents", manyAgents}, {"clients", clients}, {"servers", servers},
		{"children", children}, {"crowd", crowd}, {"reload", reload}, {"chat", chat}, {"frames", frames}, {"jobs", jobs},
	}
}

// binaries are the programs that are measured, in a folder.
func binaries(dir string) (swarmrun, bare string) {
	return filepath.Join(dir, "swarmrun"), filepath.Join(dir, "bare")
}

// run builds the programs and starts a process for each benchmark: Linux counts the memory of who starts a program as the
// program's own peak, so that who measures must be small.
func run(ctx context.Context, rounds int, only string) error {
	dir, err := os.MkdirTemp("", "swarmrun-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	swarmrun, bare := binaries(dir)
	for _, build := range [][]string{
		{"make", "build", "BIN=" + swarmrun}, {"go", "build", "-trimpath", "-ldflags=-s -w", "-o", bare, "./internal/bench/bare"},
	} {
		cmd := exec.CommandContext(ctx, build[0], build[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(build, " "), err, text)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Println("| what | swarmrun | baseline | ratio | bar |\n|---|---|---|---|---|")
	for _, m := range benchmarks() {
		if !strings.Contains(m.name, only) {
			continue
		}
		cmd := exec.CommandContext(ctx, self, "-rounds", fmt.Sprint(rounds), "-only", m.name, "-in", dir)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// one prints the rows of a benchmark.
func one(ctx context.Context, rounds int, name, dir string) error {
	b := &bench{dir: dir, rounds: rounds}
	b.swarmrun, b.bare = binaries(dir)
	for _, m := range benchmarks() {
		if m.name != name {
			continue
		}
		rows, err := m.run(ctx, b)
		if err != nil {
			return err
		}
		for _, r := range rows {
			fmt.Printf("| %s | %s | %s | %s | %s |\n", r.name, r.ours, r.baseline, r.ratio, r.bar)
		}
	}
	return nil
}
