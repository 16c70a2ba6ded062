// Package wholefile writes files that are replaced whole or not at all: the text goes into a new file beside the old one,
// which takes its place once it is on disk.
package wholefile
