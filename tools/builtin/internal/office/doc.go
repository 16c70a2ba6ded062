// Package office turns docx and xlsx files into plain text: paragraphs, tables and cells, no layout.
//
// The way of the data: file → zip → the XML parts that hold text, each bounded → text.
package office
