// Package dag is a generic directed graph that should have no cycles: it names the cycles that there are, orders what has
// none, and walks it side by side.
package dag
