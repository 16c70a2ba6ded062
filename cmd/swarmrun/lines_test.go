package main

import (
	"slices"
	"strings"
	"testing"
)

// TestReadLines: no line is lost, however long it is and whatever ends it.
func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	lines := make(chan string, 8)
	readLines(t.Context(), strings.NewReader("one\r\n\n"+long+"\nlast"), lines)
	if got := slices.Collect(func(yield func(string) bool) {
		for l := range lines {
			if !yield(l) {
				return
			}
		}
	}); !slices.Equal(got, []string{"one", "", long, "last"}) {
		t.Errorf("%d lines", len(got))
	}
}
