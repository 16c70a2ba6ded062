// Package wildcard matches texts against patterns in which * is any text, in time that grows with their length alone: patterns
// come from files that nobody has to trust.
package wildcard
