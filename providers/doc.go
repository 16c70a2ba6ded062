// Package providers is model calls: messages, kinds of failure, scope, retry and fallback.
//
// The way of a call: runner → Fallback(Retry) → a family's one-shot client → tap → wire, and the answer back the same way.
// The package imports the standard library only; families live in sub-packages.
package providers
