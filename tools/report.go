package tools

import (
	"context"
	"errors"
)

// ErrRequired is the error of Toolset.Open where a run cannot go on without the set.
var ErrRequired = errors.New("a toolset that is required is missing")

type reportKey struct{}

// WithReport makes what is opened under ctx tell its events to f: no call is there yet that could carry them.
func WithReport(ctx context.Context, f func(Event)) context.Context {
	return context.WithValue(ctx, reportKey{}, f)
}

// Tell hands an event to whoever opened under ctx, if anybody listens.
func Tell(ctx context.Context, e Event) {
	if f, ok := ctx.Value(reportKey{}).(func(Event)); ok {
		f(e)
	}
}

// Warning is what a tool or a toolset has to say and has no event of its own for.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Type is the event's name.
func (Warning) Type() string { return "warning" }

// Progress is how far a call is.
type Progress struct {
	ToolCallID string  `json:"tool_call_id"`
	Tool       string  `json:"tool"`
	Progress   float64 `json:"progress"`
	Total      float64 `json:"total,omitempty"` // 0 = unknown
	Message    string  `json:"message,omitempty"`
}

// Type is the event's name.
func (Progress) Type() string { return "tool_progress" }

// FormFiller is an Asker that can fill in a form: what an MCP server wants to know.
type FormFiller interface {
	// Fill asks for the fields in order; nil means that the person does not want to.
	Fill(ctx context.Context, q Question, fields []FormField) (map[string]string, error)
}

// FormField is one question of a form.
type FormField struct {
	Name, Text, Type string // Type is string, number, integer, boolean
	Choices          []string
	Default          string
	Required         bool
}

// Renewable is a Tool that may be described otherwise than when a person approved it for good. Then the approval does not count.
type Renewable interface {
	Renewed() bool
	Accept() // a person approved it as it is
}

// Brought is a Tool that may come with a field of the agent, so that it needs no entry in the tools setting. Rules that remove
// or deny act on it all the same.
type Brought interface{ Brought() bool }
