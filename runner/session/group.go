package session

import (
	"os"
	"sync"
)

// crowd is how many syncs that wait at the same moment are cheaper as one of the whole file system.
const crowd = 4

// group makes one sync of many: agents that work side by side each wait for their own session, and a disk that is asked
// five hundred times does five hundred times the work. The zero group is ready; all its files lie in one file system.
type group struct {
	mu      sync.Mutex
	waiting []waiter
	working bool
}

// waiter is somebody who must not go on before what is written to f is on disk.
type waiter struct {
	f     *os.File
	alone func() error // syncs f and nothing else
	done  chan error
}

// sync returns when what was written to f before is on disk.
func (g *group) sync(f *os.File, alone func() error) error {
	w := waiter{f, alone, make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	if !g.working {
		g.working = true
		go g.work()
	}
	g.mu.Unlock()
	return <-w.done
}

// work serves whoever waits, those who came meanwhile in the next round, until nobody does.
func (g *group) work() {
	for {
		g.mu.Lock()
		round := g.waiting
		g.waiting = nil
		g.working = len(round) > 0
		g.mu.Unlock()
		if len(round) == 0 {
			return
		}
		serve(round)
	}
}

func serve(round []waiter) {
	if len(round) >= crowd {
		if all, err := syncFileSystem(round[0].f); all {
			for _, w := range round {
				w.done <- err
			}
			return
		}
	}
	var each sync.WaitGroup
	for _, w := range round {
		each.Go(func() { w.done <- w.alone() })
	}
	each.Wait()
}
