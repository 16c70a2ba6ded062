// Package markdown draws Markdown for a terminal: as lines of cells, in the styles that it is given.
//
// The way of the data: text of a model → goldmark's tree → one list of lines for each block, wrapped to the width. While a text
// streams, Settled says how much of its beginning is whole blocks, which are drawn once.
package markdown
