package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/swarmrun/swarmrun/internal/jsontext"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/providers/internal/wire"
)

// decoder reads the answer of the Messages API, streamed or not, block by block.
type decoder struct {
	provider string
	answer   wire.Answer
	blocks   []*block
	index    map[int]*block
	began    bool
}

// block is one content block as it grows.
type block struct {
	kind string
	raw  json.RawMessage // as it began, or, unary, as it is
	id   string
	name string
	text []byte // of text or thinking
	sign []byte // signature of thinking
	args []byte
	live bool // built from pieces
}

type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *message        `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		Partial    string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
}

type message struct {
	Type       string            `json:"type"`
	Model      string            `json:"model"`
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      *usage            `json:"usage"`
	Error      json.RawMessage   `json:"error"`
}

type usage struct {
	Input      *int `json:"input_tokens"`
	CacheWrite *int `json:"cache_creation_input_tokens"`
	CacheRead  *int `json:"cache_read_input_tokens"`
	Output     *int `json:"output_tokens"`
}

type blockHead struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Input     json.RawMessage `json:"input"`
}

func (d *decoder) Event(_, data []byte) (wire.Signal, providers.Delta, error) {
	if q, ok := quickText(data); ok {
		b := d.index[q.index]
		if b == nil {
			return 0, providers.Delta{}, wire.Contract("delta_without_block")
		}
		b.text = append(b.text, q.text...)
		return wire.Data, providers.Delta{Text: q.text}, nil
	}
	var ev event
	if err := json.Unmarshal(data, &ev); err != nil {
		return 0, providers.Delta{}, wire.Contract("malformed_event")
	}
	switch ev.Type {
	case "ping":
		return wire.Ignored, providers.Delta{}, nil
	case "error":
		return 0, providers.Delta{}, &wire.InBandError{Raw: data}
	case "message_start":
		if ev.Message != nil {
			d.answer.Model = ev.Message.Model
			d.usage(ev.Message.Usage)
		}
	case "content_block_start":
		return wire.Data, providers.Delta{}, d.start(ev.Index, ev.Block)
	case "content_block_delta":
		delta, err := d.piece(&ev)
		return wire.Data, delta, err
	case "message_delta":
		if d.answer.Finish == "" {
			d.answer.Finish = ev.Delta.StopReason
		}
		d.usage(ev.Usage)
	case "message_stop":
		if d.began && d.answer.Finish == "" {
			return 0, providers.Delta{}, &providers.Error{Kind: providers.KindTruncated, Code: "no_stop_reason"}
		}
		return wire.Terminal, providers.Delta{}, nil
	}
	d.began = true
	return wire.Data, providers.Delta{}, nil
}

// usage takes the values that are there: later ones replace earlier ones, since they are sums.
func (d *decoder) usage(u *usage) {
	if u == nil {
		return
	}
	all := &d.answer.Usage
	plain := all.Input - all.CachedInput - all.CacheWrite
	set := func(to *int, from *int) {
		if from != nil {
			*to = *from
		}
	}
	set(&plain, u.Input)
	set(&all.CachedInput, u.CacheRead)
	set(&all.CacheWrite, u.CacheWrite)
	set(&all.Output, u.Output)
	all.Input = plain + all.CachedInput + all.CacheWrite
}

func (d *decoder) start(index int, raw json.RawMessage) error {
	d.began = true
	b, err := newBlock(raw)
	if err != nil {
		return err
	}
	b.live = true
	if d.index == nil {
		d.index = map[int]*block{}
	}
	if d.index[index] != nil {
		return wire.Contract("block_begun_twice")
	}
	d.index[index] = b
	d.blocks = append(d.blocks, b)
	return nil
}

func newBlock(raw json.RawMessage) (*block, error) {
	var head blockHead
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, wire.Contract("malformed_block")
	}
	b := &block{kind: head.Type, raw: bytes.Clone(raw), id: head.ID, name: head.Name}
	switch head.Type {
	case "text":
		b.text = []byte(head.Text)
	case "thinking":
		b.text, b.sign = []byte(head.Thinking), []byte(head.Signature)
	case "tool_use":
		if s := string(head.Input); s != "" && s != "{}" && s != "null" {
			b.args = bytes.Clone(head.Input)
		}
	}
	return b, nil
}

func (d *decoder) piece(ev *event) (providers.Delta, error) {
	b := d.index[ev.Index]
	if b == nil {
		return providers.Delta{}, wire.Contract("delta_without_block")
	}
	switch ev.Delta.Type {
	case "text_delta":
		b.text = append(b.text, ev.Delta.Text...)
		return providers.Delta{Text: ev.Delta.Text}, nil
	case "thinking_delta":
		b.text = append(b.text, ev.Delta.Thinking...)
		return providers.Delta{Reasoning: ev.Delta.Thinking}, nil
	case "signature_delta":
		b.sign = append(b.sign, ev.Delta.Signature...)
	case "input_json_delta":
		b.args = append(b.args, ev.Delta.Partial...)
	}
	return providers.Delta{}, nil
}

func (d *decoder) Body(body []byte) error {
	var m message
	body = bytes.TrimSpace(body)
	if len(body) == 0 || json.Unmarshal(body, &m) != nil {
		return &providers.Error{Kind: providers.KindServer, Status: 200, Code: "unusable_answer"}
	}
	if len(m.Error) > 0 && string(m.Error) != "null" {
		return &wire.InBandError{Raw: body}
	}
	if m.StopReason == "" {
		if m.Type != "message" {
			return &providers.Error{Kind: providers.KindServer, Status: 200, Code: "unusable_answer"}
		}
		return &providers.Error{Kind: providers.KindTruncated, Code: "no_stop_reason"}
	}
	d.answer.Model, d.answer.Finish = m.Model, m.StopReason
	d.usage(m.Usage)
	for _, raw := range m.Content {
		b, err := newBlock(raw)
		if err != nil {
			return err
		}
		d.blocks = append(d.blocks, b)
	}
	return nil
}

// Answer is the blocks that came so far, without tool calls.
func (d *decoder) Answer() *wire.Answer {
	d.answer.Parts = d.answer.Parts[:0]
	for _, b := range d.blocks {
		if p := d.plain(b); p != nil {
			d.answer.Parts = append(d.answer.Parts, p)
		}
	}
	return &d.answer
}

// plain is the part of a block that is no tool call.
func (d *decoder) plain(b *block) providers.Part {
	switch b.kind {
	case "text":
		if len(b.text) == 0 {
			return nil
		}
		return providers.Text{Text: string(b.text)}
	case "thinking":
		return providers.Reasoning{Text: string(b.text), Provider: d.provider, Raw: b.thinking()}
	case "redacted_thinking":
		return providers.Reasoning{Provider: d.provider, Raw: b.raw}
	case "tool_use":
		return nil
	}
	return providers.Opaque{Provider: d.provider, Raw: b.whole()}
}

// thinking is the block to send back: as it came, or put together from its pieces.
func (b *block) thinking() json.RawMessage {
	if !b.live {
		return b.raw
	}
	out := append([]byte(`{"type":"thinking","thinking":`), jsontext.AppendString(nil, string(b.text))...)
	out = append(out, `,"signature":`...)
	return append(jsontext.AppendString(out, string(b.sign)), '}')
}

// whole is a block that is not known to us, with the input that came in pieces.
func (b *block) whole() json.RawMessage {
	if len(b.args) == 0 || !json.Valid(b.args) {
		return b.raw
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(b.raw, &members) != nil {
		return b.raw
	}
	members["input"] = b.args
	out, err := json.Marshal(members)
	if err != nil {
		return b.raw
	}
	return out
}

func (d *decoder) Finish() (providers.Finish, error) {
	switch d.answer.Finish {
	case "max_tokens":
		if d.answer.Usage.Output == 0 && d.answer.Usage.Input > 0 {
			return "", &providers.Error{Kind: providers.KindOverflow, Code: "no_room_for_output"}
		}
		return "", &providers.Error{Kind: providers.KindTruncated, Code: "output_limit"}
	case "pause_turn":
		return "", &providers.Error{Kind: providers.KindTruncated, Code: "pause_turn"}
	case "model_context_window_exceeded":
		return "", &providers.Error{Kind: providers.KindOverflow, Code: "model_context_window_exceeded"}
	case "refusal":
		return "", &providers.Error{Kind: providers.KindContentFilter, Code: "refusal"}
	}
	calls, err := d.withCalls()
	switch {
	case err != nil:
		return "", err
	case calls > 0:
		return providers.FinishToolCalls, nil
	case d.answer.Finish == "tool_use":
		return "", wire.Contract("no_tool_call")
	}
	return providers.FinishStop, nil
}

// withCalls puts all blocks in order, the tool calls among them.
func (d *decoder) withCalls() (int, error) {
	d.answer.Parts = d.answer.Parts[:0]
	ids := map[string]bool{}
	for _, b := range d.blocks {
		if b.kind != "tool_use" {
			if p := d.plain(b); p != nil {
				d.answer.Parts = append(d.answer.Parts, p)
			}
			continue
		}
		call, err := wire.CheckCall(b.id, b.name, b.args)
		if err != nil {
			return 0, err
		}
		if call.ID == "" || ids[call.ID] {
			return 0, wire.Contract("duplicate_call_id")
		}
		ids[call.ID] = true
		d.answer.Parts = append(d.answer.Parts, call)
	}
	return len(ids), nil
}
