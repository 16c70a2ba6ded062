package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// Error is the failure of a model call. Every form of it (Error, %+v, %#v, JSON, slog) is fixed text and safe to show:
// what a server said, URLs, headers and causes are not kept, so no path leads to them. Values are not changed once returned.
type Error struct {
	Kind       Kind
	Provider   string
	Model      string // as the provider names it
	Candidate  string // label of the candidate
	Status     int    // HTTP status, or the one an in-band error stands for; 0 = none
	Code       string // provider's code, only if it looks like an identifier; for events, never part of the text
	RetryAfter time.Duration
	HintSource string // where RetryAfter comes from: retry_after or ratelimit_reset
	Attempts   int    // counted sends of the call
	Committed  bool   // part of a stream had been seen
	Terminal   bool   // no layer may repeat or advance
	NoRepeat   bool   // not again at this candidate; advancing is allowed
	Candidates []CandidateError
	Hint       string // what a person can do about it, in our own words; "" = nothing to add
}

// CandidateError is how one candidate of a failed chain ended.
type CandidateError struct {
	Candidate string `json:"candidate"`
	Kind      Kind   `json:"kind"`
	Status    int    `json:"status,omitempty"`
}

// MissingKey is the error of a candidate without credential, made before anything is sent. It names the variables that
// could hold the key, best first.
func MissingKey(provider string, variables ...string) *Error {
	e := &Error{Kind: KindAuth, Provider: provider, Code: "missing_key"}
	switch len(variables) {
	case 0:
		e.Hint = fmt.Sprintf("no API key for %s: set providers: {%s: {api_key: …}} in swarmrun.yaml", provider, provider)
	default:
		e.Hint = fmt.Sprintf("no API key for %s: set %s (export %s=…), or providers: {%s: {api_key: …}} in swarmrun.yaml",
			provider, strings.Join(variables, " or "), variables[0], provider)
	}
	return e
}

// Error is the candidate, kind and status, and nothing that came from outside.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("provider ")
	b.WriteString(e.who())
	b.WriteString(": ")
	b.WriteString(string(e.Kind))
	if e.Status != 0 {
		b.WriteString(" (HTTP ")
		b.WriteString(strconv.Itoa(e.Status))
		b.WriteByte(')')
	}
	return b.String()
}

func (e *Error) who() string {
	switch {
	case e.Candidate != "":
		return e.Candidate
	case e.Provider != "":
		return e.Provider
	}
	return "call"
}

// Unwrap gives the kind's sentinel only.
func (e *Error) Unwrap() error { return e.Kind.Sentinel() }

// Retryable tells whether another try at the same candidate may succeed.
func (e *Error) Retryable() bool { return e.Kind.Transient() && !e.Terminal && !e.NoRepeat }

// Format prints the same text for every verb.
func (e *Error) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, e.Error()) }

// GoString is the text of Error.
func (e *Error) GoString() string { return e.Error() }

// MarshalJSON writes the safe fields.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind       Kind             `json:"kind"`
		Message    string           `json:"message"`
		Provider   string           `json:"provider,omitempty"`
		Model      string           `json:"model,omitempty"`
		Candidate  string           `json:"candidate,omitempty"`
		Status     int              `json:"status,omitempty"`
		Attempts   int              `json:"attempts"`
		Committed  bool             `json:"committed,omitempty"`
		Candidates []CandidateError `json:"candidates,omitempty"`
		Hint       string           `json:"hint,omitempty"`
	}{e.Kind, e.Error(), e.Provider, e.Model, e.Candidate, e.Status, e.Attempts, e.Committed, e.Candidates, e.Hint})
}

// LogValue gives slog the safe fields.
func (e *Error) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("kind", string(e.Kind)), slog.String("candidate", e.who()), slog.Int("status", e.Status),
		slog.Int("attempts", e.Attempts), slog.Bool("committed", e.Committed),
	)
}

// KindOf is the kind of any error: that of an *Error, cancelled or deadline for context errors, else unknown. "" for nil.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.DeadlineExceeded):
		return KindDeadline
	case errors.Is(err, context.Canceled):
		return KindCancelled
	}
	return KindUnknown
}

// SafeCode is code if it looks like an identifier (a letter, then at most 79 of letters, digits, _ . -; no key prefix), else "".
func SafeCode(code string) string {
	if len(code) == 0 || len(code) > 80 || strings.HasPrefix(code, "sk-") || strings.HasPrefix(code, "pk-") {
		return ""
	}
	for i := range len(code) {
		c := code[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-')) {
			return ""
		}
	}
	return code
}
