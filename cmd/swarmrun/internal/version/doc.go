// Package version says which program this is, and answers `swarmrun version` before the rest of the program is made: managers of
// tools and prompts of shells ask that often, and wait.
package version
