// Package frontmatter splits a Markdown file into metadata and body, repairs metadata that YAML refuses, and keeps every
// position that of the file as it lies on disk.
//
// The way of the data: bytes → encoding and line ends (R1, R2) → fences (R3) → adrg/frontmatter cuts the metadata → ladder
// of strict YAML, repair A, repair B (R4–R6) → checks of shape, keys and anchors (R7) → nodes with true positions. The rules
// are those of the formats reference. ParseYAML takes the same way for a file that is YAML as a whole.
//
// Nothing here knows what a key means: the caller says which keys are known, since only those are repaired.
package frontmatter
