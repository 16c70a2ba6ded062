package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// link is our side of a launching process: the policy goes there on fd 3, the answers come on fd 5, and fd 4 ends when we do,
// however that happens.
type link struct {
	policy  launch.Policy
	in      *os.File
	life    *os.File
	out     *os.File
	theirs  []*os.File
	started chan struct{} // closed when the command has started, or will not
	over    chan struct{} // closed at the end of the answers
	first   launch.Answer // read after started
	last    launch.Answer // read after over
}

func newLink(p launch.Policy) (*link, error) {
	k := &link{policy: p, started: make(chan struct{}), over: make(chan struct{})}
	var ours []*os.File
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(ours, k.theirs...))
			return nil, fmt.Errorf("pipe of a command: %w", err)
		}
		if i == 2 {
			r, w = w, r
		}
		ours, k.theirs = append(ours, w), append(k.theirs, r)
	}
	k.in, k.life, k.out = ours[0], ours[1], ours[2]
	return k, nil
}

// drop gives up a link whose process did not start.
func (k *link) drop() { closeAll(append(k.theirs, k.in, k.life, k.out)) }

// begin tells the policy and listens.
func (k *link) begin() {
	closeAll(k.theirs)
	go func() {
		_ = k.policy.Send(k.in) // a process that is gone says so by its end
		k.in.Close()
	}()
	go func() {
		defer close(k.over)
		defer k.out.Close()
		if k.first.Receive(k.out) != nil {
			k.first.Error = "the process that confines the command ended early"
		}
		close(k.started)
		k.last = k.first
		if k.first.Error == "" && k.last.Receive(k.out) != nil {
			k.last.Error = "the process that looks after the command ended early"
		}
	}()
}

// outcome is how the command ended, after the launching process has.
func (k *link) outcome() (exit int, signal string, err error) {
	<-k.over
	switch {
	case k.last.Error != "":
		return -1, "", errors.New(k.last.Error)
	case k.last.Signal != 0:
		return -1, signalName(syscall.Signal(k.last.Signal)), nil
	}
	return k.last.Exit, "", nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
