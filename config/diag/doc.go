// Package diag is the diagnostic: what a person, an editor or a CI system is told about a file.
//
// Loading speaks diagnostics: every stage appends to a [List] and carries on, so one run names every problem of every
// file. The same value is rendered as text with a caret, as JSON, as SARIF 2.1.0 and as GitHub annotations.
package diag
