// Package expression compiles and runs expressions: conditions of jobs, checks over events, values in ${{ }}.
//
// It stands in front of expr-lang/expr, which only this package imports. The way of the data: source → [Compile] (the names
// that it may use are fixed; size and nesting are bounded) → [Program] → Eval(values) → a JSON value. An expression cannot
// call out, read a clock or run long: its memory is counted, and what it yields is bounded. Faults are an [Error] with the
// place inside the source and a message of one line. [Value] makes values of JSON.
package expression
