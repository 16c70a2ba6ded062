package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// launchingKind is what a launching process cannot change any more once it runs.
type launchingKind struct {
	path string // the program
	user bool   // it is in a user namespace of its own
}

// link is what this process has with a launching one about a command.
type link struct {
	to      *launching
	waiting *waiting      // where that waits for the next command; nil = nowhere
	started chan struct{} // closed when the command has started, or will not
	over    chan struct{} // closed at the end of the answers
	first   launch.Answer // read after started
	last    launch.Answer // read after over

	mu   sync.Mutex
	left bool // the process is no longer this command's
}

// newLink has a command started with these streams, which stay the caller's.
func (l Launcher) newLink(streams [3]*os.File, policy launch.Policy) (*link, error) {
	var message bytes.Buffer
	if err := policy.Send(&message); err != nil {
		return nil, err
	}
	to, err := l.launching(launchingKind{l.Path, policy.User}, streams)
	if err != nil {
		return nil, err
	}
	k := &link{to: to, waiting: l.waiting(), started: make(chan struct{}), over: make(chan struct{})}
	go func() { _, _ = to.conn.Write(message.Bytes()) }() // a process that is gone says so by its end
	go k.listen()
	return k, nil
}

// waiting is where processes wait for this Launcher's commands; nil = nowhere. In mode Off commands start directly, and a server
// is no reason to have another kind of process wait than they need.
func (l Launcher) waiting() *waiting {
	if l.Children == nil || l.Mode == Off {
		return nil
	}
	return &l.Children.waiting
}

// launching is a launching process that has the streams: one that waits, or else a new one.
func (l Launcher) launching(kind launchingKind, streams [3]*os.File) (*launching, error) {
	if w := l.waiting(); w != nil {
		for p := w.take(kind); p != nil; p = w.take(kind) {
			if p.hand(streams) == nil {
				return p, nil
			}
			p.drop() // it ended this moment; nothing has begun
		}
	}
	p, err := newLaunching(kind)
	if err != nil && kind.user {
		err = unable{err}
	}
	if err != nil {
		return nil, err
	}
	if err := p.hand(streams); err != nil {
		p.drop()
		return nil, fmt.Errorf("socket of a command: %w", err)
	}
	return p, nil
}

func (k *link) listen() {
	defer close(k.over)
	defer k.leave()
	if k.first.Receive(k.to.conn) != nil {
		k.first.Error = "the process that confines the command ended early: " + k.to.fate()
	}
	close(k.started)
	k.last = k.first
	if k.first.Error == "" && k.last.Receive(k.to.conn) != nil {
		k.last.Error = "the process that looks after the command ended early: " + k.to.fate()
	}
}

// leave has the launching process wait for another command, if it is free for one; else it ends.
func (k *link) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left || !k.last.Free || k.waiting == nil || !k.waiting.put(k.to) {
		k.to.conn.Close()
	}
	k.left = true
}

// end asks the launching process to end the command, and itself.
func (k *link) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.left {
		k.left = true
		_ = k.to.conn.CloseWrite()
	}
}

// fate is how a process has ended that speaks no more.
func (p *launching) fate() string {
	p.conn.Close()
	<-p.gone
	return p.cmd.ProcessState.String()
}

// outcome is how the command ended, after the launching process has.
func (k *link) outcome() (exit int, signal string, err error) {
	<-k.over
	switch {
	case k.last.Error != "":
		return -1, "", fault(&k.last)
	case k.last.Signal != 0:
		return -1, signalName(syscall.Signal(k.last.Signal)), nil
	}
	return k.last.Exit, "", nil
}

// fault is an answer's error.
func fault(a *launch.Answer) error {
	if a.Unable {
		return unable{errors.New(a.Error)}
	}
	return errors.New(a.Error)
}
