// Package cassette records and replays whole model calls of any provider.
//
// The way of a call: Wrap stands in front of the chain → the tape in the context (With) → the request in its normalised
// form, whose hash is the key → an entry with that key answers, or, recording, the chain does and a complete answer becomes
// an entry. The way of a file: YAML → entries with their requests in full → played and new ones → YAML, in which a
// request shows only what is new since its agent's call before.
package cassette
