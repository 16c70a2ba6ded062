package wire

import (
	"context"
	"net/http"
	"sync"

	"github.com/swarmrun/swarmrun/providers"
)

// Exchange is one send and what was really answered. It travels in the ctx of the adapter's call; the tap fills it, and it
// alone tells the outcome.
type Exchange struct {
	Attempt  *providers.Attempt
	Provider string // rows of the classification tables
	Stream   bool
	Body     []byte            // replaces what the adapter would send
	Header   func(http.Header) // sets the credential and more; last word on every header
	Decoder  Decoder
	Window   int    // the context window as a person configured it; more input means that some was dropped
	Reply    string // the short answer that the adapter gets, in its own framing

	deltas chan providers.Delta

	mu   sync.Mutex
	sent bool
	done bool // the answer is complete: its marker was seen, or the whole unary body
	err  *providers.Error
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// begin admits the exchange's only send.
func (x *Exchange) begin() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sent {
		return providers.ErrSecondSend
	}
	x.sent = true
	return nil
}

// fail records the verdict, the first one, and ends the attempt with it.
func (x *Exchange) fail(e *providers.Error) error {
	x.mu.Lock()
	if x.err == nil {
		x.err = e
	}
	e = x.err
	x.mu.Unlock()
	x.Attempt.Reject(e)
	return e
}

func (x *Exchange) outcome() (done bool, e *providers.Error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.done, x.err
}
