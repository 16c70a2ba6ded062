package dag

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// graph reads edges such as "a>b b>c d".
func graph(text string) *Graph[string] {
	var g Graph[string]
	for word := range strings.FieldsSeq(text) {
		if from, to, ok := strings.Cut(word, ">"); ok {
			g.Edge(from, to)
		} else {
			g.Node(word)
		}
	}
	return &g
}

func TestCycles(t *testing.T) {
	for _, tt := range []struct{ name, edges, want string }{
		{"none", "a>b b>c a>c", ""},
		{"self", "a>a", "a>a"},
		{"pair, smallest first", "b>a a>b", "a>b>a"},
		{"shortest through each", "a>b b>c c>a b>a", "a>b>a a>b>c>a"},
		{"two parts", "x>y y>x a>a", "a>a x>y>x"},
		{"tail is no part", "t>a a>b b>a b>u", "a>b>a"},
		{"diamond is fine", "a>b a>c b>d c>d", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, c := range graph(tt.edges).Cycles() {
				got = append(got, strings.Join(c, ">"))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	for _, tt := range []struct{ edges, want string }{
		{"", ""},
		{"c b a", "a b c"},
		{"a>c b>c a>b", "c b a"},
		{"z>a y>z", "a z y"},
	} {
		got, err := graph(tt.edges).Order()
		if err != nil {
			t.Errorf("%q: %v", tt.edges, err)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", tt.edges, diff)
		}
	}
	_, err := graph("a>b b>c c>b").Order()
	if c, ok := errors.AsType[*CycleError[string]](err); !ok || strings.Join(c.Path, ">") != "b>c>b" {
		t.Errorf("cycle: %v", err)
	}
	if err.Error() != "cycle: b → c → b" {
		t.Errorf("text: %s", err)
	}
}

func TestOrderIsTheSameHoweverBuilt(t *testing.T) {
	var edges [][2]int
	for i := range 200 {
		for range 3 {
			edges = append(edges, [2]int{i + 1 + rand.IntN(50), i})
		}
	}
	build := func() []int {
		var g Graph[int]
		rand.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		for _, e := range edges {
			g.Edge(e[0], e[1])
		}
		order, err := g.Order()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range edges {
			if slices.Index(order, e[0]) < slices.Index(order, e[1]) {
				t.Fatalf("%d comes before %d, which it needs", e[0], e[1])
			}
		}
		return order
	}
	if diff := cmp.Diff(build(), build()); diff != "" {
		t.Error(diff)
	}
}

func TestWalk(t *testing.T) {
	g := graph("d>b d>c b>a c>a e")
	var mu sync.Mutex
	var seen []string
	var now, most atomic.Int32
	err := g.Walk(t.Context(), 2, func(_ context.Context, n string) error {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		mu.Lock()
		defer mu.Unlock()
		for _, need := range g.Needs(n) {
			if !slices.Contains(seen, need) {
				t.Errorf("%s before %s", n, need)
			}
		}
		seen = append(seen, n)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, seen); diff != "" {
		t.Error(diff)
	}
	if most.Load() > 2 {
		t.Errorf("%d visits at a time", most.Load())
	}
	if err := new(Graph[int]).Walk(t.Context(), 4, nil); err != nil {
		t.Errorf("empty: %v", err)
	}
}

func TestWalkStopsAtAnError(t *testing.T) {
	boom := errors.New("boom")
	var after atomic.Int32
	err := graph("c>b b>a").Walk(t.Context(), 1, func(_ context.Context, n string) error {
		if n == "a" {
			return fmt.Errorf("visit: %w", boom)
		}
		after.Add(1)
		return nil
	})
	if !errors.Is(err, boom) || after.Load() != 0 {
		t.Errorf("err %v, %d visits after it", err, after.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := graph("a").Walk(ctx, 1, func(context.Context, string) error { return boom }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, ok := errors.AsType[*CycleError[string]](graph("a>a").Walk(t.Context(), 1, nil)); !ok {
		t.Error("a cycle was walked")
	}
}
