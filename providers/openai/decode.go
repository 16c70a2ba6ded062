package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

// chatDecoder reads the answer of a chat completion, streamed or not.
type chatDecoder struct {
	provider string
	chunk    chunk // the present one
	answer   wire.Answer
	text     strings.Builder
	thought  strings.Builder
	refusal  bool
	calls    wire.Calls
	extras   map[int]json.RawMessage // by number of the call
	began    bool
	finished bool
}

// chunk is a piece of a stream, or a whole answer: there Message stands for Delta.
type chunk struct {
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Choices []choice        `json:"choices"`
	Usage   *chatUsage      `json:"usage"`
}

type choice struct {
	Index        int             `json:"index"`
	Delta        chatMessage     `json:"delta"`
	Message      chatMessage     `json:"message"`
	FinishReason string          `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
}

type chatMessage struct {
	Content          textContent `json:"content"`
	ReasoningContent string      `json:"reasoning_content"`
	Reasoning        string      `json:"reasoning"`
	Refusal          string      `json:"refusal"`
	ToolCalls        []chatCall  `json:"tool_calls"`
}

type chatCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

// arguments are text that holds JSON; some endpoints send the object itself.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, (*string)(a))
	case string(b) != "null":
		*a = arguments(b)
	}
	return nil
}

// textContent is a string, or a list of parts, some of which are thoughts (Mistral).
type textContent struct{ text, thought string }

func (t *textContent) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case b[0] == '"':
		if inner := b[1 : len(b)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
			t.text = string(inner)
			return nil
		}
		return json.Unmarshal(b, &t.text)
	}
	var parts []struct {
		Type     string        `json:"type"`
		Text     string        `json:"text"`
		Thinking []textContent `json:"thinking"`
	}
	if b[0] == '{' { // an element of thinking
		var one struct{ Text string }
		err := json.Unmarshal(b, &one)
		t.text = one.Text
		return err
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		t.text += p.Text
		for _, th := range p.Thinking {
			t.thought += th.text
		}
	}
	return nil
}

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	CacheHit   int `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptMore struct {
		Cached     int `json:"cached_tokens"`
		CacheWrite int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionMore struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// usage in our terms. Where thoughts are counted beside the completion, the total tells.
func (u *chatUsage) usage() providers.Usage {
	return providers.Usage{
		Input: u.Prompt, CachedInput: max(u.PromptMore.Cached, u.CacheHit), CacheWrite: u.PromptMore.CacheWrite,
		Output: max(u.Completion, u.Total-u.Prompt), Reasoning: u.CompletionMore.Reasoning,
	}
}

func (d *chatDecoder) Event(_, data []byte) (wire.Signal, providers.Delta, error) {
	if string(data) == "[DONE]" {
		if d.began && d.answer.Finish == "" {
			return 0, providers.Delta{}, &providers.Error{Kind: providers.KindTruncated, Code: "no_finish_reason"}
		}
		return wire.Terminal, providers.Delta{}, nil
	}
	ev := &d.chunk
	if !quickChunk(data, ev, d.answer.Model) {
		*ev = chunk{}
		if err := json.Unmarshal(data, ev); err != nil {
			return 0, providers.Delta{}, wire.Contract("malformed_event")
		}
	}
	if raw := inBand(ev, data); raw != nil {
		return 0, providers.Delta{}, &wire.InBandError{Raw: raw}
	}
	d.began = true
	var delta providers.Delta
	d.head(ev)
	for i := range ev.Choices {
		if c := &ev.Choices[i]; c.Index == 0 {
			text, thought := d.message(&c.Delta)
			delta.Text += text
			delta.Reasoning += thought
			d.finish(c.FinishReason)
		}
	}
	return wire.Data, delta, nil
}

// inBand is the error inside a chunk, nil where there is none.
func inBand(ev *chunk, data []byte) json.RawMessage {
	if len(ev.Error) > 0 && string(ev.Error) != "null" {
		return data
	}
	for i := range ev.Choices {
		c := &ev.Choices[i]
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return c.Error
		}
		if c.FinishReason == "error" {
			return json.RawMessage("{}")
		}
	}
	return nil
}

func (d *chatDecoder) head(ev *chunk) {
	if ev.Model != "" {
		d.answer.Model = ev.Model
	}
	if ev.Usage != nil {
		d.answer.Usage = ev.Usage.usage()
	}
}

func (d *chatDecoder) message(m *chatMessage) (text, thought string) {
	text = m.Content.text
	thought = m.ReasoningContent
	if thought == "" {
		thought = m.Reasoning
	}
	thought += m.Content.thought
	d.text.WriteString(text)
	d.thought.WriteString(thought)
	d.refusal = d.refusal || m.Refusal != ""
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		index := -1
		if c.Index != nil {
			index = *c.Index
		}
		d.calls.Fragment(index, c.ID, c.Function.Name, string(c.Function.Arguments))
		if len(c.ExtraContent) > 0 {
			if d.extras == nil {
				d.extras = map[int]json.RawMessage{}
			}
			d.extras[d.calls.Len()-1] = bytes.Clone(c.ExtraContent)
		}
	}
	return text, thought
}

// finish keeps the first reason: later chunks may carry an empty one.
func (d *chatDecoder) finish(reason string) {
	if d.answer.Finish == "" {
		d.answer.Finish = reason
	}
}

func (d *chatDecoder) Body(body []byte) error {
	var whole chunk
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 || json.Unmarshal(trimmed, &whole) != nil {
		return &providers.Error{Kind: providers.KindServer, Status: 200, Code: "unusable_answer"}
	}
	if raw := inBand(&whole, trimmed); raw != nil {
		return &wire.InBandError{Raw: raw}
	}
	d.head(&whole)
	for i := range whole.Choices {
		if c := &whole.Choices[i]; c.Index == 0 {
			for j := range c.Message.ToolCalls {
				c.Message.ToolCalls[j].Index = &j
			}
			d.message(&c.Message)
			d.finish(c.FinishReason)
			d.began = true
		}
	}
	switch {
	case !d.began:
		return &providers.Error{Kind: providers.KindServer, Status: 200, Code: "no_choices"}
	case d.answer.Finish == "":
		return &providers.Error{Kind: providers.KindTruncated, Code: "no_finish_reason"}
	}
	return nil
}

// Answer is what came so far: thoughts, then text; the calls after Finish.
func (d *chatDecoder) Answer() *wire.Answer {
	if d.finished {
		return &d.answer
	}
	d.answer.Parts = d.answer.Parts[:0]
	if d.thought.Len() > 0 {
		d.answer.Parts = append(d.answer.Parts, providers.Reasoning{Text: d.thought.String(), Provider: d.provider})
	}
	if d.text.Len() > 0 {
		d.answer.Parts = append(d.answer.Parts, providers.Text{Text: d.text.String()})
	}
	return &d.answer
}

func (d *chatDecoder) Finish() (providers.Finish, error) {
	d.Answer()
	d.finished = true
	reason := strings.ToLower(d.answer.Finish)
	switch {
	case reason == "length", reason == "model_length", reason == "max_tokens":
		if d.text.Len() == 0 && d.answer.Usage.Output == 0 && d.answer.Usage.Input > 0 {
			return "", &providers.Error{Kind: providers.KindOverflow, Code: "no_room_for_output"}
		}
		return "", &providers.Error{Kind: providers.KindTruncated, Code: "output_limit"}
	case strings.HasPrefix(reason, "content_filter"), reason == "safety", reason == "recitation", reason == "prohibited_content":
		return "", &providers.Error{Kind: providers.KindContentFilter, Code: "content_filter"}
	case strings.HasSuffix(reason, "malformed_function_call"):
		return "", wire.Contract("malformed_function_call")
	}
	if d.refusal && d.text.Len() == 0 && d.calls.Len() == 0 {
		return "", &providers.Error{Kind: providers.KindContentFilter, Code: "refusal"}
	}
	calls, err := d.calls.Finish()
	if err != nil {
		return "", err
	}
	for i, call := range calls {
		d.answer.Parts = append(d.answer.Parts, call)
		if extra := d.extras[i]; extra != nil {
			raw, err := json.Marshal(callExtra{CallID: call.ID, Extra: extra})
			if err != nil {
				return "", wire.Contract("malformed_event")
			}
			d.answer.Parts = append(d.answer.Parts, providers.Opaque{Provider: d.provider, Raw: raw})
		}
	}
	if len(calls) > 0 {
		return providers.FinishToolCalls, nil
	}
	if d.answer.Finish == "tool_calls" || d.answer.Finish == "function_call" {
		return "", wire.Contract("no_tool_call")
	}
	return providers.FinishStop, nil
}
