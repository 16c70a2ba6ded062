package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/runner/ci"
)

// TestEveryCheckCanBeJudged holds the checks that files may name against those that are carried out.
func TestEveryCheckCanBeJudged(t *testing.T) {
	want, got := append(config.Checks(), config.FailIf), ci.Kinds()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNamesOfExpressions holds the names that expressions are checked for against those that they get.
func TestNamesOfExpressions(t *testing.T) {
	names := func(m map[string]any) []string {
		var out []string
		for k := range m {
			out = append(out, k)
		}
		slices.Sort(out)
		return out
	}
	run, event := ci.Names()
	if diff := cmp.Diff(names(config.RunNames()), run); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(names(config.EventNames()), event); diff != "" {
		t.Error(diff)
	}
}
