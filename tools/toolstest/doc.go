// Package toolstest is the conformance suite of tools.Tool: [Run] holds an implementation against what runner relies on.
package toolstest
