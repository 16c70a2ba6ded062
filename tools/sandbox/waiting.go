package sandbox

import (
	"slices"
	"sync"
	"time"
)

const (
	waitFor  = time.Minute // how long a launching process waits for a command
	waitMost = 8           // how many of them wait; a model's calls run side by side
)

// waiting are launching processes that wait for a command: those that have looked after one before of which nobody is left, and
// one that Launcher.Ahead has started. So the next command does not wait for the start of a program.
type waiting struct {
	mu     sync.Mutex
	idle   []*waiter
	closed bool
	starts sync.WaitGroup
}

type waiter struct {
	*launching
	expires *time.Timer
}

// Ahead starts in the background the process that the first command would wait for. It is for whoever knows that a command may
// come, and does nothing where one waits already.
func (l Launcher) Ahead() {
	w := l.waiting()
	if w == nil || l.Path == "" || !launches || !w.mu.TryLock() { // else somebody is about it
		return
	}
	if len(w.idle) > 0 || w.closed {
		w.mu.Unlock()
		return
	}
	kind := launchingKind{l.Path, l.assumed().user}
	w.starts.Go(func() {
		defer w.mu.Unlock()                           // a command that comes now waits for this one
		if p, err := newLaunching(kind); err == nil { // else the next command says why
			w.keep(p)
		}
	})
}

// take is who waits for a command of this kind; nil = nobody.
func (w *waiting) take(kind launchingKind) *launching {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.idle) - 1; i >= 0; i-- {
		p := w.idle[i]
		if p.kind != kind {
			continue
		}
		w.idle = slices.Delete(w.idle, i, i+1)
		p.expires.Stop()
		select {
		case <-p.gone:
			p.drop()
		default:
			return p.launching
		}
	}
	return nil
}

// put has a launching process wait, unless enough of them do.
func (w *waiting) put(p *launching) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.idle) >= waitMost {
		return false
	}
	w.keep(p)
	return true
}

func (w *waiting) keep(p *launching) {
	one := &waiter{launching: p}
	one.expires = time.AfterFunc(waitFor, func() { w.expire(one) })
	w.idle = append(w.idle, one)
}

func (w *waiting) expire(p *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.idle, p); i >= 0 {
		w.idle = slices.Delete(w.idle, i, i+1)
		p.drop()
	}
}

// close ends them all. Nobody waits afterwards. Their own end, which takes a moment, is not waited for when the program ends.
func (w *waiting) close() {
	w.mu.Lock()
	w.closed = true
	for _, p := range w.idle {
		p.expires.Stop()
		p.dismiss()
	}
	w.idle = nil
	w.mu.Unlock()
	w.starts.Wait()
}
