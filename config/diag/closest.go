package diag

import (
	"slices"
	"strings"
	"unicode"
)

// Closest finds the candidate that name was probably meant to be: the same letters in another case style (maxTurns,
// max-turns, max_turns), else one edit away, two when the candidate has six letters or more. An edit inserts, drops or
// replaces a letter or swaps two neighbours. Among equally near ones the first in alphabetical order wins; name itself is
// no candidate.
func Closest(name string, candidates []string) (string, bool) {
	letters := fold(name)
	best, found := "", false
	least := 3
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if c == name || c == "" {
			continue
		}
		want := fold(c)
		limit := 1
		if len(want) >= 6 {
			limit = 2
		}
		if d := distance(letters, want, limit); d <= limit && d < least && d < len(want) {
			best, least, found = c, d, true
		}
	}
	return best, found
}

// fold takes the case style out of a name.
func fold(s string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s))
}

// distance is the number of edits from a to b (optimal string alignment), or something above limit. Only the cells that
// limit edits can reach are looked at, so that long names cost no more than their length.
func distance(a, b []rune, limit int) int {
	if abs := len(a) - len(b); abs > limit || -abs > limit {
		return limit + 1
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range a {
		first, last := max(0, i-limit), min(len(b), i+limit+1)
		row[first] = limit + 1
		if first == 0 {
			row[0] = i + 1
		}
		for j := first; j < last; j++ {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j]+cost, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		if last < len(b) {
			row[last+1] = limit + 1
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
