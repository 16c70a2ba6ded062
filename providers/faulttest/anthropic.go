package faulttest

// messages writes Anthropic's Messages API. Blocks are opened where a frame needs one, the message itself too.
type messages struct {
	seen    answer
	begun   bool
	blocks  int         // opened so far
	text    int         // block of the text, 1 more than its index; 0 = none
	thought int         // block of the thinking, likewise
	calls   map[int]int // call index → block
}

func (m *messages) encode(f frame) string {
	var s string
	switch f.kind {
	case "m", "t", "r", "c", "big", "u", "f":
		s = m.begin()
	}
	if f.kind == "c" {
		return s + m.fragment(f)
	}
	m.seen.add(f)
	switch f.kind {
	case "t":
		return s + m.words(&m.text, "text", "text_delta", f.args[0])
	case "big":
		return s + m.words(&m.text, "text", "text_delta", big(f))
	case "r":
		return s + m.words(&m.thought, "thinking", "thinking_delta", f.args[0])
	case "k":
		return comment
	case "p":
		return event("ping", obj{"type": "ping"})
	case "u":
		return s + event("message_delta", obj{"type": "message_delta", "delta": obj{"stop_reason": nil}, "usage": anthropicUsage(&m.seen)})
	case "f":
		return s + m.finish()
	case "e":
		return event("error", anthropicError(f.args[0], "", f.args[1]))
	case "bad":
		return malformed
	case "D":
		return event("message_stop", obj{"type": "message_stop"})
	}
	return s
}

func (m *messages) begin() string {
	if m.begun {
		return ""
	}
	m.begun = true
	return event("message_start", obj{"type": "message_start", "message": obj{"id": "msg_1", "type": "message", "role": "assistant",
		"model": "test", "content": []obj{}, "stop_reason": nil, "usage": obj{"input_tokens": 0, "output_tokens": 0}}})
}

func (m *messages) open(block obj) (index int, s string) {
	index = m.blocks
	m.blocks++
	return index, event("content_block_start", obj{"type": "content_block_start", "index": index, "content_block": block})
}

func (m *messages) words(block *int, kind, delta, text string) string {
	var s string
	if *block == 0 {
		var index int
		index, s = m.open(obj{"type": kind, kind: ""})
		*block = index + 1
	}
	return s + event("content_block_delta", obj{"type": "content_block_delta", "index": *block - 1, "delta": obj{"type": delta, kind: text}})
}

func (m *messages) fragment(f frame) string {
	c, begun := m.seen.call(f)
	var s string
	if begun {
		var index int
		index, s = m.open(obj{"type": "tool_use", "id": c.id, "name": c.name, "input": obj{}})
		if m.calls == nil {
			m.calls = map[int]int{}
		}
		m.calls[c.index] = index
	}
	return s + event("content_block_delta", obj{"type": "content_block_delta", "index": m.calls[c.index],
		"delta": obj{"type": "input_json_delta", "partial_json": f.args[3]}})
}

func (m *messages) finish() string {
	var s string
	for index := range m.blocks {
		s += event("content_block_stop", obj{"type": "content_block_stop", "index": index})
	}
	return s + event("message_delta", obj{"type": "message_delta", "usage": anthropicUsage(&m.seen),
		"delta": obj{"stop_reason": stopReason(m.seen.finish), "stop_sequence": nil}})
}

func stopReason(finish string) string {
	switch finish {
	case "stop":
		return "end_turn"
	case "tool_calls":
		return "tool_use"
	case "length":
		return "max_tokens"
	case "content_filter":
		return "refusal"
	}
	return finish
}

func anthropicUsage(a *answer) obj { return obj{"input_tokens": a.in, "output_tokens": a.out} }

// messageBody is a whole message. Arguments that are no JSON cannot be written in this framing: they become a text.
func messageBody(a *answer) obj {
	content := []obj{}
	if a.thought != "" {
		content = append(content, obj{"type": "thinking", "thinking": a.thought, "signature": "sig"})
	}
	if a.text != "" {
		content = append(content, obj{"type": "text", "text": a.text})
	}
	for _, c := range a.calls {
		content = append(content, obj{"type": "tool_use", "id": c.id, "name": c.name, "input": jsonOrText(c.args)})
	}
	body := obj{"id": "msg_1", "type": "message", "role": "assistant", "model": "test", "content": content, "stop_reason": nil, "usage": anthropicUsage(a)}
	if a.finish != "" {
		body["stop_reason"] = stopReason(a.finish)
	}
	return body
}

func anthropicError(typ, code, message string) obj {
	e := obj{"type": typ, "message": message}
	if code != "" {
		e["code"] = code
	}
	return obj{"type": "error", "error": e, "request_id": "req_1"}
}

// anthropicWording is what Anthropic says for the codes that stand for a provider's own words.
func anthropicWording(status int, code string) (typ, real, message string) {
	switch code {
	case "overflow":
		return "invalid_request_error", "", "prompt is too long: 205000 tokens > 200000 maximum"
	case "orphan":
		return "invalid_request_error", "", "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: c1. " +
			"Each `tool_use` block must have a corresponding `tool_result` block in the next message."
	case "quota", "insufficient_quota":
		if status == 429 {
			return "rate_limit_error", "enforced_spend_limit_reached", "This request would exceed your organisation's spend limit."
		}
		return "billing_error", "", "Your credit balance is too low to access the API."
	}
	return code, "", ""
}

func anthropicType(status int) string {
	switch {
	case status == 401:
		return "authentication_error"
	case status == 402:
		return "billing_error"
	case status == 403:
		return "permission_error"
	case status == 404:
		return "not_found_error"
	case status == 413:
		return "request_too_large"
	case status == 429:
		return "rate_limit_error"
	case status >= 500:
		return "api_error"
	}
	return "invalid_request_error"
}
