package diag

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestClosest(t *testing.T) {
	keys := []string{"description", "model", "max_turns", "tools", "id", "disallowed_tools"}
	tests := []struct {
		name       string
		candidates []string
		want       string
	}{
		{"Raed", []string{"Grep", "Read", "Write"}, "Read"},
		{"read", []string{"Read"}, "Read"},
		{"maxTurns", keys, "max_turns"},
		{"max-turns", keys, "max_turns"},
		{"MaxTruns", keys, "max_turns"},
		{"modle", keys, "model"},
		{"tols", keys, "tools"},
		{"tolss", keys, ""},
		{"descripsion", keys, "description"},
		{"descrption", keys, "description"},
		{"desciptoin", keys, "description"},
		{"dsciptoin", keys, ""},
		{"ab", []string{"x", "abc", "b"}, "abc"},
		{"x", []string{"y"}, ""},
		{"tools", keys, ""},
		{"bat", []string{"cat", "bar"}, "bar"},
		{"größe", []string{"große"}, "große"},
		{"", keys, ""},
		{"anything", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Closest(tt.name, tt.candidates)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Closest(%q, %q) = %q, %t, want %q", tt.name, tt.candidates, got, ok, tt.want)
			}
		})
	}
}

// The band of cells says the same as the whole table does, for all that is within the limit.
func TestDistance(t *testing.T) {
	words := []string{""}
	for length := 0; length < 5; length++ {
		for _, w := range slices.Clone(words) {
			if len(w) == length {
				words = append(words, w+"a", w+"b", w+"c")
			}
		}
	}
	for _, a := range words {
		for _, b := range words {
			whole := distance([]rune(a), []rune(b), 10)
			for limit := range 4 {
				if got := min(distance([]rune(a), []rune(b), limit), limit+1); got != min(whole, limit+1) {
					t.Fatalf("%q to %q within %d: got %d, want %d", a, b, limit, got, whole)
				}
			}
		}
	}
}

// Names come from whoever writes a workspace, and may be as long as a file.
func TestClosestLong(t *testing.T) {
	name := strings.Repeat("x", 100_000)
	start := time.Now()
	if _, ok := Closest(name+"ab", []string{name + "yz", name + "cb"}); !ok {
		t.Error("found nothing")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzClosest(f *testing.F) {
	f.Add("maxTurns", "max_turns")
	f.Add("\xff\xfe", "a")
	f.Fuzz(func(t *testing.T, name, candidate string) {
		got, ok := Closest(name, []string{candidate})
		if ok && (got != candidate || got == name) {
			t.Errorf("Closest(%q, %q) = %q", name, candidate, got)
		}
	})
}
