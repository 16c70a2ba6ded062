package main

import (
	"context"
	"os"
)

func main() {
	ctx, stop := signals(context.Background(), os.Exit)
	a := &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		environ: os.Environ(),
	}
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
