package wire

import (
	"github.com/swarmrun/swarmrun/providers"
)

// Answer is what a decoder made of a complete answer, or has of one that was cut.
type Answer struct {
	Parts  []providers.Part // text and reasoning as they came; tool calls only after Finish
	Usage  providers.Usage
	Model  string // as the provider names it
	Finish string // the provider's own word
}

// Signal says what an event was.
type Signal int

// The signals of Decoder.Event.
const (
	Data     Signal = iota // something of the answer, metadata included: the stream has begun
	Ignored                // keep-alive
	Terminal               // the answer is complete
)

// Decoder is what a family knows of its wire. It is used by one goroutine for one answer.
type Decoder interface {
	// Event takes the data of one event. Its error is an *InBandError or an *Error of kind contract, truncated or
	// content_filter.
	Event(name, data []byte) (Signal, providers.Delta, error)
	// Body takes a whole unary answer; the errors are those of Event.
	Body(body []byte) error
	// Answer is what came so far.
	Answer() *Answer
	// Finish checks a complete answer and adds its tool calls.
	Finish() (providers.Finish, error)
}

// InBandError is an error that came inside a 200 answer. Raw is its JSON and never shown.
type InBandError struct{ Raw []byte }

func (e *InBandError) Error() string { return "error in the answer" }

// Contract is a malformed answer. code is our own word for what is wrong with it.
func Contract(code string) *providers.Error { return contract(code) }
