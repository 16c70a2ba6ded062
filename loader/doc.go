// Package loader turns a folder of definitions into a checked, immutable graph, and holds the current one.
//
//	discover → parse → resolve → validate → compile ▮ run
//
// Nothing before the bar touches the network, starts a process or reads a key: compile makes handles, and the first run
// that needs one opens it. Every stage appends diagnostics and carries on, so that one load names every problem of every
// file; a definition that fails never takes the others down.
package loader
