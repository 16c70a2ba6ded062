// Package lc is where swarmrun meets langchaingo's llms types; they go no further.
//
// A Door takes the frame of a request from an adapter, for our tap to fill. Generate serves a client of ours as an llms.Model: llms messages and options →
// providers.Request → the client → llms.ContentResponse.
package lc
