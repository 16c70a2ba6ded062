// Package jsonpath finds values in JSON by a path such as $.items[0].name: the part of RFC 9535 that names places and needs
// no filter. A path is compiled once; finding is linear in what it looks at.
package jsonpath
