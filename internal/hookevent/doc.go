// Package hookevent is the one table of the events that hooks listen to, with the names that SwarmSDK and Claude Code have
// for them, and the matchers that choose among their occurrences. Who reads files and who runs hooks share it.
package hookevent
