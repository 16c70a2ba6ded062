package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	stderrKept = 4 << 10                // of what a Process says on stderr, the tail
	stdinGrace = 2 * time.Second        // between the end of stdin and TERM
	askedGrace = 100 * time.Millisecond // the same when the program ends
	groupGrace = 500 * time.Millisecond // between TERM and KILL
)

// Process is a child that runs until it is closed: a server on stdin and stdout. Make one with Launcher.Start; it is safe for
// concurrent use.
type Process struct {
	child  *child
	tmp    string
	stdin  *os.File
	stdout *os.File
	stderr *tail
	asked  <-chan struct{}
	done   chan struct{}
	err    error // how it ended; read after done

	once    sync.Once
	closing chan struct{} // Close was called
}

// Start starts a command that stays. ctx bounds the start, not the life: a process ends by itself, by Close or by
// Children.Close. Stdin, Timeout and Keep of the command do not count.
func (l Launcher) Start(ctx context.Context, c Command) (*Process, error) {
	if err := l.permits(c.Access); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	asked, done, err := l.Children.add()
	if err != nil {
		return nil, err
	}
	var p *Process
	err = l.counting(func(k Kernel) (err error) {
		p, err = l.process(ctx, c, k, asked)
		return err
	})
	if err != nil {
		done()
		return nil, err
	}
	go p.live(done)
	return p, nil
}

func (l Launcher) process(ctx context.Context, c Command, k Kernel, asked <-chan struct{}) (*Process, error) {
	tmp, err := os.MkdirTemp("", "swarmrun-")
	if err != nil {
		return nil, fmt.Errorf("temporary folder of a command: %w", err)
	}
	p := &Process{tmp: tmp, asked: asked, done: make(chan struct{}), closing: make(chan struct{}), stderr: &tail{max: stderrKept}}
	if err := p.start(ctx, l, c, k); err != nil {
		RemoveAll(tmp)
		return nil, err
	}
	return p, nil
}

func (p *Process) start(ctx context.Context, l Launcher, c Command, k Kernel) error {
	ch, err := l.command(c, p.tmp, true, k)
	if err != nil {
		return err
	}
	if ch.policy != nil {
		ch.policy.Grace = int(groupGrace.Milliseconds())
	}
	p.child = ch
	var stderr *os.File
	ch.streams[0], p.stdin, err = os.Pipe()
	for i, ours := range []**os.File{&p.stdout, &stderr} {
		if err == nil {
			*ours, ch.streams[1+i], err = os.Pipe()
		}
	}
	if err == nil {
		err = l.begin(ch)
	}
	closeAll(ch.streams[:])
	if err != nil {
		closeAll([]*os.File{p.stdin, p.stdout, stderr})
		return fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	p.stderr.begin(stderr)
	return p.await(ctx)
}

// await waits until the launching process has started the command, if there is one.
func (p *Process) await(ctx context.Context) error {
	k := p.child.link
	if k == nil {
		return nil
	}
	var err error
	select {
	case <-k.started:
		if k.first.Error == "" {
			return nil
		}
		err = fault(&k.first)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.child.endLinked(groupGrace)
	p.stdin.Close()
	p.stdout.Close()
	p.stderr.finish(drainGrace)
	return err
}

// live is the life of a process: until it has ended, by itself or as asked, and nobody of its group is left.
func (p *Process) live(done func()) {
	defer done()
	grace := stdinGrace
	select {
	case <-p.child.exited:
	case <-p.closing:
	case <-p.asked:
		grace = askedGrace
	}
	p.stdin.Close()
	select {
	case <-p.child.exited:
	case <-time.After(grace):
	}
	p.end()
	select {
	case <-p.child.exited:
		exit, signal, err := p.child.outcome()
		switch {
		case err != nil:
			p.err = err
		case signal != "":
			p.err = fmt.Errorf("ended by %s", signal)
		case exit != 0:
			p.err = fmt.Errorf("ended with exit code %d", exit)
		}
	default: // the kernel holds it; Wait goes on in its goroutine
		p.err = fmt.Errorf("process %d does not end", p.child.pid())
	}
	p.stderr.finish(drainGrace)
	RemoveAll(p.tmp)
	close(p.done)
}

// end ends the group: TERM, a moment later KILL.
func (p *Process) end() {
	if p.child.link != nil {
		p.child.endLinked(groupGrace)
		return
	}
	pid := p.child.pid()
	if signalGroup(pid, term) && !vanished(pid, groupGrace) {
		signalGroup(pid, kill)
	}
	select { // the group is gone a moment before reap has said so
	case <-p.child.exited:
	case <-time.After(killGrace):
	}
}

// Stdin is what the process reads.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is what the process writes. It ends when everybody who holds the stream has ended, or with Close.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Stderr is the last of what the process wrote there, whole lines where it has some.
func (p *Process) Stderr() string { return p.stderr.String() }

// Done is closed when the process and its group are gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err tells how the process ended, once Done is closed; nil is an exit code of 0.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Close ends the process and returns when it is gone: stdin is closed, 2 s later its group gets TERM, 0.5 s later KILL. How
// it ended is Err's to tell; Close itself does not fail.
func (p *Process) Close() error {
	p.once.Do(func() { close(p.closing) })
	<-p.done
	p.stdout.Close() // not before: whoever reads may want what is left
	return nil
}
