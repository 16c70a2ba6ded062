// Package launch is the side of the sandbox that runs in the child's own process: a copy of the program that confines the
// command, starts it and ends what it leaves. Over a socket on descriptor 3 it gets the command's streams and a [Policy], and
// says what happens in [Answer]s; when the other side of that closes, the command is ended.
//
// The package runs before main and imports little, so that it does not wait for what the rest of the program builds.
package launch
