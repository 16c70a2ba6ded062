// Package event is the closed set of what a run tells, with its JSON form, and the result that every run ends with.
//
// The way of the data: the runner, and packages below it through Lower, make events → Append or a Writer turns each into one
// line of JSON → programs read lines, Parse reads them back. docs/events.md is written from the types of this package.
//
// An Event is shared by everyone who receives it and must not be changed.
package event
