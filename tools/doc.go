// Package tools is what a model may call, and the rules about it.
//
// The way of a call: the model's arguments → schema ([Spec.Check]) → permission rules ([Rules.Decide]) → Tool.Call → Result.
// A Tool is shared by all runs and generations; whatever belongs to one run comes in the Call.
//
// The way of a decision: a Tool that is a [Toucher] says what a call would reach (files, a command line, a host); paths are
// followed through links, command lines taken apart by a shell parser; then offered → deny → plan → ask → allow → outside the
// directories. A rule that allows must be met whatever the shell makes of the line, a rule that forbids by what it could be.
//
// A rule such as Bash(git diff *) trusts the program it names with any argument, except where internal/shell knows that the
// argument runs or writes something else (git -c, find -exec, sort -o, python -c, …). That table cannot be complete: what a
// program does when it is run is confined by the sandbox, not by rules. So is what a program opens: Read(.env) as a refusal stops
// Read, Grep and cat < .env, and does not see cat .env.
package tools
