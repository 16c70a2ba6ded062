// Package opencode lists the agents of opencode: .opencode/agents, of a project or of a person.
//
// The way of the data: folders → loader → package config, which reads the files in the words of that program.
package opencode
