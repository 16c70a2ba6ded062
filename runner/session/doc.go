// Package session is the append-only log of conversations, and the conversations as a process holds them.
//
// The way of the data: a Conversation grows → records → Log (one file, one writer) ▮ crash ▮ → records → Replay → the same
// conversations, with every call that was begun and not answered told as unknown. Nothing is ever run again.
//
// The file of a session is JSON lines: a head with a version, then records. Records of types that this version does not
// know are kept and passed over. Long results lie beside the file, in a folder of the session's name.
package session
