// Package schema compiles JSON Schemas and checks JSON against them, with faults that a model or a person can act on.
//
// [Upgrade] says in the current draft what a schema of an older one says, for those who know no other.
//
// The way of the data: schema text → [Compile] (draft 2020-12, or what $schema names; nothing is ever loaded from a file or
// the network) → [Schema] → Validate(JSON text) → a list of [Fault], each at a path inside the instance and in our own words.
// Inside: the forms of the keywords are checked (form.go), resources and anchors are listed (resource.go), then each schema
// that can be reached becomes a node with its rules (compile.go), and a visit holds one node against one value (visit.go).
//
// Schemas come from tools and servers that nobody vouches for, instances from models: both may be hostile, neither can
// reach outside the text that is handed in, and the depth and the number of steps of a check are bounded.
package schema
