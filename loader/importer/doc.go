// Package importer writes native files from those of other programs: Claude Code, docker-agent, Copilot, Gemini, opencode
// and goose.
//
// The way of the data: source → the readers of package config → agents in native words → files in memory, which are loaded
// as a workspace before anything is written. What is not carried over is told with its place; an agent that would be less
// restricted than it was is left out.
package importer
