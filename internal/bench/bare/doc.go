// Command bare is the baseline of the benchmarks: the smallest loop that does what one agent run does on the wire. It streams
// a chat completion, reads the file that the model asks for, appends the result and repeats until the answer is text. It keeps
// no log, checks nothing and knows one tool.
//
// Usage: bare URL FILE [AGENTS]. AGENTS loops run side by side in one process; the default is one.
package main
