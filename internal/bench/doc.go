// Command bench measures what users feel and prints each figure as a ratio to a baseline that ran in the same minute on the
// same machine: absolute times of a shared machine mean little. Nothing here is asserted by a test.
//
// The way of a figure: build both binaries → local server → alternate runs of both sides → medians → one table row.
package main
