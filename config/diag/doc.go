// Package diag is the diagnostic: what a person, an editor or a CI system is told about a file.
//
// Loading speaks diagnostics: every stage appends to a [List] and carries on, so one run names every problem of every
// file. The way of the data: [New] with a [Code] of the table in codes.go → Suggest, Explain, Note → [List].Sort →
// one of the four forms, all made from the same value: [WriteText] with a caret under the place, [WriteJSON],
// [WriteSARIF] (2.1.0) and [WriteGitHub] (annotations).
//
// Files, names and values in a finding come from a repository that nobody has vouched for. Every form shows control
// characters and text-direction marks as visible characters, so a finding can neither drive a terminal nor forge a line.
package diag
