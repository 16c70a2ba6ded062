// Package copilot lists the files of Copilot and VS Code: .github/{agents,chatmodes,prompts,instructions,hooks}.
//
// The way of the data: folders → loader → package config, which reads the files in the words of that program.
package copilot
