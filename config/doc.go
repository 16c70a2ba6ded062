// Package config is the definitions as people write them: every kind, decoded from YAML nodes with a range on each
// declaration and reference, checked as far as one file can be checked alone, and written back.
//
// The way of the data: bytes → internal/frontmatter → nodes → definition (this package) → loader. Nothing here knows
// another file than the one it reads.
package config
