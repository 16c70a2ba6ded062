// Package webtext turns what a web server sends into text that reads well and costs a model little.
//
// The way of the data: body and its declared type → Decode → UTF-8 → Markdown, for HTML → headings, lists, links, tables and
// code as Markdown; scripts, styles and what a reader would not see are left out.
package webtext
