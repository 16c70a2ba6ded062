// Package launch is the side of the sandbox that runs in the child's own process: a copy of the program that confines the
// command, starts it and ends what it leaves. It is told a [Policy] on descriptor 3, ends when descriptor 4 does, and says
// what happens in [Answer]s on descriptor 5.
//
// The package runs before main and imports little, so that it does not wait for what the rest of the program builds.
package launch
