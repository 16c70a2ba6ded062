package dag

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Graph is nodes with edges to the nodes they need. The zero Graph is empty and ready; it is not safe for concurrent
// changes.
type Graph[K cmp.Ordered] struct{ needs map[K][]K }

// Node adds a node; one that is there already stays as it is.
func (g *Graph[K]) Node(n K) {
	if g.needs == nil {
		g.needs = map[K][]K{}
	}
	if _, ok := g.needs[n]; !ok {
		g.needs[n] = nil
	}
}

// Edge says that from needs to, and adds both nodes. A repeated edge counts once.
func (g *Graph[K]) Edge(from, to K) {
	g.Node(from)
	g.Node(to)
	if i, found := slices.BinarySearch(g.needs[from], to); !found {
		g.needs[from] = slices.Insert(g.needs[from], i, to)
	}
}

// Nodes are all nodes, sorted.
func (g *Graph[K]) Nodes() []K { return slices.Sorted(maps.Keys(g.needs)) }

// Needs are the nodes that n has edges to, sorted.
func (g *Graph[K]) Needs(n K) []K { return slices.Clone(g.needs[n]) }

// CycleError is the error of an order that does not exist. Path begins and ends with the same node.
type CycleError[K cmp.Ordered] struct{ Path []K }

// Error shows the path.
func (e *CycleError[K]) Error() string {
	names := make([]string, len(e.Path))
	for i, n := range e.Path {
		names[i] = fmt.Sprint(n)
	}
	return "cycle: " + strings.Join(names, " → ")
}

// Order lists every node after all that it needs; among those that are ready the smallest comes first, so the order is
// the same however the graph was built. A cycle is a *CycleError.
func (g *Graph[K]) Order() ([]K, error) {
	order := make([]K, 0, len(g.needs))
	pending, neededBy := g.pending()
	var ready []K
	for n, k := range pending {
		if k == 0 {
			ready = append(ready, n)
		}
	}
	slices.SortFunc(ready, func(a, b K) int { return cmp.Compare(b, a) })
	for len(ready) > 0 {
		n := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, n)
		for _, m := range neededBy[n] {
			if pending[m]--; pending[m] == 0 {
				i, _ := slices.BinarySearchFunc(ready, m, func(a, b K) int { return cmp.Compare(b, a) })
				ready = slices.Insert(ready, i, m)
			}
		}
	}
	if len(order) < len(g.needs) {
		return nil, &CycleError[K]{Path: g.Cycles()[0]}
	}
	return order, nil
}

// pending counts for each node what it still needs, and lists who needs it.
func (g *Graph[K]) pending() (map[K]int, map[K][]K) {
	count, neededBy := make(map[K]int, len(g.needs)), map[K][]K{}
	for n, needs := range g.needs {
		count[n] = len(needs)
		for _, m := range needs {
			neededBy[m] = append(neededBy[m], n)
		}
	}
	return count, neededBy
}

// Walk calls visit once for each node, after visit has returned for all that the node needs, with at most parallel calls
// (at least one) at a time. The first error cancels ctx for the others and is returned when they have ended. A cycle is a
// *CycleError, and nothing is visited.
func (g *Graph[K]) Walk(ctx context.Context, parallel int, visit func(context.Context, K) error) error {
	order, err := g.Order()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pending, neededBy := g.pending()
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		ready = make(chan K, len(order))
		left  = len(order)
	)
	for _, n := range order {
		if pending[n] == 0 {
			ready <- n
		}
	}
	if left == 0 {
		close(ready)
	}
	done := func(n K) {
		mu.Lock()
		defer mu.Unlock()
		for _, m := range neededBy[n] {
			if pending[m]--; pending[m] == 0 {
				ready <- m
			}
		}
		if left--; left == 0 {
			close(ready)
		}
	}
	for range min(max(parallel, 1), max(len(order), 1)) {
		wg.Go(func() {
			for n := range ready {
				if ctx.Err() == nil {
					if err := visit(ctx, n); err != nil {
						cancel(err)
					}
				}
				done(n)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
