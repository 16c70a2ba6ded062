package serve

import (
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/runner/event"
)

const (
	waiting     = 64 // notifications that a slow client may lag behind; more are left out
	maxProgress = 200
)

// progress tells a client how far a run is. A client that asked for none is told nothing.
type progress struct {
	notes chan string
	done  chan struct{}
}

func newProgress(r *sdk.CallToolRequest) *progress {
	token := r.Params.GetProgressToken()
	if token == nil {
		return &progress{}
	}
	p := &progress{notes: make(chan string, waiting), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		n := 0.0
		for text := range p.notes {
			n++
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: text}) // a client that is gone hears nothing
			cancel()
		}
	}()
	return p
}

// stop ends the notifications; those that wait are sent.
func (p *progress) stop() {
	if p.notes == nil {
		return
	}
	close(p.notes)
	<-p.done
}

// event turns an event into a line. A run never waits for a client.
func (p *progress) event(e event.Event) {
	if p.notes == nil {
		return
	}
	text := line(e)
	if text == "" {
		return
	}
	select {
	case p.notes <- text:
	default:
	}
}

// line is what a person would want to know of an event; "" = nothing.
func line(e event.Event) string {
	agent := e.Head().Agent
	switch e := e.(type) {
	case *event.AgentStart:
		return agent + " begins"
	case *event.AgentStep:
		if n := len(e.ToolCalls); n > 0 {
			return fmt.Sprintf("%s: turn %d, %d tool calls", agent, e.Turn, n)
		}
		return fmt.Sprintf("%s: turn %d", agent, e.Turn)
	case *event.ToolCall:
		return agent + " uses " + e.Tool
	case *event.Delegation:
		return agent + " asks " + e.DelegateTo
	case *event.Warning:
		return cut(e.Message)
	}
	return ""
}

func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxProgress {
		return string(r[:maxProgress]) + "…"
	}
	return s
}
