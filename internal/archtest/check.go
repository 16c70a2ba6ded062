package archtest

import (
	"cmp"
	"slices"
)

// Check holds a tree against all rules. The violations come in the order of their places.
func Check(t *Tree) []Violation {
	var vs []Violation
	for _, check := range []func(*Tree) []Violation{
		checkFolders, checkRungs, checkGroups, checkDenials, checkLibraries,
		checkDocs, checkCalls, checkInit, checkContexts, checkVariables,
	} {
		vs = append(vs, check(t)...)
	}
	slices.SortStableFunc(vs, func(a, b Violation) int { return cmp.Compare(a.Place, b.Place) })
	return vs
}
