// Package schema compiles JSON Schemas and checks JSON against them, with faults that a model or a person can act on.
//
// It stands in front of santhosh-tekuri/jsonschema, which only this package imports. The way of the data: schema text →
// [Compile] (draft 2020-12, or what $schema names; nothing is ever loaded from a file or the network) → [Schema] →
// Validate(JSON text) → a list of [Fault], each at a path inside the instance and in our own words.
//
// Schemas come from tools and servers that nobody vouches for, instances from models: both may be hostile, neither can
// reach outside the text that is handed in.
package schema
