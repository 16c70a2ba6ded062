package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// ErrTimeout is why a command was ended that ran longer than its Timeout.
var ErrTimeout = errors.New("time limit")

// Limits of a command.
const (
	// DefaultTimeout holds where a Command has none.
	DefaultTimeout = 120 * time.Second
	// DefaultKeep is how many bytes of each stream are kept: half from the head, half from the tail.
	DefaultKeep = 1 << 20
)

const (
	drainGrace = 200 * time.Millisecond // for streams that a grandchild holds when the command has ended
	termGrace  = 300 * time.Millisecond // between TERM and KILL
	killGrace  = 200 * time.Millisecond // for the kernel to end what got KILL
	linkGrace  = 400 * time.Millisecond // for the launching process to kill what did not end at TERM
	pollEvery  = 5 * time.Millisecond
)

// Command is what to start.
type Command struct {
	Argv    []string          // the program, looked up in the child's PATH, and its arguments
	Dir     string            // working directory; required, absolute
	Env     map[string]string // variables besides the allow list
	Stdin   []byte            // what the child reads; nil = nothing
	Timeout time.Duration     // 0 = DefaultTimeout
	Keep    int               // bytes kept of each stream; 0 = DefaultKeep
	Cache   string            // XDG_CACHE_HOME; "" = none
	Access  Access            // what it may do
}

// Output is what a command did.
type Output struct {
	Stdout, Stderr Stream
	Exit           int    // exit code; -1 when a signal ended it
	Signal         string // name of that signal, such as SIGKILL
	Duration       time.Duration
}

// Run starts a command and waits for it. It returns within a second of the time limit, of ctx's end or of Children.Close,
// with ErrTimeout, ctx's cause or ErrClosed as the error and what was written so far. A program that does not exist or
// cannot start is an error too; an exit code other than 0 is none.
func (l Launcher) Run(ctx context.Context, c Command) (Output, error) {
	if err := l.permits(c.Access); err != nil {
		return Output{Exit: -1}, err
	}
	if err := context.Cause(ctx); err != nil {
		return Output{Exit: -1}, err
	}
	asked, done, err := l.Children.add()
	if err != nil {
		return Output{Exit: -1}, err
	}
	defer done()
	var out Output
	err = l.counting(func(k Kernel) (err error) {
		out, err = l.run(ctx, c, k, asked)
		return err
	})
	return out, err
}

func (l Launcher) run(ctx context.Context, c Command, k Kernel, asked <-chan struct{}) (Output, error) {
	tmp, err := os.MkdirTemp("", "swarmrun-")
	if err != nil {
		return Output{Exit: -1}, fmt.Errorf("temporary folder of a command: %w", err)
	}
	defer RemoveAll(tmp)
	child, err := l.start(c, tmp, k)
	if err != nil {
		return Output{Exit: -1}, err
	}
	limit := c.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	return child.wait(ctx, asked, limit)
}

// child is a command.
type child struct {
	cmd            *exec.Cmd      // nil where it starts through a launching process
	policy         *launch.Policy // what that is told
	link           *link          // to that, once it is asked
	streams        [3]*os.File    // the command's ends
	began          time.Time
	stdout, stderr *reader
	stdin          *os.File      // our end; nil = none
	exited         chan struct{} // the command itself has ended
}

func (l Launcher) start(c Command, tmp string, k Kernel) (*child, error) {
	ch, err := l.command(c, tmp, l.Mode != Off, k)
	if err != nil {
		return nil, err
	}
	if err = ch.connect(c); err == nil {
		err = l.begin(ch)
	}
	closeAll(ch.streams[:])
	if err != nil {
		ch.disconnect()
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	ch.stdout.begin()
	ch.stderr.begin()
	if ch.stdin != nil {
		go ch.feed(c.Stdin)
	}
	return ch, nil
}

// connect makes the pipes. They are ours, so that Wait waits for the command alone and not for whoever inherited them.
func (ch *child) connect(c Command) (err error) {
	keep := c.Keep
	if keep <= 0 {
		keep = DefaultKeep
	}
	for i, r := range []**reader{&ch.stdout, &ch.stderr} {
		file, theirs, err := os.Pipe()
		if err != nil {
			return err
		}
		*r, ch.streams[1+i] = newReader(file, keep), theirs
	}
	if c.Stdin == nil {
		ch.streams[0], err = os.Open(os.DevNull)
	} else {
		ch.streams[0], ch.stdin, err = os.Pipe()
	}
	return err
}

func (ch *child) disconnect() {
	for _, r := range []*reader{ch.stdout, ch.stderr} {
		if r != nil {
			r.file.Close()
		}
	}
	if ch.stdin != nil {
		ch.stdin.Close()
	}
}

// feed writes stdin. A child that does not read all of it is no fault.
func (ch *child) feed(b []byte) {
	_, _ = ch.stdin.Write(b)
	ch.stdin.Close()
}

// wait is the life of a child: until it ends or is ended, then its group is ended and its streams are closed.
func (ch *child) wait(ctx context.Context, asked <-chan struct{}, limit time.Duration) (Output, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var err error
	select {
	case <-ch.exited:
		ch.settled(drainGrace)
	case <-timer.C:
		err = fmt.Errorf("%w of %s reached", ErrTimeout, limit)
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-asked:
		err = ErrClosed
	}
	ch.end()
	out := Output{Exit: -1, Duration: time.Since(ch.began)}
	if ch.stdin != nil {
		ch.stdin.Close()
	}
	out.Stdout, out.Stderr = ch.stdout.finish(), ch.stderr.finish()
	select {
	case <-ch.exited:
		exit, signal, fault := ch.outcome()
		if out.Exit, out.Signal = exit, signal; err == nil {
			err = fault
		}
	default: // the kernel holds it; Wait goes on in its goroutine
	}
	return out, err
}

// end ends the group: TERM, a moment later KILL. A group that is gone already costs nothing.
func (ch *child) end() {
	if ch.link != nil {
		ch.endLinked(termGrace)
		return
	}
	pid := ch.pid()
	if !signalGroup(pid, term) {
		return
	}
	if ch.settled(termGrace) && vanished(pid, termGrace) {
		return
	}
	signalGroup(pid, kill)
	ch.settled(killGrace)
}

// vanished waits until nobody of a group is left. Its members are not our children, so there is nothing but asking.
func vanished(pid int, grace time.Duration) bool {
	for end := time.Now().Add(grace); groupAlive(pid); time.Sleep(pollEvery) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// settled waits until the command has ended and nobody holds its streams.
func (ch *child) settled(grace time.Duration) bool {
	t := time.NewTimer(grace)
	defer t.Stop()
	for _, c := range []<-chan struct{}{ch.exited, ch.stdout.done, ch.stderr.done} {
		select {
		case <-c:
		case <-t.C:
			return false
		}
	}
	return true
}
