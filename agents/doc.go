// Package agents is the compiled, immutable project: what loader builds from files, or a program by hand, and what runner
// executes.
//
// The way of the data: loader → New(Spec) → *Graph ▮ run. Making a Graph opens nothing; what is dear to open stands in it as
// a handle that the first run that needs it opens.
package agents
