// Package wholefile reads files whole, and replaces them whole or not at all. A file that is read is a regular one of bounded
// size, whoever put it there. New text goes into a file beside the old one, which takes its place once it is on disk.
package wholefile
