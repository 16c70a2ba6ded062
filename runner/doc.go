// Package runner executes agents of a graph and tells what happens.
//
// The way of the data: Request → lease of a graph → session → offer (toolsets opened side by side, rules decide what is
// shown) → turns (context → model → tool calls side by side, results in request order) → Result, with events all the way.
// What a durable run must not do twice goes through Steps: a model call, a tool call with its permission, a delegate.
//
// A failure that a user meets is a kind in the Result, so that it can be stored; a *RunError carries the same to Go code.
package runner
