package agents

// Guide is a text of instructions besides CLAUDE.md and AGENTS.md, for agents that take those.
type Guide struct {
	File  string // where it was written
	Text  string
	Match func(path string) bool // of a file's path, from the root with slashes: then it counts; nil = always
}
