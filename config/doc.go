// Package config is the definitions as people write them: every kind, decoded from YAML nodes with a range on each
// declaration and reference, checked as far as one file can be checked alone, and written back.
//
// The way of the data: bytes → internal/frontmatter → nodes → one table of fields per kind → definition → loader. A table
// (agent_fields.go, tool_fields.go, …) is the one description of a kind: decoding, known keys with their other spellings,
// JSON Schema and reference come out of it. Nothing here knows another file than the one it reads; the settings alone are
// merged from several layers. All functions may be called side by side.
package config
