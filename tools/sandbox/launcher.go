package sandbox

import (
	"errors"
	"sync"
)

// Mode is whether children must be confined by the kernel.
type Mode string

// The modes. The zero Mode is Auto.
const (
	Auto    Mode = "auto"    // confine where it is possible, say once what holds
	Require Mode = "require" // refuse to start where it is not possible
	Off     Mode = "off"
)

// ErrUnconfined is why nothing starts in mode Require.
var ErrUnconfined = errors.New("sandbox.mode is require, and this system cannot do all that is asked for; set it to auto to go without what is missing")

// ErrClosed is why nothing starts after Children.Close.
var ErrClosed = errors.New("the program is ending; no command is started")

// ErrNotFound is why a program that the child's PATH does not have is not started.
var ErrNotFound = errors.New("the program is not installed, or not in PATH")

// Launcher is how children start. It is a value that main hands in. The zero Launcher starts children directly, with the
// environment of this process as the source of the allow list.
type Launcher struct {
	// Path is the program that confines a child and looks after it: this one, which knows how (package launch), or any other
	// that imports this package. "" = children start directly.
	Path     string
	Mode     Mode
	Env      []string        // names of more variables that children get
	Read     []string        // more paths that children may read
	Write    []string        // more paths that children may change
	Network  string          // none or host, for children that say nothing; "" = host
	Sockets  bool            // children may speak to daemons through socket files
	Environ  func() []string // the source of variables; nil = os.Environ
	Children *Children       // who ends them when the program ends; nil = nobody, and none waits
	Probe    *Probe          // what the system can do, once that was tried; nil = nobody remembers
	Tell     func(string)    // told once, in mode Auto, what does not hold; needs Probe
}

// Children are the processes that run, and those that wait to confine the next command. The zero Children is empty and ready,
// and safe for concurrent use.
type Children struct {
	mu      sync.Mutex
	closed  bool
	stops   map[*stop]struct{}
	gone    sync.WaitGroup
	waiting waiting
}

// stop ends one child when Children is closed.
type stop struct{ c chan struct{} }

// add registers a child; done takes it out again.
func (c *Children) add() (asked <-chan struct{}, done func(), err error) {
	if c == nil {
		return nil, func() {}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, ErrClosed
	}
	s := &stop{make(chan struct{})}
	if c.stops == nil {
		c.stops = map[*stop]struct{}{}
	}
	c.stops[s] = struct{}{}
	c.gone.Add(1)
	return s.c, func() {
		c.mu.Lock()
		delete(c.stops, s)
		c.mu.Unlock()
		c.gone.Done()
	}, nil
}

// Running is the number of children.
func (c *Children) Running() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.stops)
}

// Close ends all children and waits until they are gone, a second at most. Nothing starts afterwards.
func (c *Children) Close() error {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		for s := range c.stops {
			close(s.c)
		}
	}
	c.mu.Unlock()
	c.waiting.close()
	c.gone.Wait()
	return nil
}
