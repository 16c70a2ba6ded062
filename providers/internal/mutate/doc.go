// Package mutate shows that the suite of package providers notices when a rule is broken.
//
// The way of a fault: a row of the table → the file with the row's edits, laid over the real one (go test -overlay) → the
// suite, which must fail. Ordinary tests check only that every row still fits the code; make mutate plants them.
package mutate
