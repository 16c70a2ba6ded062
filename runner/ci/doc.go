// Package ci runs the jobs of a graph: agents as a check.
//
// The way of the data: agents.Job → the cases that the options choose → each in a fresh copy of its fixture, with a tape of
// its own, on the one graph → an Attempt with its evidence (events, answer, changed files) → Checks → Report. Renderers of a
// Report need nothing else. A job is data that the loader has checked; what is wrong with its files was told there.
package ci
