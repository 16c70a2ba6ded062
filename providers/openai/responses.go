package openai

import (
	"context"
	"net/http"
	"strings"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

// responses is a one-shot client of the Responses API. Nothing is stored at the provider: each request carries the whole
// history, with the encrypted thoughts that came before.
type responses struct {
	wire.Client
	quirks quirks
	frame  wire.Frame
}

// Generate makes one send.
func (c *responses) Generate(ctx context.Context, req *providers.Request, emit func(providers.Delta) error) (*providers.Response, error) {
	req = c.Capped(req)
	return c.Once(ctx, wire.Send{
		Request: req, Emit: emit, Rules: c.quirks.Name, Body: c.body(req, emit != nil),
		Authorise: func(h http.Header, key string) { authorise(h, key, c.quirks.apiKeyHeader) },
		Decoder:   &responsesDecoder{provider: c.Provider},
		Frame:     c.frame,
	})
}

// responsesNames are the names of parameters that differ from those of chat completions; it knows no stop texts.
func responsesNames() map[string]string {
	return map[string]string{"max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens", "stop": ""}
}

// body is the JSON of a Responses request.
func (c *responses) body(req *providers.Request, stream bool) []byte {
	b := c.NewBody(sizeOf(req), c.Extra(req, responsesNames(), typedParameters(req)...))
	b.Key("model")
	b.String(c.Model)
	if req.System != "" && b.Key("instructions") {
		b.String(req.System)
	}
	b.Key("input")
	c.input(b, req)
	c.tools(b, req)
	c.options(b, req)
	if b.Key("store") {
		b.Raw("false")
	}
	if stream {
		b.Key("stream")
		b.Raw("true")
	}
	return b.End()
}

func (c *responses) options(b *wire.Body, req *providers.Request) {
	if req.Temperature != nil && b.Key("temperature") {
		b.Value(*req.Temperature)
	}
	if req.TopP != nil && b.Key("top_p") {
		b.Value(*req.TopP)
	}
	if req.MaxOutput > 0 && b.Key("max_output_tokens") {
		b.Value(req.MaxOutput)
	}
	if req.Thinking != nil && b.Key("reasoning") {
		b.Raw(`{"summary":"auto","effort":`)
		b.String(effort(req.Thinking))
		b.Raw("}")
	}
	if (req.Thinking != nil || reasons(c.Model)) && b.Key("include") {
		b.Raw(`["reasoning.encrypted_content"]`)
	}
	if req.Output != nil && b.Key("text") {
		b.Raw(`{"format":{"type":"json_schema","name":"output","strict":`)
		b.Value(strict(req.Output))
		b.Raw(`,"schema":`)
		b.Bytes(req.Output)
		b.Raw("}}")
	}
}

// reasons tells by its name whether a model has thoughts to encrypt; others refuse to be asked for them.
func reasons(model string) bool {
	for _, p := range [...]string{"o1", "o3", "o4", "gpt-5", "codex"} {
		if strings.HasPrefix(model, p) {
			return true
		}
	}
	return false
}

func (c *responses) tools(b *wire.Body, req *providers.Request) {
	if len(req.Tools) == 0 || !b.Key("tools") {
		return
	}
	b.Raw("[")
	for i, t := range req.Tools {
		if i > 0 {
			b.Raw(",")
		}
		b.Raw(`{"type":"function","strict":false,"name":`)
		b.String(t.Name)
		b.Raw(`,"description":`)
		b.String(t.Description)
		b.Raw(`,"parameters":`)
		b.Bytes(schemaOf(t))
		b.Raw("}")
	}
	b.Raw("]")
	if req.ToolChoice == "" || !b.Key("tool_choice") {
		return
	}
	switch req.ToolChoice {
	case "auto", "none", "required":
		b.String(req.ToolChoice)
	default:
		b.Raw(`{"type":"function","name":`)
		b.String(req.ToolChoice)
		b.Raw("}")
	}
}

func (c *responses) input(b *wire.Body, req *providers.Request) {
	l := &list{b: b}
	b.Raw("[")
	for _, m := range req.Messages {
		switch m.Role {
		case providers.Assistant:
			for _, p := range m.Parts {
				c.item(l, p)
			}
		case providers.Tool:
			for _, p := range m.Parts {
				if r, ok := p.(providers.ToolResult); ok {
					l.next()
					result(b, r)
				}
			}
		default:
			l.next()
			b.Raw(`{"role":"user","content":[`)
			inner := &list{b: b}
			for _, p := range m.Parts {
				input(inner, p)
			}
			b.Raw("]}")
		}
	}
	b.Raw("]")
}

// item writes a part of an assistant message as an item of its own.
func (c *responses) item(l *list, p providers.Part) {
	switch p := p.(type) {
	case providers.Text:
		l.next()
		l.b.Raw(`{"role":"assistant","content":[{"type":"output_text","text":`)
		l.b.String(p.Text)
		l.b.Raw("}]}")
	case providers.ToolCall:
		l.next()
		l.b.Raw(`{"type":"function_call","call_id":`)
		l.b.String(p.ID)
		l.b.Raw(`,"name":`)
		l.b.String(p.Name)
		l.b.Raw(`,"arguments":`)
		l.b.String(string(p.Args))
		l.b.Raw("}")
	case providers.Reasoning:
		if p.Provider == c.Provider && p.Raw != nil {
			l.next()
			l.b.Bytes(p.Raw)
		}
	case providers.Opaque:
		if p.Provider == c.Provider {
			l.next()
			l.b.Bytes(p.Raw)
		}
	}
}

// input writes a part of a user message.
func input(l *list, p providers.Part) {
	switch p := p.(type) {
	case providers.Text:
		l.next()
		l.b.Raw(`{"type":"input_text","text":`)
		l.b.String(p.Text)
		l.b.Raw("}")
	case providers.Blob:
		l.next()
		inputBlob(l.b, p)
	}
}

func inputBlob(b *wire.Body, p providers.Blob) {
	if !strings.HasPrefix(p.MediaType, "image/") && p.MediaType != "" {
		b.Raw(`{"type":"input_file","filename":"attachment","file_data":`)
		b.Base64("data:"+p.MediaType+";base64,", p.Data)
		b.Raw("}")
		return
	}
	b.Raw(`{"type":"input_image","image_url":`)
	if p.URL != "" {
		b.String(p.URL)
	} else {
		b.Base64("data:"+p.MediaType+";base64,", p.Data)
	}
	b.Raw("}")
}

func result(b *wire.Body, r providers.ToolResult) {
	b.Raw(`{"type":"function_call_output","call_id":`)
	b.String(r.CallID)
	b.Raw(`,"output":`)
	if len(r.Blobs) == 0 {
		b.String(r.Content)
		b.Raw("}")
		return
	}
	b.Raw("[")
	l := &list{b: b}
	input(l, providers.Text{Text: r.Content})
	for _, blob := range r.Blobs {
		input(l, blob)
	}
	b.Raw("]}")
}
