package providers

import (
	"context"
	"errors"
)

// Kind says what went wrong in a model call. The set is closed; spec and exit codes hang on it.
type Kind string

// The kinds of failure. Transient, Advances and the rest of this file say what a chain does about each.
const (
	KindTransport      Kind = "transport"         // the connection failed
	KindTimeout        Kind = "timeout"           // one attempt took too long, or the provider says so
	KindRateLimit      Kind = "rate_limit"        // too many requests for a short while
	KindOverloaded     Kind = "overloaded"        // the provider has no capacity now
	KindServer         Kind = "server"            // the provider failed, or answered something unusable
	KindQuota          Kind = "quota"             // money, credit or a long-period allowance is used up
	KindAuth           Kind = "auth"              // credential missing or refused
	KindPermission     Kind = "permission"        // credential known, action refused
	KindNotFound       Kind = "not_found"         // model, deployment or route unknown
	KindInvalidRequest Kind = "invalid_request"   // the request was refused as malformed
	KindOrphan         Kind = "orphan_tool_calls" // the history has calls without result or results without call
	KindTruncated      Kind = "truncated"         // the answer ended early
	KindContract       Kind = "contract"          // the answer is malformed
	KindBudget         Kind = "budget_exhausted"  // no attempt left and no better error to report
	KindDeadline       Kind = "deadline"          // deadline of the scope or of the caller
	KindOverflow       Kind = "context_overflow"  // the prompt exceeds the window
	KindContentFilter  Kind = "content_filter"    // the provider refused the content
	KindCancelled      Kind = "cancelled"         // the caller cancelled, or left the stream
	KindUnknown        Kind = "unknown"           // nothing else matched
)

// One sentinel per kind, for errors.Is. KindCancelled and KindDeadline are context.Canceled and context.DeadlineExceeded.
var (
	ErrTransport      = errors.New("transport")
	ErrTimeout        = errors.New("timeout")
	ErrRateLimit      = errors.New("rate limit")
	ErrOverloaded     = errors.New("overloaded")
	ErrServer         = errors.New("server")
	ErrQuota          = errors.New("quota")
	ErrAuth           = errors.New("auth")
	ErrPermission     = errors.New("permission")
	ErrNotFound       = errors.New("not found")
	ErrInvalidRequest = errors.New("invalid request")
	ErrOrphan         = errors.New("orphan tool calls")
	ErrTruncated      = errors.New("truncated")
	ErrContract       = errors.New("contract")
	ErrBudget         = errors.New("budget exhausted")
	ErrOverflow       = errors.New("context overflow")
	ErrContentFilter  = errors.New("content filter")
	ErrUnknown        = errors.New("unknown")
)

// Kinds are all kinds, in the order of the specification's table.
func Kinds() []Kind {
	return []Kind{
		KindTransport, KindTimeout, KindRateLimit, KindOverloaded, KindServer, KindQuota, KindAuth, KindPermission, KindNotFound,
		KindInvalidRequest, KindOrphan, KindTruncated, KindContract, KindBudget, KindDeadline, KindOverflow, KindContentFilter,
		KindCancelled, KindUnknown,
	}
}

// Transient kinds may be repeated at the same candidate in a later round.
func (k Kind) Transient() bool {
	switch k {
	case KindTransport, KindTimeout, KindRateLimit, KindOverloaded, KindServer:
		return true
	}
	return false
}

// Advances tells whether the candidate is dropped for this call and the next one tried.
func (k Kind) Advances() bool {
	switch k {
	case KindQuota, KindAuth, KindPermission, KindNotFound:
		return true
	}
	return false
}

// Sentinel is the error that errors.Is finds in an *Error of this kind.
func (k Kind) Sentinel() error {
	switch k {
	case KindTransport:
		return ErrTransport
	case KindTimeout:
		return ErrTimeout
	case KindRateLimit:
		return ErrRateLimit
	case KindOverloaded:
		return ErrOverloaded
	case KindServer:
		return ErrServer
	case KindQuota:
		return ErrQuota
	case KindAuth:
		return ErrAuth
	case KindPermission:
		return ErrPermission
	case KindNotFound:
		return ErrNotFound
	case KindInvalidRequest:
		return ErrInvalidRequest
	case KindOrphan:
		return ErrOrphan
	case KindTruncated:
		return ErrTruncated
	case KindContract:
		return ErrContract
	case KindBudget:
		return ErrBudget
	case KindDeadline:
		return context.DeadlineExceeded
	case KindOverflow:
		return ErrOverflow
	case KindContentFilter:
		return ErrContentFilter
	case KindCancelled:
		return context.Canceled
	}
	return ErrUnknown
}
