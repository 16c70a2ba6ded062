package wire

import (
	"net/http"
	"sync"

	"github.com/swarmrun/swarmrun/providers"
)

// Exchange is one send and what was really answered. The tap fills it, and it alone tells the outcome.
type Exchange struct {
	Attempt  *providers.Attempt
	Provider string // rows of the classification tables
	Stream   bool
	Body     []byte            // of a Body of the same client; it is gone when it is sent
	Header   func(http.Header) // sets the credential and more; last word on every header
	Decoder  Decoder
	Window   int // the context window as a person configured it; more input means that some was dropped

	deltas chan providers.Delta

	mu   sync.Mutex
	done bool // the answer is complete: its marker was seen, or the whole unary body
	err  *providers.Error
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
