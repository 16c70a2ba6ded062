package providers_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/providers"
)

// side runs n calls side by side and waits for them.
func side(n int, f func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(f)
	}
	all.Wait()
}

func limited(o providers.LimitOptions) (providers.Policy, *providers.Limits) {
	l := providers.NewLimits()
	l.Set("openai", o)
	return exact(func(p *providers.Policy) { p.Limits = l }), l
}

func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, l := limited(providers.LimitOptions{Concurrency: 2})
		m := providers.Retry(r.server("A", stream(text("x"), "1s", stopped, marker)), p)
		most := make(chan int)
		go func() {
			n := 0
			for range 50 {
				time.Sleep(100 * time.Millisecond)
				n = max(n, l.State()[0].InFlight)
			}
			most <- n
		}()
		side(10, func() {
			if _, err := r.call(t.Context(), m, nil); err != nil {
				t.Error(err)
			}
		})
		if got := time.Since(r.start); got < 5*time.Second || got > 5100*time.Millisecond {
			t.Errorf("took %v", got)
		}
		if n := <-most; n != 2 {
			t.Errorf("%d in flight", n)
		}
		if s := l.State()[0]; s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("left over: %+v", s)
		}
	})
}

func TestConcurrencyWaitIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, l := limited(providers.LimitOptions{Concurrency: 1})
		m := providers.Retry(r.server("A", stream(text("x"), "10s", stopped, marker)), p)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		var all sync.WaitGroup
		all.Go(func() { _, _ = r.call(t.Context(), m, nil) })
		time.Sleep(time.Second)
		_, err := r.call(ctx, m, nil)
		if providers.KindOf(err) != providers.KindCancelled || time.Since(r.start) != 2*time.Second || len(r.log) != 1 {
			t.Errorf("%v after %v", err, time.Since(r.start))
		}
		all.Wait()
		if s := l.State()[0]; s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("left over: %+v", s)
		}
	})
}

func TestRequestsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, _ := limited(providers.LimitOptions{RequestsPerMinute: 60})
		m := providers.Retry(r.server("A", good()), p)
		side(8, func() { _, _ = r.call(t.Context(), m, nil) })
		want := []string{"A 0.0", "A 0.0", "A 0.0", "A 0.0", "A 0.0", "A 0.0", "A 1.0", "A 2.0"}
		if diff := cmp.Diff(want, r.log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, _ := limited(providers.LimitOptions{TokensPerMinute: 600})
		m := providers.Retry(r.server("A", good()), p) // each uses 15
		req := &providers.Request{MaxOutput: 600}
		for range 2 {
			if _, err := r.call(t.Context(), m, req); err != nil {
				t.Fatal(err)
			}
		}
		// The second passes when the bucket is full again: 15 were used, 10 come back each second.
		if diff := cmp.Diff([]string{"A 0.0", "A 1.5"}, r.log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestLimitWaitThatDoesNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, _ := limited(providers.LimitOptions{RequestsPerMinute: 1, BreakerFailures: 1, BreakerOpenFor: time.Hour})
		p.Deadline = 10 * time.Second
		m := providers.Retry(r.server("A", good()), p)
		if _, err := r.call(t.Context(), m, nil); err != nil {
			t.Fatal(err)
		}
		_, err := r.call(t.Context(), m, nil)
		if providers.KindOf(err) != providers.KindRateLimit || len(r.log) != 1 || time.Since(r.start) > time.Second {
			t.Errorf("%v, %v after %v", err, r.log, time.Since(r.start))
		}
		time.Sleep(2 * time.Minute)
		if _, err := r.call(t.Context(), m, nil); err != nil {
			t.Errorf("our own limit opened the breaker: %v", err)
		}
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, l := limited(providers.LimitOptions{BreakerFailures: 2, BreakerOpenFor: 30 * time.Second})
		m := providers.Fallback(p, r.server("A", status(503)), r.server("B", good()))
		for _, at := range []int{0, 1, 2, 35} {
			time.Sleep(time.Duration(at)*time.Second - time.Since(r.start))
			if _, err := r.call(t.Context(), m, nil); err != nil {
				t.Fatal(err)
			}
			if at == 2 {
				if diff := cmp.Diff([]string{"A"}, l.State()[0].Open); diff != "" {
					t.Errorf("open (-want +got):\n%s", diff)
				}
			}
		}
		want := []string{"A 0.0", "B 0.0", "A 1.0", "B 1.0", "B 2.0", "A 35.0", "B 35.0"}
		if diff := cmp.Diff(want, r.log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		skipped := 0
		for _, s := range r.told() {
			if s == "skipped A" {
				skipped++
			}
		}
		if skipped != 1 {
			t.Errorf("%d skips: %v", skipped, r.told())
		}
	})
}

func TestBreakerWaitsForTheProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, _ := limited(providers.LimitOptions{BreakerFailures: 1, BreakerOpenFor: 30 * time.Second})
		m := providers.Retry(r.server("A", status(503), good()), p)
		_, err := r.call(t.Context(), m, nil)
		if diff := cmp.Diff([]string{"A 0.0", "A 30.0"}, r.log); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestBreakerProbeBeyondTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, _ := limited(providers.LimitOptions{BreakerFailures: 1, BreakerOpenFor: time.Hour})
		m := providers.Retry(r.server("A", status(503), good()), p)
		for i := range 2 {
			_, err := r.call(t.Context(), m, nil)
			if providers.KindOf(err) != providers.KindServer || time.Since(r.start) != 0 || len(r.log) != 1 {
				t.Errorf("call %d: %v after %v, %v", i, err, time.Since(r.start), r.log)
			}
		}
	})
}

// One probe at a time, and a probe that says nothing leaves the breaker half open for the next.
func TestBreakerProbesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.done()
		p, _ := limited(providers.LimitOptions{BreakerFailures: 1, BreakerOpenFor: 10 * time.Second})
		m := providers.Fallback(p, r.server("A", status(503), stream("5s", text("x"), stopped, marker)), r.server("B", good()))
		_, _ = r.call(t.Context(), m, nil)
		time.Sleep(11 * time.Second)
		side(5, func() { _, _ = r.call(t.Context(), m, nil) })
		count := map[string]int{}
		for _, l := range r.log {
			count[l[:1]]++
		}
		if diff := cmp.Diff(map[string]int{"A": 2, "B": 5}, count); diff != "" {
			t.Errorf("%v (-want +got):\n%s", fmt.Sprint(r.log), diff)
		}
	})
}
