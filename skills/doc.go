// Package skills discloses skills step by step: names and descriptions in the prompt, a body when it is asked for, files of
// the folder on demand. Slash commands are skills that only a person calls.
//
// The way of the data: loader makes a Set of what was read → Catalogue goes into the system prompt → Expand fills in the
// arguments of one use, runs the commands of the body through the caller's Shell and attaches files → Content is what the
// model is given. The package reads the names of a skill's files and nothing else; it starts no process.
//
// A body is trusted like the prompt of an agent, its parts are not: an argument never becomes a command, the output of a
// command and an attached file are not looked at again, and nothing in a body can end the element that it stands in.
package skills
