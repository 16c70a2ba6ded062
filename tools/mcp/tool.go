package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/tools"
)

// tool is one tool of a server, in one run.
type tool struct {
	*opened
	spec   tools.Spec
	remote string // as the server calls it; "" = extra answers
	extra  func(ctx context.Context, cs *sdk.ClientSession, input json.RawMessage) (tools.Result, error)
}

// Spec is the tool as models see it.
func (t *tool) Spec() tools.Spec { return t.spec }

// Source is where the tool comes from.
func (t *tool) Source() string { return "mcp:" + t.use.Server.Name }

// Remote is the name that the server has for the tool; "" = it is not the server's.
func (t *tool) Remote() string { return t.remote }

// Brought tells whether the tool needs no entry in the tools setting of the agent.
func (t *tool) Brought() bool { return t.use.Brought }

// shown is what a person calls the tool.
func (t *tool) shown() string {
	if t.remote != "" {
		return t.remote
	}
	return t.spec.Name
}

// Call asks the server, which is started where it does not run. Whatever becomes of the server is the result of this call.
func (t *tool) Call(ctx context.Context, c *tools.Call) (tools.Result, error) {
	s, err := t.ready(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			return tools.Result{}, context.Cause(ctx)
		}
		return failed("The MCP server %s does not start: %s.", t.use.Server.Name, err), nil
	}
	if t.link.slot != nil {
		select {
		case t.link.slot <- struct{}{}:
			defer func() { <-t.link.slot }()
		case <-ctx.Done():
			return tools.Result{}, context.Cause(ctx)
		}
	}
	f, landed := t.link.fly(c)
	defer landed()
	limit := t.use.Server.timeout()
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var result tools.Result
	if t.extra != nil {
		result, err = t.extra(bounded, s.cs, c.Input)
	} else {
		result, err = t.ask(bounded, s.cs, f, c.Input)
	}
	switch {
	case err == nil:
		t.link.succeeded()
		return result, nil
	case ctx.Err() != nil:
		return tools.Result{}, context.Cause(ctx)
	case bounded.Err() != nil:
		return failed("The MCP server %s gave no answer within %s; the call was cancelled, and may have had effects all the same.", t.use.Server.Name, limit), nil
	case lost(err) || t.gone(s):
		return failed("The MCP server %s ended during the call, which is not repeated: it may have had effects. It %s.", t.use.Server.Name, t.fate(s)), nil
	}
	return failed("The MCP server %s refused the call: %s", t.use.Server.Name, short(plainly(err), maxMessage)), nil
}

func failed(format string, args ...any) tools.Result {
	return tools.Result{Content: fmt.Sprintf(format, args...), IsError: true}
}

// ready starts a lazy server, and tells that this call needed it.
func (t *tool) ready(ctx context.Context, c *tools.Call) (*session, error) {
	tell := c.Report
	if tell == nil {
		tell = func(tools.Event) {}
	}
	s, waited, err := t.session(ctx, tell)
	if err == nil && waited > 0 {
		tell(LazyStart{"mcp", t.use.Server.Name, waited.Milliseconds()})
	}
	return s, err
}

// ask calls the tool.
func (t *tool) ask(ctx context.Context, cs *sdk.ClientSession, f *flight, input json.RawMessage) (tools.Result, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage(`{}`)
	}
	p := &sdk.CallToolParams{Name: t.remote, Arguments: input}
	p.SetProgressToken(f.token)
	got, err := cs.CallTool(ctx, p)
	if err != nil {
		return tools.Result{}, err
	}
	return resultOf(got), nil
}

// gone tells whether the session ended.
func (t *tool) gone(s *session) bool {
	select {
	case <-s.ended:
		return true
	case <-time.After(settle):
		return false
	}
}

func (t *tool) fate(s *session) string {
	if s.program != nil {
		return s.program.fate()
	}
	return "closed the connection"
}

// succeeded forgets failures: the server works.
func (l *link) succeeded() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures, l.last, l.notBefore = 0, nil, time.Time{}
}
