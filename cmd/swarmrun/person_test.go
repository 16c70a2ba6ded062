package main

import (
	"strings"
	"testing"

	"github.com/swarmrun/swarmrun/tools"
)

// TestPersonThisRun: "for this run" is about the rule that was asked for; without a rule, about the one thing.
func TestPersonThisRun(t *testing.T) {
	var shown strings.Builder
	p := &person{in: strings.NewReader("r\nr\nn\n"), screen: &screen{stderr: &shown}}
	for _, test := range []struct {
		rule, text string
		want       tools.Answer
	}{
		{"Write", "Write a", tools.ThisRun},
		{"Write", "Write b", tools.ThisRun}, // not asked again
		{"", "Write .git/config", tools.ThisRun},
		{"", "Write .git/config", tools.ThisRun}, // not asked again
		{"", "Write agents/me.md", tools.Refuse},
	} {
		got, err := p.Ask(t.Context(), tools.Question{Agent: "a", Tool: "Write", Rule: test.rule, Text: test.text})
		if err != nil || got != test.want {
			t.Errorf("%s: got %v, %v, want %v", test.text, got, err, test.want)
		}
	}
}
