package runner

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/agents/hook"
	"github.com/swarmrun/swarmrun/providers"
)

// aside are the hooks of an agent that run on beside it.
type aside struct {
	mu     sync.Mutex
	wg     sync.WaitGroup
	ended  []heard
	cancel []context.CancelFunc
}

// heard is what came of a hook that nobody waited for.
type heard struct {
	ev   hook.Event
	name string
	res  hook.Result
}

// asideHost is the run around hooks, with a place for those that run on.
type asideHost struct {
	host
	begin func(ev hook.Event, name string, run func(ctx context.Context) hook.Result)
}

// Aside starts a hook. It ends with its time limit, or a little after the run.
func (h asideHost) Aside(ev hook.Event, name string, run func(ctx context.Context) hook.Result) {
	h.begin(ev, name, run)
}

// hookHost is the host of hooks that begin now.
func (x *exchange) hookHost(ctx context.Context) hook.Host {
	if !x.hooks.Aside() {
		return host{x}
	}
	a := &x.aside
	return asideHost{host{x}, func(ev hook.Event, name string, run func(ctx context.Context) hook.Result) {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		a.mu.Lock()
		a.cancel = append(a.cancel, cancel)
		a.mu.Unlock()
		a.wg.Go(func() {
			res := run(ctx)
			a.mu.Lock()
			defer a.mu.Unlock()
			a.ended = append(a.ended, heard{ev, name, res})
		})
	}}
}

// news is what hooks said that nobody waited for, as a step keeps it.
type news struct {
	Texts   []string `json:"texts,omitempty"`
	Wake    []string `json:"wake,omitempty"` // what they object to
	Notices []string `json:"notices,omitempty"`
}

// hearAside takes what such hooks have said by now. Nothing is waited for.
func (x *exchange) hearAside(ctx context.Context, step string) (news, *failure) {
	var n news
	if !x.hooks.Aside() {
		return n, nil
	}
	err := x.now(ctx, step, &n, func(context.Context) error {
		n = x.tellAside()
		return nil
	})
	if err != nil {
		return n, broken(err)
	}
	x.notice(n.Notices)
	return n, nil
}

// tellAside tells of the hooks that ended, and collects what they said.
func (x *exchange) tellAside() (n news) {
	x.aside.mu.Lock()
	ended := x.aside.ended
	x.aside.ended = nil
	x.aside.mu.Unlock()
	for _, h := range ended {
		x.tellHook(h.ev)(h.name, h.res)
		n.Texts, n.Notices = append(n.Texts, h.res.Context...), append(n.Notices, h.res.Notices...)
		if h.res.Decision == hook.Halt && strings.TrimSpace(h.res.Message) != "" {
			n.Wake = append(n.Wake, h.res.Message)
		}
	}
	return n
}

// wake puts what hooks beside the agent object to before it, where it would stop. False: there is nothing.
func (x *exchange) wake(ctx context.Context) (bool, *failure) {
	n, f := x.hearAside(ctx, x.step("woken"))
	x.added = append(x.added, n.Texts...)
	if f != nil || len(n.Wake) == 0 || x.wakes >= stopLimit {
		return false, f
	}
	x.wakes++
	x.ask(providers.UserText(x.preview(strings.Join(n.Wake, "\n\n"), x.step("wake"))), "follow_up", "")
	return true, nil
}

// endAside gives hooks that run on a little time, ends them and tells what came of them.
func (x *exchange) endAside() {
	x.aside.mu.Lock()
	cancels := slices.Clone(x.aside.cancel)
	x.aside.mu.Unlock()
	if len(cancels) == 0 {
		return
	}
	late := time.AfterFunc(cutHooks, func() {
		for _, cancel := range cancels {
			cancel()
		}
	})
	x.aside.wg.Wait()
	late.Stop()
	for _, cancel := range cancels {
		cancel()
	}
	x.notice(x.tellAside().Notices)
}
