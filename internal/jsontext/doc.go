// Package jsontext writes JSON as encoding/json does, except that <, > and & stay as they are: what it writes is read by
// people and models, never put into a page.
//
// The way of the data: value → [Marshal], or text → [AppendString], which is the same for one string and appends in place.
package jsontext
