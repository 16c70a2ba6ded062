// Package pool shares what is dear to open, such as servers, memories and clients, by fingerprint across generations.
//
// The way of a resource: Take claims it (nothing happens yet) → the first Get of any holder opens it for all → the last
// Close closes it. Two resources of one fingerprint are never open at the same time.
package pool
