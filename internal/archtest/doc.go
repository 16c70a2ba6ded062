// Package archtest holds the shape of the project: which package may import which, who may use which library, and the
// habits that a compiler does not check.
//
// The way of the data: the files of a tree → [Load] (parsed, not compiled, so files for other systems count too) →
// [Check] against the tables in rules.go → one [Violation] for each thing, with the reason of the rule. It is used by its
// own test only, which checks this project and, to be sure that a fault would be seen, small trees with one planted each.
package archtest
