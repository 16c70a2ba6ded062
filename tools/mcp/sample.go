package mcp

//lint:file-ignore SA1019 sampling is deprecated in the newest version of the protocol, and spoken by all older ones

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/swarmrun/swarmrun/internal/printable"
)

// sample answers a prompt of the server with the model of the agent that called it.
func (l *link) sample(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	c, err := l.caller()
	if err != nil {
		return nil, err
	}
	if c.Model == nil {
		return nil, errors.New("the caller has no model")
	}
	var b strings.Builder
	for _, m := range r.Params.Messages {
		text, ok := m.Content.(*sdk.TextContent)
		if !ok {
			return nil, errors.New("only text can be sampled")
		}
		if len(r.Params.Messages) > 1 {
			fmt.Fprintf(&b, "%s: ", m.Role)
		}
		b.WriteString(text.Text + "\n")
	}
	answer, err := c.Model.Sample(ctx, printable.Unstyled(r.Params.SystemPrompt), strings.TrimSpace(printable.Unstyled(b.String())))
	if err != nil {
		return nil, err
	}
	return &sdk.CreateMessageResult{Content: &sdk.TextContent{Text: answer}, Model: "swarmrun", Role: "assistant", StopReason: "endTurn"}, nil
}
