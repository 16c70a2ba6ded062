package main

import (
	"context"
	"os"
)

func main() {
	private()
	a := &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		environ: os.Environ(),
	}
	ctx := signals(context.Background(), func(code int) {
		a.children.Close()
		os.Exit(code)
	}, a.spared)
	os.Exit(a.run(ctx, os.Args[1:]))
}
