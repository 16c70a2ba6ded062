package loader

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config/diag"
)

// ErrClosed is the error of Acquire on a Live that was closed.
var ErrClosed = errors.New("loader: the workspace was closed")

// Live holds the current graph of a workspace and leases it. It is a runner.Source, safe for concurrent use.
type Live struct {
	current atomic.Pointer[generation]

	dir     string
	settled *settled

	mu   sync.Mutex // one load at a time
	last *sources   // of the last load, published or not

	lost bool // Watch told that the workspace cannot be read at all
}

// generation is a published graph. It closes with its last lease, once.
type generation struct {
	graph   *agents.Graph
	report  *Report
	sources *sources
	leases  *leases
}

func publish(l *loaded) *generation {
	return &generation{graph: l.graph, report: l.report, sources: l.sources, leases: newLeases(l.graph.Close)}
}

// Open loads a workspace. dir is its folder; "" looks upwards from the current one, as Root does. Definitions that are
// invalid are a *diag.ListError with all findings; with Options.Partial they are left out, and starting what needs them is
// refused. Nothing is opened before a run needs it: no network, no process, no key.
func Open(ctx context.Context, dir string, o *Options) (*Live, error) {
	settled := o.settle(os.Environ)
	got, err := load(ctx, dir, settled, 1)
	if err != nil {
		return nil, err
	}
	if got.graph == nil {
		return nil, &diag.ListError{List: got.report.Diagnostics}
	}
	settled.env.limit(got.report.Settings)
	l := &Live{dir: got.report.Root, settled: settled, last: got.sources}
	l.current.Store(publish(got))
	return l, nil
}

// Check loads a workspace and tells what it found, without publishing anything. An error means that there is no such
// folder, or that ctx ended; faults of the files are in the report.
func Check(ctx context.Context, dir string, o *Options) (*Report, error) {
	settled := o.settle(os.Environ)
	settled.brief = true
	got, err := inspect(ctx, dir, settled, nil, nil)
	if err != nil {
		return nil, err
	}
	return got.report, nil
}

// Acquire leases the current graph until release is called; calling it more than once does nothing.
func (l *Live) Acquire() (g *agents.Graph, release func(), err error) {
	for {
		cur := l.current.Load()
		if cur == nil {
			return nil, nil, ErrClosed
		}
		if s := cur.leases.claim(); s != nil {
			var given atomic.Bool
			return cur.graph, func() {
				if !given.Swap(true) {
					_ = cur.leases.give(s)
				}
			}, nil
		}
	}
}

// Report tells what the current graph was made of; nil after Close.
func (l *Live) Report() *Report {
	if cur := l.current.Load(); cur != nil {
		return cur.report
	}
	return nil
}

// Close ends the workspace: nothing can be acquired any more, and the graph closes with its last lease. A second Close does
// nothing.
func (l *Live) Close() error {
	if old := l.current.Swap(nil); old != nil {
		return old.leases.end()
	}
	return nil
}
