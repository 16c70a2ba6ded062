// Command swarmrun runs teams of AI agents that people write as files.
//
// The way of an invocation: arguments → app (streams, global flags) → one command, in a file of its own name → answer or
// error → rendering and exit code, each decided in one place (answer.go, failure.go).
package main
