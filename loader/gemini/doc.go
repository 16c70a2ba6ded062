// Package gemini lists the agents of Gemini: .gemini/agents, of a project or of a person.
//
// The way of the data: folders → loader → package config, which reads the files in the words of that program.
package gemini
