package lc

import (
	"context"

	"github.com/tmc/langchaingo/llms"
)

// Reply is the short answer that a langchaingo adapter of OpenAI's shape gets in place of the real one.
const Reply = `{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`

// Frame lets an adapter make its request and read its reply: address, method and headers are the adapter's, the body and
// the answer belong to the tap below it. It gets one empty message: encoding a whole history here takes three passes more
// over every text than the tap's own body (20 ns a byte against 1), and loses what the adapter does not know.
func Frame(ctx context.Context, m llms.Model) error {
	_, err := m.GenerateContent(ctx, []llms.MessageContent{{Role: llms.ChatMessageTypeHuman}})
	return err
}
