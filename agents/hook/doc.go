// Package hook is events, matchers, decisions and how they combine: what people hang on the moments of a run, to look on, to
// add something, or to stop it.
//
// The way of the data: what happens → [Input] → [Chain.Fire] → the entries that listen, match and fit → a process, an address,
// a model, a tool or Go code → [Result] of each → one Result, which runner acts on.
package hook
