package serve

import (
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/runner"
)

// callTool makes a call of a tool as it is.
func (s *Server) callTool(ctx context.Context, r *sdk.CallToolRequest, tool string) *sdk.CallToolResult {
	input := r.Params.Arguments
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	result, err := s.handsOf(r.Session).Call(ctx, tool, input)
	if err != nil {
		return failure(err.Error())
	}
	out := &sdk.CallToolResult{IsError: result.IsError, Content: []sdk.Content{&sdk.TextContent{Text: result.Content}}}
	for _, b := range result.Blobs {
		if strings.HasPrefix(b.MediaType, "image/") {
			out.Content = append(out.Content, &sdk.ImageContent{Data: b.Data, MIMEType: b.MediaType})
		}
	}
	return out
}

// handsOf are the hands of a client: what it has read is not read by another one.
func (s *Server) handsOf(client *sdk.ServerSession) *runner.Hands {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hands[client]
	if h == nil {
		h = s.runner.Hands(s.caller, s.sink)
		s.hands[client] = h
		go func() {
			_ = client.Wait() // however it went
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.hands, client)
		}()
	}
	return h
}
