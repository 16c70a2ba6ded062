// Package ignore decides what .gitignore files leave out, as git does (gitignore(5)).
//
// The way of the data: the text of one file → Parse → patterns; the files that count in a folder → a Scope, innermost
// last. Nothing here touches the file system.
package ignore
