package lc

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/tmc/langchaingo/llms"

	"github.com/swarmrun/swarmrun/providers"
)

// Generate makes one call of m in langchaingo's words, so that our own clients are llms.Models too.
func Generate(ctx context.Context, m providers.Model, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, set := range options {
		set(&o)
	}
	req, err := request(messages, &o)
	if err != nil {
		return nil, err
	}
	var emit func(providers.Delta) error
	if o.StreamingFunc != nil || o.StreamingReasoningFunc != nil {
		emit = func(d providers.Delta) error { return stream(ctx, &o, d) }
	}
	resp, err := m.Generate(ctx, req, emit)
	if err != nil {
		return nil, err
	}
	return response(resp), nil
}

func stream(ctx context.Context, o *llms.CallOptions, d providers.Delta) error {
	if o.StreamingReasoningFunc != nil {
		return o.StreamingReasoningFunc(ctx, []byte(d.Reasoning), []byte(d.Text))
	}
	if d.Text == "" {
		return nil
	}
	return o.StreamingFunc(ctx, []byte(d.Text))
}

func request(messages []llms.MessageContent, o *llms.CallOptions) (*providers.Request, error) {
	req := &providers.Request{MaxOutput: o.MaxTokens, Stop: o.StopWords}
	if o.Temperature != 0 {
		req.Temperature = &o.Temperature
	}
	if o.TopP != 0 {
		req.TopP = &o.TopP
	}
	if choice, ok := o.ToolChoice.(string); ok {
		req.ToolChoice = choice
	}
	for _, t := range o.Tools {
		if t.Function == nil {
			return nil, errors.New("tool without function")
		}
		schema, err := json.Marshal(t.Function.Parameters)
		if err != nil {
			return nil, err
		}
		req.Tools = append(req.Tools, providers.ToolSpec{Name: t.Function.Name, Description: t.Function.Description, Schema: schema})
	}
	for _, m := range messages {
		if m.Role == llms.ChatMessageTypeSystem {
			for _, p := range m.Parts {
				if t, ok := p.(llms.TextContent); ok {
					req.System += t.Text
				}
			}
			continue
		}
		one, err := message(m)
		if err != nil {
			return nil, err
		}
		req.Messages = append(req.Messages, one)
	}
	return req, nil
}

func message(m llms.MessageContent) (providers.Message, error) {
	out := providers.Message{Role: providers.User}
	switch m.Role {
	case llms.ChatMessageTypeAI:
		out.Role = providers.Assistant
	case llms.ChatMessageTypeTool:
		out.Role = providers.Tool
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llms.TextContent:
			out.Parts = append(out.Parts, providers.Text{Text: p.Text})
		case llms.ImageURLContent:
			out.Parts = append(out.Parts, providers.Blob{URL: p.URL})
		case llms.BinaryContent:
			out.Parts = append(out.Parts, providers.Blob{MediaType: p.MIMEType, Data: p.Data})
		case llms.ToolCall:
			if p.FunctionCall == nil {
				return out, errors.New("tool call without function")
			}
			out.Parts = append(out.Parts, providers.ToolCall{ID: p.ID, Name: p.FunctionCall.Name, Args: json.RawMessage(p.FunctionCall.Arguments)})
		case llms.ToolCallResponse:
			out.Parts = append(out.Parts, providers.ToolResult{CallID: p.ToolCallID, Name: p.Name, Content: p.Content})
		default:
			return out, errors.New("part of an unknown type")
		}
	}
	return out, nil
}

func response(r *providers.Response) *llms.ContentResponse {
	choice := &llms.ContentChoice{
		Content: r.Message.Text(), StopReason: string(r.Finish),
		GenerationInfo: map[string]any{
			"PromptTokens": r.Usage.Input, "CompletionTokens": r.Usage.Output, "TotalTokens": r.Usage.Input + r.Usage.Output,
			"PromptCachedTokens": r.Usage.CachedInput, "ReasoningTokens": r.Usage.Reasoning,
		},
	}
	for _, p := range r.Message.Parts {
		switch p := p.(type) {
		case providers.Reasoning:
			choice.ReasoningContent += p.Text
		case providers.ToolCall:
			choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
				ID: p.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: p.Name, Arguments: string(p.Args)},
			})
		}
	}
	if len(choice.ToolCalls) > 0 {
		choice.FuncCall = choice.ToolCalls[0].FunctionCall
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}
}
