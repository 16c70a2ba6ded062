// Package claude reads the places of Claude Code: .claude, .mcp.json and .agents, of a project or of a person's home folder.
//
// The way of the data: settings files → JSON with positions → config.TreeSettings → loader. Agent files are listed here and
// read by package config. What guards something and would not be enforced is an error, the rest is told as info.
package claude
