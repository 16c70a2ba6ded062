// Package lc is where swarmrun meets langchaingo's llms types; they go no further.
//
// Frame drives an adapter behind our tap. Generate serves a client of ours as an llms.Model: llms messages and options →
// providers.Request → the client → llms.ContentResponse.
package lc
