package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/runner/event"
)

// spared ends the turn of a chat in place of the program, once.
func (a *app) spared() bool {
	q := a.interrupt.Load()
	return q != nil && q.Interrupt()
}

// errInterrupt is the cause of a context that SIGINT cancelled; that of SIGTERM is runner.ErrTerminated.
var errInterrupt = errors.New("interrupted")

// signals lets spare have a SIGINT that it says yes to; else it cancels the context at the first SIGINT or SIGTERM and calls
// exit at the second, with 130 or 143, until the program ends. The cause of the context says which signal it was.
func signals(parent context.Context, exit func(int), spare func() bool) context.Context {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go func() {
		for n := 0; ; n++ {
			s := <-ch
			if s == os.Interrupt && n == 0 && spare() {
				n--
				continue
			}
			cause, code := errInterrupt, event.ExitCode(event.KindCancelled)
			if s == syscall.SIGTERM {
				cause, code = runner.ErrTerminated, event.ExitTerminated
			}
			if n > 0 {
				exit(code)
			}
			cancel(cause)
		}
	}()
	return ctx
}
