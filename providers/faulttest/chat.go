package faulttest

import "strings"

// chat writes OpenAI's chat completions.
type chat struct{ seen answer }

func (c *chat) encode(f frame) string {
	c.seen.add(f)
	switch f.kind {
	case "m":
		return c.delta(obj{"role": "assistant"}, nil)
	case "t":
		return c.delta(obj{"content": f.args[0]}, nil)
	case "big":
		return c.delta(obj{"content": big(f)}, nil)
	case "r":
		return c.delta(obj{"reasoning_content": f.args[0]}, nil)
	case "k", "p":
		return comment
	case "c":
		call := obj{"index": atoi(f.args[0])}
		function := obj{}
		if f.args[1] != "" {
			call["id"], call["type"] = f.args[1], "function"
		}
		if f.args[2] != "" {
			function["name"] = f.args[2]
		}
		if f.args[3] != "" || f.args[2] != "" {
			function["arguments"] = f.args[3]
		}
		call["function"] = function
		return c.delta(obj{"tool_calls": []obj{call}}, nil)
	case "u":
		return event("", obj{"id": "c1", "object": "chat.completion.chunk", "model": "test", "choices": []obj{}, "usage": chatUsage(&c.seen)})
	case "f":
		return c.delta(obj{}, c.seen.finish)
	case "e":
		return event("", openAIError(f.args[0], f.args[0], f.args[1]))
	case "bad":
		return malformed
	case "D":
		return "data: [DONE]\n\n"
	}
	return ""
}

func (c *chat) delta(delta obj, finish any) string {
	return event("", obj{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "test",
		"choices": []obj{{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func chatUsage(a *answer) obj {
	return obj{"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out}
}

// chatBody is a whole chat completion.
func chatBody(a *answer) obj {
	message := obj{"role": "assistant", "content": a.text}
	if a.thought != "" {
		message["reasoning_content"] = a.thought
	}
	if a.text == "" {
		message["content"] = nil
	}
	var calls []obj
	for _, c := range a.calls {
		calls = append(calls, obj{"id": c.id, "type": "function", "function": obj{"name": c.name, "arguments": c.args}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	choice := obj{"index": 0, "message": message, "finish_reason": nil}
	if a.finish != "" {
		choice["finish_reason"] = a.finish
	}
	return obj{"id": "c1", "object": "chat.completion", "model": "test", "choices": []obj{choice}, "usage": chatUsage(a)}
}

// openAIError is the error object of both OpenAI wires.
func openAIError(code, typ, message string) obj {
	e := obj{"message": message, "type": typ, "param": nil, "code": code}
	if code == "" {
		e["code"] = nil
	}
	return obj{"error": e}
}

// openAIWording is what OpenAI says for the codes that stand for a provider's own words.
func openAIWording(code string) (real, typ, message string) {
	switch code {
	case "overflow":
		return "context_length_exceeded", "invalid_request_error",
			"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."
	case "orphan":
		return "", "invalid_request_error", "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
			"'tool_call_id'. The following tool_call_ids did not have response messages: c1"
	case "quota":
		return "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."
	case "content_filter":
		return "content_policy_violation", "invalid_request_error", "Your request was rejected as a result of our safety system."
	}
	if strings.HasSuffix(code, "_error") {
		return "", code, ""
	}
	return code, "", ""
}
