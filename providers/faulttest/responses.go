package faulttest

import "strconv"

// responses writes OpenAI's Responses API.
type responses struct {
	seen    answer
	begun   bool
	message bool // the text item was added
}

func (r *responses) encode(f frame) string {
	var s string
	switch f.kind {
	case "m", "t", "r", "c", "big":
		s = r.begin()
	}
	if f.kind == "c" {
		return s + r.fragment(f)
	}
	r.seen.add(f)
	switch f.kind {
	case "t":
		return s + r.text(f.args[0])
	case "big":
		return s + r.text(big(f))
	case "r":
		return s + event("response.reasoning_summary_text.delta", obj{"type": "response.reasoning_summary_text.delta",
			"item_id": "rs_1", "output_index": 0, "summary_index": 0, "delta": f.args[0]})
	case "k", "p":
		return comment
	case "f":
		return r.itemsDone()
	case "e":
		return event("error", obj{"type": "error", "code": f.args[0], "message": f.args[1], "param": nil})
	case "bad":
		return malformed
	case "D":
		return r.completed()
	}
	return s
}

func (r *responses) begin() string {
	if r.begun {
		return ""
	}
	r.begun = true
	return event("response.created", obj{"type": "response.created", "response": obj{"id": "resp_1", "object": "response",
		"status": "in_progress", "model": "test", "output": []obj{}}})
}

// textAt is where the message stands in the output; calls come after it.
const textAt = 1

func (r *responses) text(delta string) string {
	var s string
	if !r.message {
		r.message = true
		s = event("response.output_item.added", obj{"type": "response.output_item.added", "output_index": textAt,
			"item": obj{"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []obj{}}}) +
			event("response.content_part.added", obj{"type": "response.content_part.added", "item_id": "msg_1", "output_index": textAt,
				"content_index": 0, "part": obj{"type": "output_text", "text": ""}})
	}
	return s + event("response.output_text.delta", obj{"type": "response.output_text.delta", "item_id": "msg_1",
		"output_index": textAt, "content_index": 0, "delta": delta})
}

func (r *responses) fragment(f frame) string {
	c, begun := r.seen.call(f)
	at := textAt + 1 + c.index
	var s string
	if begun {
		s = event("response.output_item.added", obj{"type": "response.output_item.added", "output_index": at,
			"item": obj{"id": itemID(c), "type": "function_call", "status": "in_progress", "call_id": c.id, "name": c.name, "arguments": ""}})
	}
	if f.args[3] != "" {
		s += event("response.function_call_arguments.delta", obj{"type": "response.function_call_arguments.delta",
			"item_id": itemID(c), "output_index": at, "delta": f.args[3]})
	}
	return s
}

func itemID(c *toolCall) string { return "fc_" + strconv.Itoa(c.index) }

func (r *responses) itemsDone() string {
	var s string
	if r.message {
		s = event("response.output_item.done", obj{"type": "response.output_item.done", "output_index": textAt, "item": textItem(&r.seen)})
	}
	for _, c := range r.seen.calls {
		at := textAt + 1 + c.index
		s += event("response.function_call_arguments.done", obj{"type": "response.function_call_arguments.done",
			"item_id": itemID(c), "output_index": at, "arguments": c.args}) +
			event("response.output_item.done", obj{"type": "response.output_item.done", "output_index": at, "item": callItem(c)})
	}
	return s
}

func (r *responses) completed() string {
	body := responsesBody(&r.seen)
	name := "response." + body["status"].(string)
	return event(name, obj{"type": name, "response": body})
}

func textItem(a *answer) obj {
	return obj{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
		"content": []obj{{"type": "output_text", "text": a.text, "annotations": []obj{}}}}
}

func callItem(c *toolCall) obj {
	return obj{"id": itemID(c), "type": "function_call", "status": "completed", "call_id": c.id, "name": c.name, "arguments": c.args}
}

// responsesBody is a whole response. Finish reasons other than an end are told by an incomplete status.
func responsesBody(a *answer) obj {
	body := obj{"id": "resp_1", "object": "response", "status": "completed", "model": "test", "error": nil,
		"usage": obj{"input_tokens": a.in, "output_tokens": a.out, "total_tokens": a.in + a.out}}
	switch a.finish {
	case "length":
		body["status"], body["incomplete_details"] = "incomplete", obj{"reason": "max_output_tokens"}
	case "content_filter":
		body["status"], body["incomplete_details"] = "incomplete", obj{"reason": "content_filter"}
	}
	output := []obj{}
	if a.thought != "" {
		output = append(output, obj{"id": "rs_1", "type": "reasoning", "summary": []obj{{"type": "summary_text", "text": a.thought}}})
	}
	if a.text != "" {
		output = append(output, textItem(a))
	}
	for _, c := range a.calls {
		output = append(output, callItem(c))
	}
	body["output"] = output
	return body
}
