// Package standard is the batteries-included Environment of package loader: built-in tools, model providers, foreign trees.
// It is built explicitly; nothing registers itself.
package standard
