package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	private()
	signal.Ignore(syscall.SIGPIPE) // a broken stdout pipe is an error of the write
	a := &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		environ: os.Environ(),
	}
	a.begin = func(ctx context.Context) context.Context {
		return signals(ctx, func(code int) {
			a.children.Close()
			os.Exit(code)
		}, a.spared)
	}
	os.Exit(a.run(context.Background(), os.Args[1:]))
}
