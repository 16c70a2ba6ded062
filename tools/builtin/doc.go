// Package builtin has the tools that come with the program: files, search, shell, web, and the agent's own notes.
//
// The way of a call: input (checked against the schema by the caller) → decode → a path becomes a place, held open below
// the root it lies in → the work → a Result. What a conversation knows (files seen, todos) lies in Call.State; a tool
// value itself holds nothing of a run and serves all runs at once.
//
// # Paths
//
// A relative path starts at Roots.Dir; ~ and ~/x are the home folder. Whether a path may be used at all is decided by the
// permission rules before the call, from what Touches lists. The tools keep to that decision when links change under
// them: links are resolved once, and the result is opened folder by folder, never through a link (see place).
package builtin
