package main

import (
	"errors"
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

// TestPersonAlways: "always" is offered where a rule can cover the call, and writes that rule.
func TestPersonAlways(t *testing.T) {
	var shown strings.Builder
	var kept []string
	p := &person{in: strings.NewReader("a\na\na\n"), screen: &screen{stderr: &shown}, keep: func(rule, comment string) error {
		if rule == "Broken" {
			return errors.New("disk full")
		}
		kept = append(kept, rule+" "+comment)
		return nil
	}}
	for _, test := range []struct {
		always string
		want   tools.Answer
	}{{"Bash(ls)", tools.Always}, {"", tools.Refuse}, {"Broken", tools.Once}} {
		got, err := p.Ask(t.Context(), tools.Question{Agent: "me", Tool: "Bash", Text: "Bash ls", Always: test.always})
		if err != nil || got != test.want {
			t.Errorf("%q: got %v, %v, want %v", test.always, got, err, test.want)
		}
	}
	if len(kept) != 1 || kept[0] != "Bash(ls) agent me" || !strings.Contains(shown.String(), "a = yes, always: Bash(ls)") || !strings.Contains(shown.String(), "disk full") {
		t.Errorf("kept %q, shown %s", kept, shown.String())
	}
}
