// Package providers is model calls: messages, kinds of failure, scope, retry and fallback.
//
// The way of a call: runner → Fallback(Retry) → a family's one-shot client → tap → wire, and the answer back the same way.
// A chain (chain.go, retry.go) opens a Scope, which holds the deadline and the budget of sends, and gives each candidate an
// Attempt; the client joins it, its transport takes the unit at the send and says when a stream has committed. What fails is
// an *Error, whose kind alone decides whether the chain repeats, advances or ends (policy.go), and whose text never holds what
// came from outside. Limits and breakers are shared by the process (limits.go, breaker.go); a history that does not fit
// together is repaired once (orphan.go); events go to the sink of ctx (event.go); secrets are taken out by a Redactor.
//
// The package imports the standard library only; families live in sub-packages.
package providers
