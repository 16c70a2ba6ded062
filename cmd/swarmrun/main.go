package main

import (
	"context"
	"os"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// launchArg is the hidden command that confines a child of this program; see sandbox.Launch.
const launchArg = "__launch"

func main() {
	if len(os.Args) == 2 && os.Args[1] == launchArg {
		os.Exit(sandbox.Launch())
	}
	private()
	a := &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		environ: os.Environ(),
	}
	ctx, stop := signals(context.Background(), func(code int) {
		a.children.Close()
		os.Exit(code)
	})
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
