// Package search finds the lines of a text that fit a regular expression, as ripgrep does, and puts the expression in words
// that ripgrep understands.
//
// The way of the data: pattern → Compile → Go's syntax tree, changed where line search differs → a Go expression for Find
// and a Rust one for ripgrep, printed from the same tree: \w, \d, \s and \b mean ASCII in both, $ fits before CRLF in both.
package search
