package mcp

import (
	"errors"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/tools"
)

// progressPause is the shortest time between two events of progress of one call: a server may send any number.
const progressPause = 100 * time.Millisecond

// flight is a call that a server has and did not answer yet.
type flight struct {
	call  *tools.Call
	token string
	told  time.Time // of the last progress
}

// fly registers a call until the result is called. A request of the server belongs to the one call that is in flight.
func (l *link) fly(c *tools.Call) (*flight, func()) {
	f := &flight{call: c}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	f.token = fmt.Sprintf("call-%d", l.serial)
	l.calls[f] = struct{}{}
	return f, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.calls, f)
	}
}

// caller is the call that a request of the server must belong to: the protocol does not say which, so with calls of two
// runs in flight there is none.
func (l *link) caller() (*tools.Call, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found *tools.Call
	for f := range l.calls {
		if found != nil && found.Run != f.call.Run {
			return nil, errors.New("two runs use this server at once, and the request belongs to neither for sure")
		}
		found = f.call
	}
	if found == nil {
		return nil, errors.New("no call is in flight")
	}
	return found, nil
}

// progress passes on how far a call is.
func (l *link) progress(p *sdk.ProgressNotificationParams) {
	token, ok := p.ProgressToken.(string)
	if !ok {
		return
	}
	now := time.Now()
	l.mu.Lock()
	var to *tools.Call
	for f := range l.calls {
		if f.token == token && now.Sub(f.told) >= progressPause {
			f.told, to = now, f.call
		}
	}
	l.mu.Unlock()
	if to != nil && to.Report != nil {
		to.Report(tools.Progress{ToolCallID: to.ID, Tool: to.Tool, Progress: p.Progress, Total: p.Total, Message: short(p.Message, maxMessage)})
	}
}
