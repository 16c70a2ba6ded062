package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTakeOpensNothing(t *testing.T) {
	var p Pool
	l := Take(&p, "k", func(context.Context) (int, func() error, error) {
		t.Error("opened without Get")
		return 0, nil, nil
	})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if n := p.Len(); n != 0 {
		t.Errorf("Len = %d after the last Close", n)
	}
}

func TestHoldersShareOne(t *testing.T) {
	var p Pool
	var opened, closed int
	open := func(context.Context) (*int, func() error, error) {
		opened++
		return new(int), func() error { closed++; return errors.New("bye") }, nil
	}
	a, b := Take(&p, "k", open), Take(&p, "k", open)
	va, err := a.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	vb, err := b.Get(t.Context())
	if err != nil || va != vb || opened != 1 {
		t.Fatalf("second holder: %v, same value %v, opened %d times", err, va == vb, opened)
	}
	if err := a.Close(); err != nil || closed != 0 {
		t.Fatalf("first Close: %v, closed %d times", err, closed)
	}
	if _, err := a.Get(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Get after Close: %v", err)
	}
	if err := b.Close(); err == nil || err.Error() != "bye" || closed != 1 {
		t.Errorf("last Close: %v, closed %d times", err, closed)
	}
	if err := b.Close(); err != nil || closed != 1 {
		t.Errorf("second Close of one lease: %v, closed %d times", err, closed)
	}
}

func TestFailedOpenIsTriedAgain(t *testing.T) {
	var p Pool
	n := 0
	l := Take(&p, "k", func(context.Context) (int, func() error, error) {
		if n++; n == 1 {
			return 0, nil, errors.New("not yet")
		}
		return n, nil, nil
	})
	if _, err := l.Get(t.Context()); err == nil || err.Error() != "not yet" {
		t.Fatalf("first Get: %v", err)
	}
	if v, err := l.Get(t.Context()); err != nil || v != 2 {
		t.Errorf("second Get = %d, %v", v, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpeningOutlivesItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool
		l := Take(&p, "k", func(ctx context.Context) (string, func() error, error) {
			select {
			case <-time.After(time.Minute):
				return "up", nil, nil
			case <-ctx.Done():
				return "", nil, ctx.Err()
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Get(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("impatient Get: %v", err)
		}
		start := time.Now()
		if v, err := l.Get(t.Context()); err != nil || v != "up" {
			t.Fatalf("patient Get = %q, %v", v, err)
		}
		if got := time.Since(start); got != 59*time.Second {
			t.Errorf("opened anew: waited %v", got)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestLastCloseEndsAnOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool
		l := Take(&p, "k", func(ctx context.Context) (int, func() error, error) {
			<-ctx.Done()
			return 0, nil, ctx.Err()
		})
		got := make(chan error)
		go func() { _, err := l.Get(t.Context()); got <- err }()
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("Get while closing: %v", err)
		}
	})
}

func TestSuccessorWaitsAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool
		var up atomic.Int32
		open := func(context.Context) (int, func() error, error) {
			if up.Add(1) != 1 {
				t.Error("two of a kind are open")
			}
			return 0, func() error { time.Sleep(time.Second); up.Add(-1); return nil }, nil
		}
		first := Take(&p, "k", open)
		if _, err := first.Get(t.Context()); err != nil {
			t.Fatal(err)
		}
		go first.Close()
		synctest.Wait()
		second := Take(&p, "k", open)
		start := time.Now()
		if _, err := second.Get(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("waited %v at the gate", got)
		}
		second.Close()
		if p.Len() != 0 {
			t.Errorf("Len = %d", p.Len())
		}
	})
}

func TestWrongTypeIsAnError(t *testing.T) {
	var p Pool
	a := Take(&p, "k", func(context.Context) (int, func() error, error) { return 1, nil, nil })
	b := Take(&p, "k", func(context.Context) (string, func() error, error) { return "", nil, nil })
	defer a.Close()
	defer b.Close()
	if _, err := a.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context()); err == nil {
		t.Error("a string lease got an int")
	}
}

// TestNeverTwoOfAKind lets many holders come and go; the race detector and the counts judge.
func TestNeverTwoOfAKind(t *testing.T) {
	var p Pool
	const keys = 3
	var up [keys]atomic.Int32
	var opened, closed atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 200 {
				k := rand.IntN(keys)
				l := Take(&p, fmt.Sprint(k), func(ctx context.Context) (int, func() error, error) {
					if rand.IntN(8) == 0 {
						return 0, nil, errors.New("refused")
					}
					if up[k].Add(1) != 1 {
						t.Errorf("two open under key %d", k)
					}
					opened.Add(1)
					return k, func() error { up[k].Add(-1); closed.Add(1); return nil }, nil
				})
				ctx, cancel := context.WithCancel(t.Context())
				if rand.IntN(4) == 0 {
					cancel()
				}
				if v, err := l.Get(ctx); err == nil && v != k {
					t.Errorf("Get = %d under key %d", v, k)
				}
				cancel()
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if opened.Load() != closed.Load() || p.Len() != 0 {
		t.Errorf("opened %d, closed %d, %d entries left", opened.Load(), closed.Load(), p.Len())
	}
}
