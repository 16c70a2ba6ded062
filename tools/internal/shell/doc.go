// Package shell tells what a command line would run and which files its redirections would open, without running it.
//
// The way of the data: a line → mvdan.cc/sh's parser → [Parse] collects every simple command (in lists, pipelines, groups,
// functions, substitutions, here-documents) and every redirection → [Script]. A permission rule's pattern is then held
// against each [Command]: [Command.Covered] answers for a rule that allows ("whatever the shell makes of it, it is this"),
// [Command.Hit] for a rule that forbids ("it could be this").
//
// What only the shell can know (variables, substitutions, globs) is kept as [Unknown]. What no reader of the line can know
// (arithmetic over variables, which bash evaluates again) makes the script [Script.Opaque].
package shell
