package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/runner/event"
)

// TestStatusInNarrowLine: what an agent does is cut before its seconds, tokens and money are.
func TestStatusInNarrowLine(t *testing.T) {
	p := newProgress(&screen{stderr: &bytes.Buffer{}}, false)
	p.agent, p.doing, p.usage = "reviewer", "Bash "+strings.Repeat("x", 200), event.Usage{Usage: providers.Usage{Input: 1200, Output: 34}}
	for _, width := range []int{57, 77, 200} {
		got := p.status(width)
		if n := utf8.RuneCountInString(got); n > width {
			t.Errorf("%d characters for a width of %d: %q", n, width, got)
		}
		if !strings.HasSuffix(got, " · 0 s · 1,234 tokens · $0.0000") {
			t.Errorf("width %d: the end is missing: %q", width, got)
		}
	}
	if n := utf8.RuneCountInString(p.status(20)); n != 20 {
		t.Errorf("%d characters for a width of 20", n)
	}
}

// TestEdgesPassNodesBy: an edge that skips a column crosses it where no node is.
func TestEdgesPassNodesBy(t *testing.T) {
	p := picture{
		nodes: []loader.Node{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "m"}},
		edges: []loader.Edge{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "c", To: "m"}, {From: "a", To: "m"}, {From: "b", To: "m"}},
	}
	boxes, lanes := layout(p)
	if len(lanes) != 2 {
		t.Fatalf("%d lanes, want one each in the columns of b and c", len(lanes))
	}
	for key, l := range lanes {
		for _, b := range boxes {
			if b.column == key.column && b.y < l.m && l.m < b.y+boxHeight {
				t.Errorf("edges to %s run behind %s", key.to, b.ID)
			}
		}
	}
	at := map[string]*box{}
	for _, b := range boxes {
		at[b.ID] = b
	}
	path := curve(at["a"], at["m"], lanes)
	if got := strings.Count(path, "C"); got != 3 {
		t.Errorf("%d bends, want 3: %s", got, path)
	}
}
