// Package page writes pages that need no other file and no network: their style and script are in them, and their policy lets
// nothing else load or run. Texts are data to a page, whoever wrote them.
//
// The way of the data: style and script of a page → [New], which adds what all pages look like → the page's own data around the
// Frame → [Write].
package page
