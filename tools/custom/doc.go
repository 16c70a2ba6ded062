// Package custom makes tools of scripts that people write.
//
// The way of a call: input (checked against the schema by the caller) → the script's stdin as JSON, and a variable
// SWARMRUN_ARG_<NAME> for each argument, defaults of the schema included → [sandbox.Launcher.Run] in the working directory →
// stdout as the Result. Arguments are never pasted into a shell line.
package custom
