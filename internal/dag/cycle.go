package dag

import (
	"cmp"
	"slices"
)

// Cycles lists cycles so that every node that lies on any cycle lies on a listed one. Each begins with its smallest node
// and ends with it again; none is longer than needed; the list is sorted and the same however the graph was built.
func (g *Graph[K]) Cycles() [][]K {
	var cycles [][]K
	for _, part := range g.components() {
		inside := make(map[K]bool, len(part))
		for _, n := range part {
			inside[n] = true
		}
		covered := map[K]bool{}
		slices.Sort(part)
		for _, n := range part {
			if covered[n] {
				continue
			}
			path := g.shortest(n, inside)
			if path == nil {
				continue
			}
			for _, m := range path {
				covered[m] = true
			}
			cycles = append(cycles, rotate(path))
		}
	}
	slices.SortFunc(cycles, slices.Compare)
	return slices.CompactFunc(cycles, slices.Equal)
}

// rotate turns a ring of nodes so that the smallest is first, and closes it.
func rotate[K cmp.Ordered](ring []K) []K {
	at := slices.Index(ring, slices.Min(ring))
	out := append(slices.Clone(ring[at:]), ring[:at]...)
	return append(out, out[0])
}

// shortest finds the shortest way from n back to n that stays inside, breadth first; nil = there is none.
func (g *Graph[K]) shortest(n K, inside map[K]bool) []K {
	from := map[K]K{}
	queue := []K{n}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, to := range g.needs[at] {
			if to == n {
				var ring []K
				for at != n {
					ring = append(ring, at)
					at = from[at]
				}
				ring = append(ring, n)
				slices.Reverse(ring)
				return ring
			}
			if _, seen := from[to]; !seen && inside[to] {
				from[to] = at
				queue = append(queue, to)
			}
		}
	}
	return nil
}

// components are the strongly connected parts (Tarjan's algorithm, with its own stack since a graph may be deep).
func (g *Graph[K]) components() [][]K {
	type frame struct {
		node K
		next int
	}
	var (
		index, low = map[K]int{}, map[K]int{}
		onStack    = map[K]bool{}
		stack      []K
		parts      [][]K
	)
	for _, root := range g.Nodes() {
		if _, seen := index[root]; seen {
			continue
		}
		var frames []frame
		push := func(n K) {
			index[n], low[n] = len(index), len(index)
			stack, onStack[n] = append(stack, n), true
			frames = append(frames, frame{node: n})
		}
		push(root)
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.next < len(g.needs[f.node]) {
				to := g.needs[f.node][f.next]
				f.next++
				if _, seen := index[to]; !seen {
					push(to)
				} else if onStack[to] {
					low[f.node] = min(low[f.node], index[to])
				}
				continue
			}
			n := f.node
			if low[n] == index[n] {
				at := slices.Index(stack, n)
				part := slices.Clone(stack[at:])
				stack = stack[:at]
				for _, m := range part {
					onStack[m] = false
				}
				parts = append(parts, part)
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].node
				low[up] = min(low[up], low[n])
			}
		}
	}
	return parts
}
