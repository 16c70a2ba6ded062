package session

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// Everybody who waits gets an answer after what they wrote was synced, alone or together.
func TestGroup(t *testing.T) {
	for _, n := range []int{1, crowd - 1, 50} {
		var g group
		var alone atomic.Int64
		var wg sync.WaitGroup
		for range n {
			f, err := os.Create(filepath.Join(t.TempDir(), "f"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			wg.Go(func() {
				for range 20 {
					if err := g.sync(f, func() error { alone.Add(1); return f.Sync() }); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if got := alone.Load(); n == 1 && got != 20 {
			t.Errorf("one alone: %d syncs, want 20", got)
		}
		g.mu.Lock()
		left := len(g.waiting)
		g.mu.Unlock()
		if left != 0 {
			t.Errorf("%d wait for ever", left)
		}
	}
}

// A fault reaches the one who waits, and nobody else.
func TestGroupFault(t *testing.T) {
	var g group
	fault := errors.New("disk gone")
	if err := g.sync(nil, func() error { return fault }); !errors.Is(err, fault) {
		t.Errorf("got %v, want %v", err, fault)
	}
	if err := g.sync(nil, func() error { return nil }); err != nil {
		t.Errorf("got %v after somebody else's fault", err)
	}
}

// Many waiting syncs of closed files fail all, whichever of them is asked.
func TestGroupTogether(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	round := make([]waiter, crowd)
	for i := range round {
		round[i] = waiter{f, f.Sync, make(chan error, 1)}
	}
	serve(round)
	for i, w := range round {
		if err := <-w.done; err == nil {
			t.Errorf("waiter %d of a closed file got no error", i)
		}
	}
}
